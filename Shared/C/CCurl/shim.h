#pragma once

// libcurl, loaded when the first client asks: it brings two dozen libraries along, three megabytes that a service which
// only serves never needs. Its setters and getters are variadic, so Swift could not call them anyway.
#include <curl/curl.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

typedef size_t (*curl_shim_sink)(char *bytes, size_t size, size_t count, void *context);

/// The functions used, by their names in libcurl.
struct curl_shim {
  CURLcode (*global_init)(long flags);
  CURL *(*easy_init)(void);
  void (*easy_cleanup)(CURL *handle);
  void (*easy_reset)(CURL *handle);
  CURLcode (*easy_perform)(CURL *handle);
  CURLcode (*easy_recv)(CURL *handle, void *bytes, size_t room, size_t *count);
  CURLcode (*easy_send)(CURL *handle, const void *bytes, size_t length, size_t *count);
  const char *(*easy_strerror)(CURLcode code);
  CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
  CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
  struct curl_slist *(*slist_append)(struct curl_slist *list, const char *line);
  void (*slist_free_all)(struct curl_slist *list);
};

/// Finds all of them, or says no.
static inline int curl_shim_load(struct curl_shim *curl) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
  curl->global_init = (CURLcode(*)(long))dlsym(library, "curl_global_init");
  curl->easy_init = (CURL * (*)(void)) dlsym(library, "curl_easy_init");
  curl->easy_cleanup = (void (*)(CURL *))dlsym(library, "curl_easy_cleanup");
  curl->easy_reset = (void (*)(CURL *))dlsym(library, "curl_easy_reset");
  curl->easy_perform = (CURLcode(*)(CURL *))dlsym(library, "curl_easy_perform");
  curl->easy_recv = (CURLcode(*)(CURL *, void *, size_t, size_t *))dlsym(library, "curl_easy_recv");
  curl->easy_send = (CURLcode(*)(CURL *, const void *, size_t, size_t *))dlsym(library, "curl_easy_send");
  curl->easy_strerror = (const char *(*)(CURLcode))dlsym(library, "curl_easy_strerror");
  curl->easy_setopt = (CURLcode(*)(CURL *, CURLoption, ...))dlsym(library, "curl_easy_setopt");
  curl->easy_getinfo = (CURLcode(*)(CURL *, CURLINFO, ...))dlsym(library, "curl_easy_getinfo");
  curl->slist_append = (struct curl_slist * (*)(struct curl_slist *, const char *)) dlsym(library, "curl_slist_append");
  curl->slist_free_all = (void (*)(struct curl_slist *))dlsym(library, "curl_slist_free_all");
  return curl->global_init && curl->easy_init && curl->easy_cleanup && curl->easy_reset && curl->easy_perform &&
         curl->easy_recv && curl->easy_send && curl->easy_strerror && curl->easy_setopt && curl->easy_getinfo &&
         curl->slist_append && curl->slist_free_all && curl->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static inline CURL *curl_shim_make(const struct curl_shim *curl) { return curl->easy_init(); }

static inline void curl_shim_free(const struct curl_shim *curl, CURL *handle) { curl->easy_cleanup(handle); }

static inline void curl_shim_reset(const struct curl_shim *curl, CURL *handle) { curl->easy_reset(handle); }

static inline CURLcode curl_shim_perform(const struct curl_shim *curl, CURL *handle) {
  return curl->easy_perform(handle);
}

// Both return immediately, with CURLE_AGAIN if there is nothing to receive or no room to send.
static inline CURLcode curl_shim_receive(
    const struct curl_shim *curl, CURL *handle, void *bytes, size_t room, size_t *count) {
  return curl->easy_recv(handle, bytes, room, count);
}

static inline CURLcode curl_shim_send(
    const struct curl_shim *curl, CURL *handle, const void *bytes, size_t length, size_t *count) {
  return curl->easy_send(handle, bytes, length, count);
}

/// The socket of the connection that the last call left open; -1 if there is none.
static inline int curl_shim_socket(const struct curl_shim *curl, CURL *handle) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  (void)curl->easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket);
  return (int)socket;
}

static inline const char *curl_shim_reason(const struct curl_shim *curl, CURLcode code) {
  return curl->easy_strerror(code);
}

static inline void curl_shim_set_long(const struct curl_shim *curl, CURL *handle, CURLoption option, long value) {
  (void)curl->easy_setopt(handle, option, value);
}

static inline void curl_shim_set_size(const struct curl_shim *curl, CURL *handle, CURLoption option, curl_off_t value) {
  (void)curl->easy_setopt(handle, option, value);
}

static inline void curl_shim_set_pointer(
    const struct curl_shim *curl, CURL *handle, CURLoption option, const void *value) {
  (void)curl->easy_setopt(handle, option, value);
}

static inline void curl_shim_set_sink(
    const struct curl_shim *curl, CURL *handle, CURLoption option, curl_shim_sink value) {
  (void)curl->easy_setopt(handle, option, value);
}

/// Decides about an address of 4 or 16 bytes, in network order; `count` is 0 for other families.
typedef int (*curl_shim_judge)(const unsigned char *address, size_t count, void *context);

/// Who decides about the addresses of a call.
struct curl_shim_gate {
  curl_shim_judge judge;
  void *context;
};

/// Opens a socket for an address that the gate allows; libcurl connects it.
static inline curl_socket_t curl_shim_open(void *gate, curlsocktype purpose, struct curl_sockaddr *to) {
  const struct curl_shim_gate *guard = (const struct curl_shim_gate *)gate;
  const unsigned char *address = NULL;
  size_t count = 0;
  (void)purpose;
  if (to->family == AF_INET) {
    address = (const unsigned char *)&((const struct sockaddr_in *)&to->addr)->sin_addr;
    count = 4;
  } else if (to->family == AF_INET6) {
    address = (const unsigned char *)&((const struct sockaddr_in6 *)&to->addr)->sin6_addr;
    count = 16;
  }
  if (!guard->judge(address, count, guard->context)) return CURL_SOCKET_BAD;
  return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/// `gate` has to outlive the call.
static inline void curl_shim_set_gate(const struct curl_shim *curl, CURL *handle, const struct curl_shim_gate *gate) {
  (void)curl->easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, curl_shim_open);
  (void)curl->easy_setopt(handle, CURLOPT_OPENSOCKETDATA, gate);
}

static inline long curl_shim_status(const struct curl_shim *curl, CURL *handle) {
  long status = 0;
  (void)curl->easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

static inline struct curl_slist *curl_shim_append(
    const struct curl_shim *curl, struct curl_slist *list, const char *line) {
  struct curl_slist *longer = curl->slist_append(list, line);
  return longer == NULL ? list : longer;
}

static inline void curl_shim_free_list(const struct curl_shim *curl, struct curl_slist *list) {
  curl->slist_free_all(list);
}
