// Where bytes come from, whatever it is.
#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) { return -ENAMETOOLONG; }
    strcpy(address.sun_path, path);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) { return -errno; }
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        const int reason = errno;
        close(descriptor);
        return -reason;
    }
    return descriptor;
}

int csystem_open_stream(const char *path, bool *is_file) {
    struct stat about;
    *is_file = false;
    if (stat(path, &about) != 0) { return -errno; }
    if (S_ISSOCK(about.st_mode)) { return connect_to(path); }
    if (S_ISDIR(about.st_mode)) { return -EISDIR; }
    const int descriptor = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) { return -errno; }
    if (S_ISCHR(about.st_mode) && isatty(descriptor)) {
        close(descriptor);
        return csystem_open_serial(path, 115200, false);
    }
    *is_file = S_ISREG(about.st_mode);
    return descriptor;
}
