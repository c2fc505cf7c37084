#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static speed_t speed_of(unsigned baud) {
    switch (baud) {
    case 9600: return B9600;
    case 19200: return B19200;
    case 38400: return B38400;
    case 57600: return B57600;
    case 115200: return B115200;
    case 230400: return B230400;
    case 460800: return B460800;
    case 921600: return B921600;
    default: return B0;
    }
}

static int make_raw(int descriptor, speed_t speed, bool hardware_flow_control) {
    struct termios settings;
    if (tcgetattr(descriptor, &settings) != 0) { return -errno; }
    cfmakeraw(&settings);
    settings.c_cflag |= CREAD | CLOCAL;
    settings.c_cflag &= ~(tcflag_t)(CSTOPB | PARENB | CRTSCTS | HUPCL);
    if (hardware_flow_control) { settings.c_cflag |= CRTSCTS; }
    // With at least one byte asked for, "nothing yet" is EAGAIN and 0 always means that the line is gone.
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    if (speed != B0 && cfsetspeed(&settings, speed) != 0) { return -errno; }
    return tcsetattr(descriptor, TCSANOW, &settings) == 0 ? 0 : -errno;
}

int csystem_open_serial(const char *path, unsigned baud, bool hardware_flow_control) {
    const speed_t speed = speed_of(baud);
    if (speed == B0) { return -EINVAL; }
    const int descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) { return -errno; }
    int result = isatty(descriptor) ? 0 : -ENOTTY;
    // Two programs on one radio would each see half of its words.
    if (result == 0) { result = csystem_lock(descriptor); }
    if (result == -EWOULDBLOCK) { result = -EBUSY; }
    if (result == 0) { result = make_raw(descriptor, speed, hardware_flow_control); }
    if (result != 0) {
        close(descriptor);
        return result;
    }
    return descriptor;
}

int csystem_open_pty(int *master, int *slave, char *path, size_t path_size) {
    const int first = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (first < 0) { return -errno; }
    int second = -1;
    if (grantpt(first) != 0 || unlockpt(first) != 0 || ptsname_r(first, path, path_size) != 0) { goto failed; }
    second = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (second < 0) { goto failed; }
    const int raw = make_raw(second, B115200, false);
    if (raw != 0) { errno = -raw; goto failed; }
    if (fcntl(first, F_SETFL, O_RDWR | O_NONBLOCK) != 0) { goto failed; }
    *master = first;
    *slave = second;
    return 0;

failed:;
    const int reason = errno;
    if (second >= 0) { close(second); }
    close(first);
    return -reason;
}
