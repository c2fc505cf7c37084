#ifndef FURROW_TURBOJPEG_SHIM_H
#define FURROW_TURBOJPEG_SHIM_H

#include <turbojpeg.h>

#endif
