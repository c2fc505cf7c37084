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
    size_t capacity = 0;
    size_t depth = 0;

    bool reserve(size_t length, size_t depth_max) {
        if (padded && length <= capacity && depth_max == depth) { return true; }
        size_t wanted = capacity > kept_capacity_min ? capacity : kept_capacity_min;
        while (wanted < length) { wanted *= 2; }
        capacity = 0;
        padded.reset(new (std::nothrow) uint8_t[wanted + padding]());
        if (!padded || parse.allocate(wanted, depth_max + 1) != simdjson::SUCCESS) { return false; }
        if (parse.doc.allocate(wanted) != simdjson::SUCCESS) { return false; }
        capacity = wanted;
        depth = depth_max;
        return true;
    }
};

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

// An owner is one block that holds a copy of tape and strings, or simdjson's own document; its first word says which.
constexpr uint64_t copied = 1;
constexpr uint64_t whole = 2;

struct whole_block {
    uint64_t tag;
    document parsed;
};

csimdjson_document parse_small(const uint8_t *bytes, size_t length, size_t depth) {
    thread_local kept_buffers kept;
    if (!kept.reserve(length, depth)) { return failure(CSIMDJSON_NO_MEMORY); }
    memcpy(kept.padded.get(), bytes, length);
    memset(kept.padded.get() + length, ' ', padding);
    const auto error = kept.parse.parse(kept.padded.get(), length, false).error();
    if (error != simdjson::SUCCESS) { return failure(kind_of(error)); }

    const int32_t flaw = second_look(bytes, length, kept.parse.doc, depth);
    if (flaw != CSIMDJSON_OK) { return failure(flaw); }

    const uint64_t *tape = kept.parse.doc.tape.get();
    const uint8_t *strings = kept.parse.doc.string_buf.get();
    // A string costs at most 5 bytes of buffer for 3 of text (`"",`), so this bound covers all of them.
    const size_t string_bytes = 5 * length / 3 + 8;
    const size_t tape_bytes = words_on(tape) * sizeof(uint64_t);
    auto *block = static_cast<uint64_t *>(malloc(sizeof(uint64_t) + tape_bytes + string_bytes));
    if (block == nullptr) { return failure(CSIMDJSON_NO_MEMORY); }
    block[0] = copied;
    auto *kept_tape = block + 1;
    auto *kept_strings = reinterpret_cast<uint8_t *>(kept_tape) + tape_bytes;
    memcpy(kept_tape, tape, tape_bytes);
    memcpy(kept_strings, strings, string_bytes);
    return {block, kept_tape, kept_strings, CSIMDJSON_OK};
}

csimdjson_document parse_large(const uint8_t *bytes, size_t length, size_t depth) {
    std::unique_ptr<uint8_t[]> padded{new (std::nothrow) uint8_t[length + padding]};
    std::unique_ptr<whole_block> block{new (std::nothrow) whole_block{whole, {}}};
    if (!padded || !block) { return failure(CSIMDJSON_NO_MEMORY); }
    memcpy(padded.get(), bytes, length);
    memset(padded.get() + length, ' ', padding);

    parser parse{};
    if (parse.allocate(length, depth + 1) != simdjson::SUCCESS) { return failure(CSIMDJSON_NO_MEMORY); }
    const auto error = parse.parse_into_document(block->parsed, padded.get(), length, false).error();
    if (error != simdjson::SUCCESS) { return failure(kind_of(error)); }

    const int32_t flaw = second_look(bytes, length, block->parsed, depth);
    if (flaw != CSIMDJSON_OK) { return failure(flaw); }
    const uint64_t *tape = block->parsed.tape.get();
    const uint8_t *strings = block->parsed.string_buf.get();
    return {block.release(), tape, strings, CSIMDJSON_OK};
}

}  // namespace

extern "C" csimdjson_document csimdjson_parse(const uint8_t *bytes, size_t length, size_t depth) {
    if (bytes == nullptr || length == 0) { return failure(CSIMDJSON_EMPTY); }
    return length <= kept_capacity_max ? parse_small(bytes, length, depth) : parse_large(bytes, length, depth);
}

extern "C" void csimdjson_free(void *owner) {
    if (owner == nullptr) { return; }
    if (*static_cast<uint64_t *>(owner) == whole) {
        delete static_cast<whole_block *>(owner);
    } else {
        free(owner);
    }
}
