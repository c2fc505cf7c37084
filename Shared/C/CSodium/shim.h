#ifndef FURROW_SODIUM_SHIM_H
#define FURROW_SODIUM_SHIM_H

#include <sodium.h>

#endif
