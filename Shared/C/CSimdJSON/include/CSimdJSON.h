// simdjson's DOM parser for Swift: one call parses, then Swift walks the tape without calling back into C++.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a parse left behind. `owner` is null when `error` is not 0.
///
/// `tape` and `strings` live as long as `owner`. The tape's format is simdjson's doc/tape.md; a string on the tape is
/// an offset into `strings`, where a little-endian uint32 length comes before the UTF-8 bytes.
typedef struct {
    void *_Nullable owner;
    const uint64_t *_Nullable tape;
    const uint8_t *_Nullable strings;
    int32_t error;
} csimdjson_document;

/// The kinds of failure that a caller can tell apart.
enum {
    CSIMDJSON_OK = 0,
    CSIMDJSON_MALFORMED = 1,
    CSIMDJSON_EMPTY = 2,
    CSIMDJSON_NO_MEMORY = 3,
    CSIMDJSON_TOO_DEEP = 4,
    CSIMDJSON_BAD_STRING = 5,
    CSIMDJSON_BAD_NUMBER = 6,
    CSIMDJSON_BAD_UTF8 = 7,
};

/// Parses `length` bytes; containers nested deeper than `depth` are refused. The bytes need no padding: they are
/// copied.
csimdjson_document csimdjson_parse(const uint8_t *_Nullable bytes, size_t length, size_t depth);

/// Frees what a successful parse left behind.
void csimdjson_free(void *_Nullable owner);

#ifdef __cplusplus
}
#endif

#endif
