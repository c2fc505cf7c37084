#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { watched_max = 16 };

// The pipe is made once and never closed: a handler that still runs when the watch ends must write nowhere else.
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int ends[2] = {-1, -1};
static int watched[watched_max];
static struct sigaction before[watched_max];
static struct sigaction pipe_before;
static size_t watched_count = 0;
static atomic_uint_fast64_t pending = 0;

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a handler may only use atomics without a lock");

static void tell(int signal) {
    const int kept = errno;
    atomic_fetch_or(&pending, (uint_fast64_t)1 << (signal - 1));
    // A full pipe has woken its reader already; nothing is lost by not writing.
    const ssize_t ignored = write(ends[1], "", 1);
    (void)ignored;
    errno = kept;
}

uint64_t csystem_take_signals(void) {
    unsigned char rings[64];
    while (read(ends[0], rings, sizeof(rings)) > 0) {}
    return atomic_exchange(&pending, 0);
}

int csystem_watch_signals(const int *signals, size_t count) {
    if (count == 0 || count > watched_max) { return -EINVAL; }
    pthread_mutex_lock(&guard);
    int result = watched_count > 0 ? -EBUSY : 0;
    if (result == 0 && ends[0] < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) { result = -errno; }
    if (result == 0) {
        csystem_take_signals();
        struct sigaction ignore = {.sa_handler = SIG_IGN};
        sigaction(SIGPIPE, &ignore, &pipe_before);
        struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
        sigfillset(&action.sa_mask);
        for (size_t index = 0; index < count && result == 0; index++) {
            if (sigaction(signals[index], &action, &before[index]) != 0) {
                result = -errno;
                break;
            }
            watched[index] = signals[index];
            watched_count = index + 1;
        }
        if (result == 0) { result = ends[0]; }
    }
    pthread_mutex_unlock(&guard);
    if (result < 0 && result != -EBUSY) { csystem_unwatch_signals(); }
    return result;
}

void csystem_unwatch_signals(void) {
    pthread_mutex_lock(&guard);
    if (watched_count > 0) { sigaction(SIGPIPE, &pipe_before, NULL); }
    for (size_t index = 0; index < watched_count; index++) { sigaction(watched[index], &before[index], NULL); }
    watched_count = 0;
    pthread_mutex_unlock(&guard);
}

_Static_assert(sizeof(sigset_t) <= CSYSTEM_SIGNAL_MASK_BYTES, "the kept mask has room");

void csystem_block_signals(void *kept) {
    sigset_t all, former;
    sigfillset(&all);
    // These tell of the thread's own mistakes; blocked, they would end the process without a word.
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    sigdelset(&all, SIGTRAP);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    memcpy(kept, &former, sizeof(former));
}

void csystem_restore_signals(const void *kept) {
    sigset_t former;
    memcpy(&former, kept, sizeof(former));
    pthread_sigmask(SIG_SETMASK, &former, NULL);
}
