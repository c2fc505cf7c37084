#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

// Atomics on mapped memory cannot be spelt in Swift.

void *csystem_number_map(const char *path, int64_t first, int create) {
    int file = open(path, create ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0644);
    if (file < 0) return 0;
    if (create && lseek(file, 0, SEEK_END) < 8 && pwrite(file, &first, 8, 0) != 8) {
        close(file);
        return 0;
    }
    if (!create && lseek(file, 0, SEEK_END) < 8) {
        close(file);
        errno = ENODATA;
        return 0;
    }
    void *map = mmap(0, 8, create ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
    int saved = errno;
    close(file);
    errno = saved;
    return map == MAP_FAILED ? 0 : map;
}

int64_t csystem_number_load(const void *map) {
    return atomic_load_explicit((const _Atomic int64_t *)map, memory_order_acquire);
}

void csystem_number_store(void *map, int64_t value) {
    atomic_store_explicit((_Atomic int64_t *)map, value, memory_order_release);
}

void csystem_number_unmap(void *map) { munmap(map, 8); }
