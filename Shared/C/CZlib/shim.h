#ifndef FURROW_ZLIB_SHIM_H
#define FURROW_ZLIB_SHIM_H

#include <zlib.h>

/* `deflateInit2` is a macro, which Swift does not import. Window bits of 31 make a gzip member. */
static inline int czlib_start_gzip(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY);
}

#endif
