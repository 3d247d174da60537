#include "fetch/pdf/sandbox.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <iconv.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/descriptors.h"

namespace quarry::fetch {
namespace {

// AddressSanitizer reserves terabytes of addresses, so its builds cannot have a limit on them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
#else
constexpr bool is_sanitized = false;
#endif

constexpr unsigned nobody = 65'534;

// Poppler's tables for text in Chinese, Japanese and Korean, and what fontconfig looks at on the way.
constexpr const char* readable[] = {"/usr/share/poppler",     "/etc/fonts",
                                    "/usr/share/fontconfig",  "/usr/share/fonts",
                                    "/usr/local/share/fonts", "/var/cache/fontconfig",
                                    "/usr/share/ghostscript", "/usr/share/xml/fontconfig"};

bool limit_to(int resource, rlim_t soft, rlim_t hard) {
    const rlimit limit{.rlim_cur = soft, .rlim_max = hard};
    return setrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0;
}

bool limit_to_share(const PdfShare& share) {
    return limit_to(RLIMIT_CPU, share.cpu_seconds, share.cpu_seconds + 1) &&
           (is_sanitized || limit_to(RLIMIT_AS, share.memory_bytes, share.memory_bytes)) &&
           limit_to(RLIMIT_FSIZE, 0, 0) && limit_to(RLIMIT_CORE, 0, 0) && limit_to(RLIMIT_NOFILE, 32, 32) &&
           limit_to(RLIMIT_NPROC, 0, 0);
}

// What the C library reads from files when it is first needed, among it code: later there is no way to it.
void read_what_libraries_need() {
    tzset();
    // Kept open, so that its module stays: Poppler writes its text with it.
    for (const char* from : {"UTF-16", "UTF-16LE", "UTF-16BE"}) (void)iconv_open("UTF-8", from);
    (void)iconv_open("UTF-16", "UTF-8");
}

// Which files may be read. False if the kernel cannot tell them apart.
bool may_read_tables_only() {
    constexpr std::uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    // All that its first version knows; the filter below leaves no other way.
    const landlock_ruleset_attr handled{.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
    const Descriptor rules(
        static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0)));
    if (!rules.is_open()) return false;
    for (const char* folder : readable) {
        const Descriptor place(open(folder, O_PATH | O_CLOEXEC));
        if (!place.is_open()) continue;
        const landlock_path_beneath_attr rule{.allowed_access = reading, .parent_fd = place.get()};
        syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    return syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0;
}

// By the kernel's own calls: this process has one thread. Where "nobody" does not exist, in a namespace of
// one user, root is an ordinary user too, and loses its capabilities all the same.
bool become_nobody() {
    if (geteuid() == 0) {
        syscall(SYS_setgroups, 0, nullptr);
        syscall(SYS_setresgid, nobody, nobody, nobody);
        syscall(SYS_setresuid, nobody, nobody, nobody);
    }
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const __user_cap_data_struct none[2] = {};
    return syscall(SYS_capset, &header, none) == 0;
}

// A program of the kernel's filter for system calls. What is not let through looks to libraries like a call
// that the kernel does not have, so that they fall back on another one or give up.
class CallFilter {
public:
    CallFilter() {
        add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
#if defined(__x86_64__)
        jump_if_equal(AUDIT_ARCH_X86_64, 1, 0);
#elif defined(__aarch64__)
        jump_if_equal(AUDIT_ARCH_AARCH64, 1, 0);
#else
#error "name the architecture, as <linux/audit.h> does"
#endif
        add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
        add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    }

    void allow(long call) {
        jump_if_equal(static_cast<std::uint32_t>(call), 0, 1);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    // If none of these bits is set in an argument; else it fails with EACCES.
    void allow_without(long call, unsigned argument, std::uint32_t bits) {
        jump_if_equal(static_cast<std::uint32_t>(call), 0, 4);
        add(BPF_LD | BPF_W | BPF_ABS, place_of(argument));
        program_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
        add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    // If an argument has this value; else it fails with EPERM.
    void allow_with(long call, unsigned argument, std::uint32_t value) {
        jump_if_equal(static_cast<std::uint32_t>(call), 0, 4);
        add(BPF_LD | BPF_W | BPF_ABS, place_of(argument));
        jump_if_equal(value, 0, 1);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }

    bool install() {
        add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
        const sock_fprog whole{.len = static_cast<unsigned short>(program_.size()),
                               .filter = program_.data()};
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole, 0, 0) == 0;
    }

private:
    // The lower half: numbers are written with their lower bytes first on both architectures.
    static std::uint32_t place_of(unsigned argument) {
        return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
    }
    void add(unsigned code, std::uint32_t value) {
        program_.push_back(BPF_STMT(static_cast<unsigned short>(code), value));
    }
    void jump_if_equal(std::uint32_t value, unsigned char if_so, unsigned char if_not) {
        program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, if_so, if_not));
    }

    std::vector<sock_filter> program_;
};

bool filter_calls(bool may_open) {
    CallFilter filter;
    for (const long call : {SYS_read,           SYS_write,
                            SYS_readv,          SYS_writev,
                            SYS_pread64,        SYS_lseek,
                            SYS_close,          SYS_fstat,
                            SYS_fstatfs,        SYS_munmap,
                            SYS_mremap,         SYS_brk,
                            SYS_madvise,        SYS_fadvise64,
                            SYS_futex,          SYS_exit,
                            SYS_exit_group,     SYS_rt_sigaction,
                            SYS_rt_sigprocmask, SYS_rt_sigreturn,
                            SYS_sigaltstack,    SYS_getpid,
                            SYS_gettid,         SYS_getuid,
                            SYS_geteuid,        SYS_getgid,
                            SYS_getegid,        SYS_clock_gettime,
                            SYS_clock_getres,   SYS_gettimeofday,
                            SYS_nanosleep,      SYS_clock_nanosleep,
                            SYS_sched_yield,    SYS_sched_getaffinity,
                            SYS_getrandom,      SYS_restart_syscall})
        filter.allow(call);
    if (may_open) {
        for (const long call : {SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_readlinkat, SYS_getdents64})
            filter.allow(call);
#if defined(__x86_64__)
        for (const long call : {SYS_stat, SYS_lstat, SYS_access, SYS_readlink}) filter.allow(call);
        filter.allow_without(SYS_open, 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_PATH);
#endif
        filter.allow_without(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_PATH);
    }
    // UndefinedBehaviorSanitizer looks through a pipe whether memory may be read.
    if (is_sanitized) filter.allow(SYS_pipe2);
    filter.allow_without(SYS_mmap, 2, PROT_EXEC);
    filter.allow_without(SYS_mprotect, 2, PROT_EXEC);
    filter.allow_with(SYS_fcntl, 1, F_GETFL);
    filter.allow_with(SYS_prlimit64, 2, 0);                                  // to ask, not to change
    filter.allow_with(SYS_tgkill, 0, static_cast<std::uint32_t>(getpid()));  // abort()
    return filter.install();
}

}  // namespace

bool confine_pdf_reader(const PdfShare& share) {
    read_what_libraries_need();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    const bool may_open = may_read_tables_only();
    if (!become_nobody()) return false;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // after the change of the user, which clears it
    return limit_to_share(share) && filter_calls(may_open);
}

}  // namespace quarry::fetch
