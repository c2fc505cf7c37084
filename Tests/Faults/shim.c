/* A library between a program and its libc that injects faults:
 *
 *   FURROW_SHIM_LAX=PART          syncs of files whose path contains PART do nothing and report success;
 *   FURROW_SHIM_FAIL=CALL:PART:N[:lie]
 *                                 the Nth CALL (write or sync) on such a file fails with EIO; with `lie` this sync and
 *                                 all later ones report success instead, as for a program that ignores the error;
 *   FURROW_SHIM_CRASH=CALL:PART:N:before|after
 *                                 the process is killed right before or after the Nth CALL (write, sync, send or
 *                                 rename) on such a file; a PART that ends with $ matches the end of a path, and
 *                                 `socket:` a socket;
 *   FURROW_SHIM_MARK=FILE         gets a byte once that has happened;
 *   FURROW_SHIM_HANG=loop|sync:FILE
 *                                 while the file exists, the main thread hangs: where it next waits for input, or at
 *                                 its next sync;
 *   FURROW_SHIM_CLOCK=FILE        two signed 64-bit numbers: microseconds added to the wall clock, and to the
 *                                 monotonic clock and the one that counts from boot.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *lax, *mark, *part;
static char failing[256];
static long failing_at;
static int fails_writes, fails_syncs, lies;
static atomic_long count;
static volatile int64_t *clock_shift;
static const char *crash_call, *crash_part;
static long crash_at;
static int crashes_after;
static char crashing[256];
static atomic_long crash_count;
static const char *hang_file;
static int hangs_syncs;

/* Returns a copy of a variable, because some programs overwrite their environment. */
static const char *told(const char *name) {
    const char *value = getenv(name);
    return value ? strdup(value) : NULL;
}

__attribute__((constructor)) static void begin(void) {
    lax = told("FURROW_SHIM_LAX");
    mark = told("FURROW_SHIM_MARK");
    const char *fail = getenv("FURROW_SHIM_FAIL");
    if (fail && strlen(fail) < sizeof failing) {
        strcpy(failing, fail);
        fails_writes = !strcmp(strtok(failing, ":"), "write");
        fails_syncs = !fails_writes;
        part = strtok(NULL, ":");
        failing_at = atol(strtok(NULL, ":"));
        lies = strtok(NULL, ":") != NULL;
    }
    const char *crash = getenv("FURROW_SHIM_CRASH");
    if (crash && strlen(crash) < sizeof crashing) {
        strcpy(crashing, crash);
        crash_call = strtok(crashing, ":");
        crash_part = strtok(NULL, ":");
        crash_at = atol(strtok(NULL, ":"));
        crashes_after = !strcmp(strtok(NULL, ":"), "after");
    }
    const char *hang = told("FURROW_SHIM_HANG");
    if (hang && strlen(hang) > 5 && hang[4] == ':') {
        hang_file = hang + 5;
        hangs_syncs = !strncmp(hang, "sync", 4);
    }
    const char *shift = getenv("FURROW_SHIM_CLOCK");
    int file = shift ? open(shift, O_RDONLY | O_CLOEXEC) : -1;
    void *shared = file < 0 ? MAP_FAILED : mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) clock_shift = shared;
}

static int has(const char *path, size_t length, const char *name) {
    size_t wanted = strlen(name);
    if (wanted && name[wanted - 1] == '$')
        return --wanted <= length && !memcmp(path + length - wanted, name, wanted);
    return memmem(path, length, name, wanted) != NULL;
}

static int is_named(int file, const char *name) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    return length > 0 && has(path, length, name);
}

static void tell(void) {
    int file = mark ? open(mark, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file < 0) return;
    if (REAL(write)(file, "x", 1) != 1) abort();
    close(file);
}

static void crash(void) {
    tell();
    kill(getpid(), SIGKILL);
    pause();
}

static void hang_here(int is_sync) {
    if (!hang_file || is_sync != hangs_syncs || syscall(SYS_gettid) != getpid()) return;
    while (!access(hang_file, F_OK)) usleep(20000);
}

/* Returns whether the process is killed after this call; kills it at once if it is to die before the call. */
static int is_last(const char *call, int file, const char *path) {
    if (!crash_call || strcmp(call, crash_call)) return 0;
    if (path ? !has(path, strlen(path), crash_part) : !is_named(file, crash_part)) return 0;
    if (atomic_fetch_add(&crash_count, 1) + 1 != crash_at) return 0;
    if (!crashes_after) crash();
    return 1;
}

/* Returns 0 to make the call, 1 to fail, 2 to report success without it. */
static int verdict(int file, int is_sync) {
    if (is_sync && lax && is_named(file, lax)) return 2;
    if (!part || !(is_sync ? fails_syncs : fails_writes) || !is_named(file, part)) return 0;
    long now = atomic_fetch_add(&count, 1) + 1;
    if (now < failing_at || (now > failing_at && !lies)) return 0;
    if (now == failing_at) tell();
    if (lies) return 2;
    errno = EIO;
    return 1;
}

/* Makes the call unless a fault prevents it, and kills the process afterwards if that is the fault. */
#define CALL(call, file, path, does, made)                                                                             \
    int last = is_last(call, file, path);                                                                              \
    __typeof__(made) result = (does) ? (made) : -1;                                                                    \
    if (last) crash();                                                                                                 \
    return result

#define SYNC(name)                                                                                                     \
    int name(int file) {                                                                                               \
        hang_here(1);                                                                                                  \
        int told = verdict(file, 1);                                                                                   \
        if (told) return told == 1 ? -1 : 0;                                                                           \
        CALL("sync", file, NULL, 1, REAL(name)(file));                                                                 \
    }
SYNC(fsync)
SYNC(fdatasync)

ssize_t write(int file, const void *bytes, size_t size) {
    CALL("write", file, NULL, !verdict(file, 0), REAL(write)(file, bytes, size));
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
    CALL("write", file, NULL, !verdict(file, 0), REAL(pwrite)(file, bytes, size, at));
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    CALL("write", file, NULL, !verdict(file, 0), REAL(pwrite64)(file, bytes, size, at));
}
ssize_t send(int file, const void *bytes, size_t size, int flags) {
    CALL("send", file, NULL, 1, REAL(send)(file, bytes, size, flags));
}
int rename(const char *from, const char *to) {
    CALL("rename", -1, to, 1, REAL(rename)(from, to));
}

int poll(struct pollfd *files, nfds_t number, int milliseconds) {
    hang_here(0);
    return REAL(poll)(files, number, milliseconds);
}

int clock_gettime(clockid_t id, struct timespec *time) {
    int result = REAL(clock_gettime)(id, time);
    int is_wall = id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE;
    int which = is_wall ? 0 : id == CLOCK_MONOTONIC || id == CLOCK_BOOTTIME ? 1 : -1;
    if (result != 0 || !clock_shift || which < 0 || clock_shift[which] == 0) return result;
    int64_t now = (int64_t)time->tv_sec * 1000000 + time->tv_nsec / 1000 + clock_shift[which];
    time->tv_sec = now / 1000000;
    time->tv_nsec = now % 1000000 * 1000 + time->tv_nsec % 1000;
    return 0;
}
