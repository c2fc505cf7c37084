#include "CSimdJSON.h"

#include <simdjson.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

using simdjson::dom::document;
using simdjson::dom::parser;
using simdjson::internal::tape_type;

namespace {

constexpr size_t padding = simdjson::SIMDJSON_PADDING;

// Documents up to this size go through buffers that each thread keeps; larger ones get buffers of their own, so that
// one large document does not leave a service with megabytes it never needs again.
constexpr size_t kept_capacity_max = 64 * 1024;
constexpr size_t kept_capacity_min = 4 * 1024;

// simdjson refuses the container that reaches its bound, so every bound it is given is one above ours.
struct kept_buffers {
    parser parse{};
    std::unique_ptr<uint8_t[]> padded{};
    /// A document that was given back, for the next one to be read into.
    std::unique_ptr<document> spare{};
    size_t capacity = 0;
    size_t depth = 0;

    bool reserve(size_t length, size_t depth_max) {
        if (padded && length <= capacity && depth_max == depth) { return true; }
        size_t wanted = capacity > kept_capacity_min ? capacity : kept_capacity_min;
        while (wanted < length) { wanted *= 2; }
        capacity = 0;
        padded.reset(new (std::nothrow) uint8_t[wanted + padding]());
        if (!padded || parse.allocate(wanted, depth_max + 1) != simdjson::SUCCESS) { return false; }
        capacity = wanted;
        depth = depth_max;
        return true;
    }

    std::unique_ptr<document> take() {
        return spare ? std::move(spare) : std::unique_ptr<document>{new (std::nothrow) document};
    }
};

thread_local kept_buffers kept;

int32_t kind_of(simdjson::error_code error) {
    switch (error) {
    case simdjson::SUCCESS: return CSIMDJSON_OK;
    case simdjson::EMPTY: return CSIMDJSON_EMPTY;
    case simdjson::MEMALLOC: return CSIMDJSON_NO_MEMORY;
    case simdjson::DEPTH_ERROR: return CSIMDJSON_TOO_DEEP;
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
    case simdjson::UNCLOSED_STRING: return CSIMDJSON_BAD_STRING;
    case simdjson::NUMBER_ERROR: return CSIMDJSON_BAD_NUMBER;
    case simdjson::UTF8_ERROR: return CSIMDJSON_BAD_UTF8;
    default: return CSIMDJSON_MALFORMED;
    }
}

csimdjson_document failure(int32_t error) {
    return {nullptr, nullptr, nullptr, error};
}

size_t words_on(const uint64_t *tape) {
    return static_cast<size_t>(tape[0] & simdjson::internal::JSON_VALUE_MASK);
}

// simdjson 3.0 turns an escaped low surrogate without its partner into bytes that are not UTF-8. Only documents that
// spell such an escape pay for the second look.
bool may_hold_lone_surrogate(const uint8_t *bytes, size_t length) {
    const uint8_t *end = bytes + length;
    const uint8_t *at = bytes;
    while (end - at >= 4) {
        at = static_cast<const uint8_t *>(memchr(at, '\\', static_cast<size_t>(end - at)));
        if (at == nullptr || end - at < 4) { return false; }
        if (at[1] == 'u' && (at[2] | 0x20) == 'd' && at[3] >= '8') { return true; }
        at += 2;
    }
    return false;
}

bool strings_are_utf8(const uint64_t *tape, const uint8_t *strings) {
    const size_t words = words_on(tape);
    for (size_t index = 1; index < words; index++) {
        switch (static_cast<tape_type>(tape[index] >> 56)) {
        case tape_type::STRING: {
            const uint8_t *at = strings + (tape[index] & simdjson::internal::JSON_VALUE_MASK);
            uint32_t length;
            memcpy(&length, at, sizeof(length));
            if (!simdjson::validate_utf8(reinterpret_cast<const char *>(at + sizeof(length)), length)) { return false; }
            break;
        }
        case tape_type::INT64:
        case tape_type::UINT64:
        case tape_type::DOUBLE: index++; break;
        default: break;
        }
    }
    return true;
}

// Whether there are more opening brackets than `bound`; counted in short runs so that the compiler can use bytes.
bool opens_more_than(size_t bound, const uint8_t *bytes, size_t length) {
    constexpr size_t run = 128;
    size_t opened = 0;
    while (length >= run) {
        uint8_t found = 0;
        for (size_t index = 0; index < run; index++) { found += (bytes[index] | 0x20) == '{'; }
        opened += found;
        if (opened > bound) { return true; }
        bytes += run;
        length -= run;
    }
    for (size_t index = 0; index < length; index++) { opened += (bytes[index] | 0x20) == '{'; }
    return opened > bound;
}

// simdjson does not count an empty container as a level, so the innermost may lie one too deep. Only documents with
// enough words (two a container) and enough brackets to reach the bound pay for a look.
bool is_too_deep(const uint8_t *bytes, size_t length, const uint64_t *tape, size_t depth_max) {
    const size_t words = words_on(tape);
    if (words <= 2 * depth_max || !opens_more_than(depth_max, bytes, length)) { return false; }
    size_t depth = 0;
    for (size_t index = 1; index < words; index++) {
        switch (static_cast<tape_type>(tape[index] >> 56)) {
        case tape_type::START_ARRAY:
        case tape_type::START_OBJECT:
            if (++depth > depth_max) { return true; }
            break;
        case tape_type::END_ARRAY:
        case tape_type::END_OBJECT: depth--; break;
        case tape_type::INT64:
        case tape_type::UINT64:
        case tape_type::DOUBLE: index++; break;
        default: break;
        }
    }
    return false;
}

// What simdjson lets pass and we do not.
int32_t second_look(const uint8_t *bytes, size_t length, const document &parsed, size_t depth_max) {
    if (is_too_deep(bytes, length, parsed.tape.get(), depth_max)) { return CSIMDJSON_TOO_DEEP; }
    if (!may_hold_lone_surrogate(bytes, length)) { return CSIMDJSON_OK; }
    return strings_are_utf8(parsed.tape.get(), parsed.string_buf.get()) ? CSIMDJSON_OK : CSIMDJSON_BAD_STRING;
}

csimdjson_document parse_padded(
    parser &parse, std::unique_ptr<document> parsed, const uint8_t *padded, size_t length, size_t depth) {
    if (!parsed) { return failure(CSIMDJSON_NO_MEMORY); }
    const auto error = parse.parse_into_document(*parsed, padded, length, false).error();
    if (error != simdjson::SUCCESS) { return failure(kind_of(error)); }

    const int32_t flaw = second_look(padded, length, *parsed, depth);
    if (flaw != CSIMDJSON_OK) { return failure(flaw); }
    const uint64_t *tape = parsed->tape.get();
    const uint8_t *strings = parsed->string_buf.get();
    return {parsed.release(), tape, strings, CSIMDJSON_OK};
}

csimdjson_document parse_small(const uint8_t *bytes, size_t length, size_t depth) {
    if (!kept.reserve(length, depth)) { return failure(CSIMDJSON_NO_MEMORY); }
    memcpy(kept.padded.get(), bytes, length);
    memset(kept.padded.get() + length, ' ', padding);
    return parse_padded(kept.parse, kept.take(), kept.padded.get(), length, depth);
}

csimdjson_document parse_large(const uint8_t *bytes, size_t length, size_t depth) {
    std::unique_ptr<uint8_t[]> padded{new (std::nothrow) uint8_t[length + padding]};
    std::unique_ptr<document> parsed{new (std::nothrow) document};
    if (!padded) { return failure(CSIMDJSON_NO_MEMORY); }
    memcpy(padded.get(), bytes, length);
    memset(padded.get() + length, ' ', padding);
    parser parse{};
    if (parse.allocate(length, depth + 1) != simdjson::SUCCESS) { return failure(CSIMDJSON_NO_MEMORY); }
    return parse_padded(parse, std::move(parsed), padded.get(), length, depth);
}

}  // namespace

extern "C" csimdjson_document csimdjson_parse(const uint8_t *bytes, size_t length, size_t depth) {
    if (bytes == nullptr || length == 0) { return failure(CSIMDJSON_EMPTY); }
    return length <= kept_capacity_max ? parse_small(bytes, length, depth) : parse_large(bytes, length, depth);
}

extern "C" void csimdjson_free(void *owner) {
    std::unique_ptr<document> parsed{static_cast<document *>(owner)};
    if (parsed && parsed->capacity() <= kept_capacity_max) { kept.spare = std::move(parsed); }
}
