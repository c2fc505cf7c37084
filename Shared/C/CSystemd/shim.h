#ifndef FURROW_SYSTEMD_SHIM_H
#define FURROW_SYSTEMD_SHIM_H

#include <systemd/sd-bus.h>

#endif
