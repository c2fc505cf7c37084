#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Between fork and exec only async-signal-safe calls are made: other threads may have held any lock at the fork. Users
// are changed by the bare system calls, because glibc's own want to tell all threads and take a lock for that.

struct failure {
    int step;
    int reason;
};

static void fail(int report, int step) {
    const struct failure failure = {step, errno};
    const ssize_t ignored = write(report, &failure, sizeof(failure));
    (void)ignored;
    _exit(127);
}

static void default_signals(void) {
    struct sigaction plain;
    memset(&plain, 0, sizeof(plain));
    plain.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; signal++) { sigaction(signal, &plain, NULL); }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Moves a descriptor above the standard ones, so that placing one stream cannot overwrite another.
static int lifted(int descriptor) {
    return descriptor >= 0 && descriptor <= STDERR_FILENO ? fcntl(descriptor, F_DUPFD_CLOEXEC, 3) : descriptor;
}

static int place_streams(const csystem_spawn_request *request) {
    const int nowhere = lifted(open("/dev/null", O_RDWR | O_CLOEXEC));
    const int output = request->output < 0 ? nowhere : lifted(request->output);
    const int error = request->error < 0 ? nowhere : lifted(request->error);
    if (nowhere < 0 || output < 0 || error < 0) { return -1; }
    if (dup2(nowhere, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(error, STDERR_FILENO) < 0) {
        return -1;
    }
    // Whatever else is open, also by libraries, ends at the exec; kernels without the call keep close-on-exec alone.
    syscall(SYS_close_range, 3u, UINT_MAX, 1u << 2);
    return 0;
}

static int change_user(const csystem_spawn_request *request) {
    if (request->keeps_read_search && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) { return -1; }
    if (syscall(SYS_setgroups, request->group_count, request->groups) != 0) { return -1; }
    if (syscall(SYS_setresgid, request->group, request->group, request->group) != 0) { return -1; }
    return (int)syscall(SYS_setresuid, request->user, request->user, request->user);
}

static int keep_read_search(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    memset(sets, 0, sizeof(sets));
    sets[0].effective = sets[0].permitted = sets[0].inheritable = 1u << CAP_DAC_READ_SEARCH;
    if (syscall(SYS_capset, &header, sets) != 0) { return -1; }
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH, 0, 0);
}

static void become(const csystem_spawn_request *request, int report, pid_t parent) {
    default_signals();
    if (setsid() < 0) { fail(report, CSYSTEM_STEP_SESSION); }
    if (place_streams(request) != 0) { fail(report, CSYSTEM_STEP_STREAMS); }
    if (request->changes_user) {
        if (change_user(request) != 0) { fail(report, CSYSTEM_STEP_USER); }
        if (request->keeps_read_search && keep_read_search() != 0) { fail(report, CSYSTEM_STEP_CAPABILITY); }
    }
    // The kernel forgets this wish when the user changes, so it comes after.
    if (request->death_signal != 0) {
        if (prctl(PR_SET_PDEATHSIG, request->death_signal, 0, 0, 0) != 0) { fail(report, CSYSTEM_STEP_PARENT); }
        errno = ESRCH;
        if (getppid() != parent) { fail(report, CSYSTEM_STEP_PARENT); }
    }
    if (request->working_directory != NULL && chdir(request->working_directory) != 0) {
        fail(report, CSYSTEM_STEP_DIRECTORY);
    }
    execve(request->executable, request->arguments, request->environment);
    fail(report, CSYSTEM_STEP_EXECUTE);
}

static pid_t outcome(pid_t child, int report, int *step) {
    struct failure failure = {0, 0};
    ssize_t length;
    do { length = read(report, &failure, sizeof(failure)); } while (length < 0 && errno == EINTR);
    // The pipe closes without a word when the executable runs.
    if (length != (ssize_t)sizeof(failure)) { return child; }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    *step = failure.step;
    return failure.reason > 0 ? -failure.reason : -EINVAL;
}

pid_t csystem_spawn(const csystem_spawn_request *request, int *step) {
    int report[2];
    *step = CSYSTEM_STEP_PREPARE;
    if (pipe2(report, O_CLOEXEC) != 0) { return -errno; }
    // The report must not lie where the standard streams go.
    const int writer = lifted(report[1]);
    if (writer < 0) {
        const int reason = errno;
        close(report[0]);
        close(report[1]);
        return -reason;
    }
    if (writer != report[1]) { close(report[1]); }
    // A handler of ours that ran in the child would write into the parent's pipe.
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    *step = CSYSTEM_STEP_FORK;
    const pid_t parent = getpid();
    const pid_t child = fork();
    const int reason = errno;
    if (child == 0) { become(request, writer, parent); }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    close(writer);
    const pid_t result = child < 0 ? -reason : outcome(child, report[0], step);
    close(report[0]);
    return result;
}
