#ifndef FURROW_ZSTD_SHIM_H
#define FURROW_ZSTD_SHIM_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
