#ifndef FURROW_WEBP_SHIM_H
#define FURROW_WEBP_SHIM_H

#include <webp/decode.h>
#include <webp/encode.h>

#endif
