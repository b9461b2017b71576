// `hone watch` against clients that are slow, silent, hostile or other users of the machine. The
// page in a browser: tests/report/browser.
#include <chrono>
#include <csignal>
#include <memory>
#include <regex>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/program.h"
#include "hone/files/files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

FileDescriptor connect_to(int port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{60, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  return socket;
}

void say(const FileDescriptor& socket, const std::string& text) {
  [[maybe_unused]] const ssize_t sent =
      ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

std::string all_of(const FileDescriptor& socket) {
  std::string text;
  char buffer[65536];
  for (ssize_t count = 0; (count = ::recv(socket.get(), buffer, sizeof buffer, 0)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

class Watch : public testing::Test {
 protected:
  void SetUp() override {
    fs::copy(fs::path(HONE_SOURCE_DIR) / "tests/run/data/format-1/finished", scratch.path() / "run",
             fs::copy_options::recursive);
  }

  // With the output in a file: where the page is.
  void start(const Arguments& more = {}) {
    program = std::make_unique<RunningProgram>(
        scratch.path(), Arguments{"watch", "run", "--port", "0"} + more,
        RunningProgram::Output::files, 80, Arguments{"sh", "-c", "exec \"$0\" \"$@\" > out"});
    std::smatch match;
    std::string text;
    static const std::regex url(R"(http://127\.0\.0\.1:(\d+)/(\w*)/?  )");
    while (!std::regex_search(text, match, url)) {
      ASSERT_TRUE(program->running()) << text;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      text = bytes_of(scratch.path() / "out");
    }
    port = std::stoi(match[1]);
    token = match[2];
  }

  std::string head(const std::string& path, const std::string& host = "") const {
    return "GET " + path +
           " HTTP/1.1\r\nHost: " + (host.empty() ? "127.0.0.1:" + std::to_string(port) : host) +
           "\r\n\r\n";
  }
  std::string ask(const std::string& request) const {
    const FileDescriptor socket = connect_to(port);
    say(socket, request);
    ::shutdown(socket.get(), SHUT_WR);
    return all_of(socket);
  }
  std::string page_path() const { return token.empty() ? "/" : "/" + token + "/"; }
  void expect_page() {
    const std::string answer = ask(head(page_path()));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer.substr(0, 300);
    EXPECT_TRUE(program->running());
  }

  TemporaryDirectory scratch;
  std::unique_ptr<RunningProgram> program;
  int port = 0;
  std::string token;
};

TEST_F(Watch, SurvivesWhatIsNotHttp) {
  start();
  const std::string host = "127.0.0.1:" + std::to_string(port);
  for (const std::string& request :
       {std::string("GET / HTTP/1.1\r\nHost:"), std::string("GET / HTTP/1.1\r\nHost:\r\n"),
        std::string("GET"), std::string("\r\n\r\n"), std::string(" \r\n\r\n"),
        std::string("GET  HTTP/1.1\r\n\r\n"), std::string("\0\xff\x80", 3),
        "GET / HTTP/1.1\r\nHost: " + host + "\r\nHost: " + host + "\r\n\r\n",
        std::string("GET / HTTP/1.1\r\nnonsense\r\n\r\n"), std::string(100000, 'x')}) {
    const std::string answer = ask(request);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << request.substr(0, 60) << "\n" << answer;
  }
  ask("");
  expect_page();
}

TEST_F(Watch, IsNotHeldUpBySilentOrSlowClients) {
  start();
  std::vector<FileDescriptor> silent;
  silent.reserve(60);
  for (int i = 0; i < 40; ++i) silent.push_back(connect_to(port));
  for (int i = 0; i < 20; ++i) {
    silent.push_back(connect_to(port));
    say(silent.back(), "GET / HT");
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  expect_page();
  // One that goes on and on is dropped once its time is over, however busy it is.
  const FileDescriptor dripping = connect_to(port);
  char byte = 0;
  while (seconds() < 60 && ::recv(dripping.get(), &byte, 1, MSG_DONTWAIT) != 0) {
    say(dripping, "x");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (::recv(dripping.get(), &byte, 1, MSG_DONTWAIT) < 0 && errno == ECONNRESET) break;
  }
  EXPECT_LT(seconds(), 60);
  expect_page();
  // More than it keeps: those who have waited longest go.
  for (int i = 0; i < 200; ++i) silent.push_back(connect_to(port));
  expect_page();
}

TEST_F(Watch, IsNotHeldUpByAPipeInPlaceOfTheLock) {
  fs::remove_all(scratch.path() / "run" / "posterior");  // of a finished run nobody asks the lock
  fs::remove(scratch.path() / "run" / "lock");
  ASSERT_EQ(::mkfifo((scratch.path() / "run" / "lock").c_str(), 0600), 0);
  start();
  expect_page();
}

TEST_F(Watch, AnswersOnlyThoseWhoKnowTheToken) {
  start();
  EXPECT_TRUE(std::regex_match(token, std::regex("[0-9a-f]{32}"))) << token;
  for (const std::string& path :
       {std::string("/"), std::string("/state.json"), "/" + std::string(32, '0') + "/",
        "/" + token.substr(1) + "/", "/" + token + "0/", std::string("/?token=")}) {
    EXPECT_TRUE(ask(head(path)).starts_with("HTTP/1.1 403 ")) << path;
  }
  EXPECT_TRUE(ask(head("/" + token + "/state.json")).starts_with("HTTP/1.1 200 "));
  const std::string moved = ask(head("/" + token));
  EXPECT_TRUE(moved.starts_with("HTTP/1.1 308 ") &&
              contains(moved, "Location: /" + token + "/\r\n"));
  EXPECT_TRUE(ask(head("/" + token + "/", "evil.example:80")).starts_with("HTTP/1.1 403 "));
  const std::string first = token;
  program->send(SIGTERM);
  EXPECT_EQ(program->wait().code, 0);
  fs::remove(scratch.path() / "out");
  start();
  EXPECT_NE(token, first) << "a new one every time";
}

TEST_F(Watch, CanDoWithoutAToken) {
  start({"--no-token"});
  EXPECT_EQ(token, "");
  expect_page();
}

TEST_F(Watch, TellsTheBrowserToTrustNothingButThePage) {
  start();
  const std::string page = ask(head(page_path()));
  for (const char* line :
       {"\r\nCache-Control: no-store\r\n", "\r\nX-Content-Type-Options: nosniff\r\n",
        "\r\nReferrer-Policy: no-referrer\r\n", "frame-ancestors 'none'", "default-src 'none'"}) {
    EXPECT_TRUE(contains(page, line)) << line;
  }
  std::smatch nonce;
  ASSERT_TRUE(std::regex_search(page, nonce, std::regex("script-src 'nonce-(\\w+)'")));
  EXPECT_TRUE(contains(page, "<script nonce=\"" + nonce[1].str() + "\">"));
  EXPECT_FALSE(contains(ask(head(page_path())), nonce[1].str())) << "used once";
  EXPECT_TRUE(contains(ask(head("/")), "script-src 'none'"));
}

}  // namespace
}  // namespace hone
