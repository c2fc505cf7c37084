#pragma once

// GNU libmicrohttpd, and what of it Swift cannot call: variadic functions and cast macros.
#include <microhttpd.h>

// Swift's Glibc module leaves these out; the server watches its connections with them.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// MHD_start_daemon is variadic; all options come as one array.
static inline struct MHD_Daemon *mhd_shim_start(
    unsigned int flags, MHD_AccessHandlerCallback handler, void *cls, struct MHD_OptionItem *options) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, cls, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/// Whom libmicrohttpd's log is passed to, without its text: Swift takes no va_list here.
struct mhd_shim_logger {
  void (*notice)(void *context);
  void *context;
};

static inline void mhd_shim_log(void *logger, const char *format, va_list arguments) {
  (void)format;
  (void)arguments;
  ((struct mhd_shim_logger *)logger)->notice(((struct mhd_shim_logger *)logger)->context);
}

/// MHD_OPTION_EXTERNAL_LOGGER; `logger` has to live as long as the daemon.
static inline struct MHD_OptionItem mhd_shim_logging(struct mhd_shim_logger *logger) {
  struct MHD_OptionItem item = {
      .option = MHD_OPTION_EXTERNAL_LOGGER, .value = (intptr_t)&mhd_shim_log, .ptr_value = logger};
  return item;
}

/// MHD_get_connection_info is variadic: the socket, or -1.
static inline int mhd_shim_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

/// MHD_get_connection_info is variadic: what MHD_OPTION_NOTIFY_CONNECTION left at the connection.
static inline void *mhd_shim_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

/// MHD_get_connection_info is variadic: the bytes of the request's head, from its method to its empty line; 0 while
/// the head is not complete.
static inline size_t mhd_shim_head_bytes(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

/// MHD_SIZE_UNKNOWN is a cast macro.
static inline uint64_t mhd_shim_size_unknown(void) { return MHD_SIZE_UNKNOWN; }

/// An eventfd that never blocks, or -1.
static inline int bell_shim_make(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void bell_shim_ring(int bell) { (void)eventfd_write(bell, 1); }

static inline void bell_shim_hush(int bell) {
  eventfd_t rings;
  (void)eventfd_read(bell, &rings);
}

/// Waits for a ring, at most so many milliseconds.
static inline void bell_shim_wait(int bell, int milliseconds) {
  struct pollfd one = {.fd = bell, .events = POLLIN, .revents = 0};
  (void)poll(&one, 1, milliseconds);
}

static inline int watch_shim_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// epoll_event holds a union: reports `id` whenever `socket` can be read.
static inline int watch_shim_add_bell(int watch, int socket, uint64_t id) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = id}};
  return epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event);
}

/// Reports `id` once, when the other end of `socket` is closed.
static inline int watch_shim_add_hangup(int watch, int socket, uint64_t id) {
  struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data = {.u64 = id}};
  return epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event);
}

static inline int watch_shim_remove(int watch, int socket) {
  struct epoll_event event = {.events = 0, .data = {.u64 = 0}};
  return epoll_ctl(watch, EPOLL_CTL_DEL, socket, &event);
}

enum { WATCH_SHIM_BATCH = 64 };

/// Fills `ids` with at most WATCH_SHIM_BATCH reports; waits at most so many milliseconds, -1 for ever.
static inline int watch_shim_wait(int watch, uint64_t *ids, int milliseconds) {
  struct epoll_event events[WATCH_SHIM_BATCH];
  int count = epoll_wait(watch, events, WATCH_SHIM_BATCH, milliseconds);
  for (int index = 0; index < count; index++) ids[index] = events[index].data.u64;
  return count;
}
