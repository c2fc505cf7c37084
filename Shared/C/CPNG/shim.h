#ifndef FURROW_PNG_SHIM_H
#define FURROW_PNG_SHIM_H

#include <png.h>

#endif
