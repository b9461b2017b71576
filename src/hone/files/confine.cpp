#include "hone/files/confine.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone {
namespace {

void limit(decltype(RLIMIT_AS) what, Index most) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return;
  const rlim_t wanted = std::min(now.rlim_max, static_cast<rlim_t>(most));
  const rlimit next{wanted, wanted};
  ::setrlimit(what, &next);
}

// Bytes of address space in use; 0 if that cannot be told.
Index address_space() {
  Index pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * ::sysconf(_SC_PAGESIZE);
}

void set_limits(Index file_length) {
  // The most that compressed numbers can become, a few thousand times their size, twice; and what
  // the libraries need. Never more than the machine has.
  const Index machine = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE);
  const Index wanted = (Index{1} << 30) + 32000 * std::min<Index>(file_length, Index{1} << 40);
  if (const Index used = address_space(); used > 0) {
    limit(RLIMIT_AS, used + std::min(wanted, machine));
  }
  // An honest file moves 1 MB a second.
  limit(RLIMIT_CPU, 60 + std::min<Index>(file_length >> 20, 1000000));
  limit(RLIMIT_NOFILE, 16);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
}

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;
#endif

// What reading needs. Everything else fails with EPERM.
constexpr int kAllowed[] = {
    SYS_read,          SYS_pread64,        SYS_readv,
    SYS_write,         SYS_writev,         SYS_close,
    SYS_lseek,         SYS_fstat,          SYS_newfstatat,
    SYS_statx,         SYS_faccessat,      SYS_readlinkat,
    SYS_getdents64,    SYS_getcwd,         SYS_mmap,
    SYS_munmap,        SYS_mremap,         SYS_mprotect,
    SYS_brk,           SYS_madvise,        SYS_futex,
    SYS_flock,         SYS_fcntl,          SYS_getrandom,
    SYS_clock_gettime, SYS_gettimeofday,   SYS_getpid,
    SYS_gettid,        SYS_getuid,         SYS_geteuid,
    SYS_rt_sigaction,  SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_sigaltstack,   SYS_sched_yield,    SYS_sched_getaffinity,
    SYS_sysinfo,       SYS_uname,          SYS_restart_syscall,
    SYS_exit,          SYS_exit_group,
#if defined(__x86_64__)
    SYS_stat,          SYS_lstat,          SYS_access,
    SYS_readlink,
#endif
};

constexpr unsigned kReturnAllow = SECCOMP_RET_ALLOW, kReturnKill = SECCOMP_RET_KILL_PROCESS;
constexpr unsigned kReturnRefuse = SECCOMP_RET_ERRNO | EPERM;

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
}
sock_filter answer(unsigned value) {
  return BPF_STMT(BPF_RET | BPF_K, value);
}
// Goes on with the next instruction if it is equal, else skips so many.
sock_filter unless_equal_skip(unsigned value, unsigned char skipped) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped);
}

void filter_calls() {
  if (kArchitecture == 0) return;
  constexpr std::size_t kFlags = offsetof(seccomp_data, args) + 2 * sizeof(__u64);  // of openat()
  std::array<sock_filter, 9 + 2 * std::size(kAllowed)> filter{};
  auto next = filter.begin();
  *next++ = load(offsetof(seccomp_data, arch));
  *next++ = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  *next++ = answer(kReturnKill);
  *next++ = load(offsetof(seccomp_data, nr));
  for (const int call : kAllowed) {
    *next++ = unless_equal_skip(static_cast<unsigned>(call), 1);
    *next++ = answer(kReturnAllow);
  }
  *next++ = unless_equal_skip(SYS_openat, 3);
  *next++ = load(kFlags);
  *next++ = BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1, 0);
  *next++ = answer(kReturnAllow);
  *next++ = answer(kReturnRefuse);
  const sock_fprog program{static_cast<unsigned short>(next - filter.begin()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  }
}

}  // namespace

int confine_this_process(int kept, Index file_length) {
  constexpr int kPlace = 3;
  const int moved = kept == kPlace || ::dup2(kept, kPlace) == kPlace ? kPlace : kept;
  if (moved == kPlace) ::syscall(SYS_close_range, kPlace + 1, ~0U, 0);
  set_limits(file_length);
  filter_calls();
  return moved;
}

}  // namespace hone
