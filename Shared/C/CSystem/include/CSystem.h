// What Linux offers and Swift's Glibc module does not show, or shows only as macros and variadic functions.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Every function returns 0 or a positive result on success and -errno on failure.

/// A counter that wakes whoever polls it; close-on-exec and non-blocking.
int csystem_eventfd(void);

/// A set of watched descriptors; close-on-exec.
int csystem_epoll(void);

/// Watches a descriptor for something to read.
int csystem_epoll_add(int set, int descriptor, uint64_t number);

/// Fills `numbers` with those of at most `limit` descriptors that are ready; gives how many.
int csystem_epoll_wait(int set, uint64_t *_Nonnull numbers, int limit, int milliseconds);

/// A descriptor that becomes readable when the process ends; close-on-exec.
int csystem_pidfd(pid_t pid);

/// The magic number of the file system that holds `path`.
int csystem_filesystem_magic(const char *_Nonnull path, uint64_t *_Nonnull magic);

/// Takes an exclusive lock on an open file, or fails with -EWOULDBLOCK at once.
int csystem_lock(int descriptor);

/// Names the calling thread; `name` has at most 15 bytes.
int csystem_name_thread(const char *_Nonnull name);

/// The process's environment, `NAME=value` lines ending with a null pointer.
char *_Nullable *_Nullable csystem_environment(void);

/// Opens a terminal without making it the controlling one: raw, 8N1, at `baud`; close-on-exec and non-blocking.
int csystem_open_serial(const char *_Nonnull path, unsigned baud, bool hardware_flow_control);

/// Opens where bytes come from, to be read without waiting: connects to a Unix socket, opens a terminal as a serial
/// line at 115,200 baud, else opens a pipe or a file. `is_file` says whether it is a file, whose end is no end.
int csystem_open_stream(const char *_Nonnull path, bool *_Nonnull is_file);

/// Opens a pair of raw pseudo-terminals, both close-on-exec, the master non-blocking; the slave's path goes to `path`.
int csystem_open_pty(int *_Nonnull master, int *_Nonnull slave, char *_Nonnull path, size_t path_size);

/// Lets these signals ring a pipe and do nothing else; its reading end comes back.
///
/// One watcher a process: -EBUSY while there is one. SIGPIPE is ignored as long.
int csystem_watch_signals(const int *_Nonnull signals, size_t count);

/// The signals that came since the last call, signal n as bit n - 1; quiets the pipe.
uint64_t csystem_take_signals(void);

/// Gives the signals back to who had them before.
void csystem_unwatch_signals(void);

/// Blocks every signal that another thread may take, and keeps the calling thread's mask in `kept`.
///
/// `kept` has room for CSYSTEM_SIGNAL_MASK_BYTES.
enum { CSYSTEM_SIGNAL_MASK_BYTES = 128 };
void csystem_block_signals(void *_Nonnull kept);
void csystem_restore_signals(const void *_Nonnull kept);

/// What a new process is and may do. Strings and arrays only need to live during the call.
typedef struct {
    const char *_Nullable executable;
    char *_Nullable const *_Nullable arguments;
    char *_Nullable const *_Nullable environment;
    const char *_Nullable working_directory;
    /// Where standard output and error go; -1 leaves /dev/null.
    int output;
    int error;
    /// Whether user, group and groups below are taken on; only root can.
    bool changes_user;
    uid_t user;
    gid_t group;
    const gid_t *_Nullable groups;
    size_t group_count;
    /// Whether CAP_DAC_READ_SEARCH survives the change of user, as an ambient capability.
    bool keeps_read_search;
    /// What the process gets when the thread that started it ends; 0 for nothing.
    int death_signal;
} csystem_spawn_request;

/// The step at which a spawn failed.
enum {
    CSYSTEM_STEP_PREPARE = 1,
    CSYSTEM_STEP_FORK,
    CSYSTEM_STEP_SESSION,
    CSYSTEM_STEP_STREAMS,
    CSYSTEM_STEP_USER,
    CSYSTEM_STEP_CAPABILITY,
    CSYSTEM_STEP_PARENT,
    CSYSTEM_STEP_DIRECTORY,
    CSYSTEM_STEP_EXECUTE,
};

/// Starts a process in a session of its own and returns its pid once it runs the executable.
///
/// On failure `step` says where.
pid_t csystem_spawn(const csystem_spawn_request *_Nonnull request, int *_Nonnull step);

/// All groups of a user, at most `count`; returns how many.
int csystem_groups(const char *_Nonnull user, gid_t group, gid_t *_Nonnull groups, int count);

/// One number that several processes see: mapped from a file of eight bytes; 0 with errno on failure.
void *_Nullable csystem_number_map(const char *_Nonnull path, int64_t first, int create);
int64_t csystem_number_load(const void *_Nonnull map);
void csystem_number_store(void *_Nonnull map, int64_t value);
void csystem_number_unmap(void *_Nonnull map);

/// Sends a datagram to a Unix socket; a path that begins with @ is an abstract name.
int csystem_send_datagram(const char *_Nonnull path, const char *_Nonnull text);

/// Gives memory that was freed back to the kernel.
void csystem_release_memory(void);

/// How many heaps threads share: each keeps freed memory of its own.
void csystem_limit_heaps(int count);

#endif
