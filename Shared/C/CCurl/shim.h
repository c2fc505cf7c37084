#pragma once

// libcurl, and what of it Swift cannot call: its setters and getters are variadic.
#include <curl/curl.h>

static inline CURLcode curl_shim_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

typedef size_t (*curl_shim_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode curl_shim_set_sink(CURL *handle, CURLoption option, curl_shim_sink value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_status(CURL *handle, long *status) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}
