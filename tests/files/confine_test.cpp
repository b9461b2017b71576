#include "hone/files/confine.h"

#include <cerrno>
#include <functional>
#include <new>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/test_files.h"

namespace hone {
namespace {

// What a confined process finds; its exit code.
int confined(const std::function<int()>& body) {
  const pid_t process = ::fork();
  if (process == 0) {
    confine_this_process(STDOUT_FILENO, 1000);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(ConfinedProcess, ReadsFiles) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  put_bytes(path, "text");
  EXPECT_EQ(confined([&] {
              char buffer[8];
              const int file = ::open(path.c_str(), O_RDONLY);
              return static_cast<int>(::read(file, buffer, sizeof buffer));
            }),
            4);
}

TEST(ConfinedProcess, CanChangeAndStartNothing) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  put_bytes(path, "text");
  const auto refused = [](long result) { return result < 0 && errno == EPERM ? 0 : 1; };
  EXPECT_EQ(confined([&] { return refused(::open(path.c_str(), O_WRONLY)); }), 0);
  EXPECT_EQ(confined([&] { return refused(::open(path.c_str(), O_RDWR)); }), 0);
  EXPECT_EQ(confined([&] { return refused(::open("new", O_RDONLY | O_CREAT, 0600)); }), 0);
  EXPECT_EQ(confined([&] { return refused(::unlink(path.c_str())); }), 0);
  EXPECT_EQ(confined([&] { return refused(::chmod(path.c_str(), 0777)); }), 0);
  EXPECT_EQ(confined([&] { return refused(::socket(AF_INET, SOCK_STREAM, 0)); }), 0);
  EXPECT_EQ(confined([&] { return refused(::fork()); }), 0);
  EXPECT_EQ(confined([&] { return refused(::kill(::getppid(), 0)); }), 0);
  EXPECT_EQ(confined([&] { return refused(::execl("/bin/true", "true", nullptr)); }), 0);
  EXPECT_EQ(bytes_of(path), "text");
}

TEST(ConfinedProcess, HasLittleMemoryAndFewFiles) {
  EXPECT_EQ(confined([] {
              void* memory = ::mmap(nullptr, std::size_t{8} << 30, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
              return memory == MAP_FAILED ? 0 : 1;
            }),
            0);
  EXPECT_EQ(confined([] {
              int opened = 0;
              while (::open("/dev/null", O_RDONLY) >= 0) ++opened;
              return opened < 16 ? 0 : 1;
            }),
            0);
}

TEST(ConfinedProcess, KeepsNoOtherDescriptor) {
  const int file = ::open("/dev/zero", O_RDONLY);
  const int secret = ::fcntl(file, F_DUPFD, 10);
  ASSERT_GE(secret, 10);
  EXPECT_EQ(confined([&] {
              char byte = 0;
              return ::read(secret, &byte, 1) < 0 && errno == EBADF ? 0 : 1;
            }),
            0);
  ::close(secret);
  ::close(file);
}

}  // namespace
}  // namespace hone
