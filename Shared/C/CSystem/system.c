#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <grp.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

int csystem_eventfd(void) {
    const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

int csystem_epoll(void) {
    const int set = epoll_create1(EPOLL_CLOEXEC);
    return set < 0 ? -errno : set;
}

int csystem_epoll_add(int set, int descriptor, uint64_t number) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = number}};
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) < 0 ? -errno : 0;
}

int csystem_epoll_wait(int set, uint64_t *numbers, int limit, int milliseconds) {
    struct epoll_event events[limit];
    const int count = epoll_wait(set, events, limit, milliseconds);
    for (int i = 0; i < count; i++) { numbers[i] = events[i].data.u64; }
    return count < 0 ? -errno : count;
}

int csystem_pidfd(pid_t pid) {
    const long descriptor = syscall(SYS_pidfd_open, pid, 0);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int csystem_filesystem_magic(const char *path, uint64_t *magic) {
    struct statfs about;
    if (statfs(path, &about) != 0) { return -errno; }
    // f_type is a signed word; magic numbers with the upper bit set must not be extended.
    *magic = (uint32_t)about.f_type;
    return 0;
}

int csystem_lock(int descriptor) {
    while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EINTR) { return -errno; }
    }
    return 0;
}

int csystem_name_thread(const char *name) {
    return -pthread_setname_np(pthread_self(), name);
}

char **csystem_environment(void) {
    return environ;
}

int csystem_groups(const char *user, gid_t group, gid_t *groups, int count) {
    int found = count;
    return getgrouplist(user, group, groups, &found) < 0 ? -ERANGE : found;
}

int csystem_send_datagram(const char *path, const char *text) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) { return -ENAMETOOLONG; }
    memcpy(address.sun_path, path, length);
    if (path[0] == '@') { address.sun_path[0] = 0; }
    const int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (sender < 0) { return -errno; }
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    const ssize_t sent = sendto(sender, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
    const int reason = errno;
    close(sender);
    return sent < 0 ? -reason : 0;
}

void csystem_release_memory(void) { malloc_trim(0); }

void csystem_limit_heaps(int count) { mallopt(M_ARENA_MAX, count); }
