// Sends requests to a request server of Furrow as lightly as redis-benchmark does to Redis: one thread, plain sockets,
// ZMTP 3.0 (ZeroMQ RFC 23) without a library. A client on libzmq takes two threads and six polls a request, on the
// processors that are measured.
// desk_load ENDPOINT BODIES CLIENTS INFLIGHT COUNT   (ipc://PATH or tcp://A.B.C.D:PORT; a body on each line of BODIES)
// Prints the microseconds from the first request to the last response, then those of each; exits with 1 at the first
// rejection.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    clients_max = 1024, inflight_max = 256, bodies_max = 1 << 20, head_bytes = 9, greeting_bytes = 64,
    room_bytes = 1 << 16, patience_milliseconds = 60000
};
/// Flags of a ZMTP frame.
enum { more = 1, is_long = 2, command = 4 };
/// First byte of a message of the bus: its version and its kind.
enum { asked = 0x16, answered = 0x17 };

static const char header[] =
    "{\"verb\":\"append\",\"actor\":\"service/bench\",\"entropy\":\"07070707070707070707070707070707\","
    "\"deadline\":60000}";
static const char done[] = "{\"status\":201}";

typedef struct {
    int socket;
    uint64_t asked_last;
    /// When the request of that number, modulo, was sent.
    int64_t began[inflight_max];
    /// Received bytes that are no whole frame yet.
    unsigned char room[room_bytes];
    size_t kept;
    /// The index of the next frame of a response, and when its request was sent.
    int frame;
    int64_t answer_began;
} Client;

static Client clients[clients_max];
static struct { char *bytes; size_t length; } bodies[bodies_max];
static long known, sent, heard, count;
static int64_t *latencies;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void refuse(const char *what, const unsigned char *bytes, size_t length) {
    fprintf(stderr, "%s: %.*s\n", what, (int)length, (const char *)bytes);
    exit(1);
}

static void put(int socket, const void *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = send(socket, bytes, length, MSG_NOSIGNAL);
        if (written < 0) { fail("send"); }
        bytes = (const char *)bytes + written;
        length -= (size_t)written;
    }
}

static void take(int socket, unsigned char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t came = recv(socket, bytes, length, 0);
        if (came <= 0) { fail("recv"); }
        bytes += came;
        length -= (size_t)came;
    }
}

static int dial(const char *endpoint) {
    int connection;
    if (strncmp(endpoint, "ipc://", 6) == 0) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        strncpy(address.sun_path, endpoint + 6, sizeof(address.sun_path) - 1);
        connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(connection, (struct sockaddr *)&address, sizeof(address)) < 0) { fail(endpoint); }
    } else {
        char host[64];
        unsigned short port;
        struct sockaddr_in address = {.sin_family = AF_INET};
        if (sscanf(endpoint, "tcp://%63[0-9.]:%hu", host, &port) != 2) { fail(endpoint); }
        address.sin_port = htons(port);
        inet_pton(AF_INET, host, &address.sin_addr);
        connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(connection, (struct sockaddr *)&address, sizeof(address)) < 0) { fail(endpoint); }
        const int yes = 1;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    }
    // The greeting, and a DEALER without a name and without a secret.
    unsigned char greeting[greeting_bytes] = {0xFF, [9] = 0x7F, 3, 0, 'N', 'U', 'L', 'L'};
    static const char ready[] = "\x04\x29\x05READY\x0bSocket-Type\0\0\0\x06" "DEALER\x08Identity\0\0\0";
    put(connection, greeting, sizeof(greeting));
    take(connection, greeting, sizeof(greeting));
    put(connection, ready, sizeof(ready));
    unsigned char reply[2 + 255];
    take(connection, reply, 2);
    if (reply[0] != command) { refuse("no ZMTP peer", reply, 1); }
    take(connection, reply + 2, reply[1]);
    if (memcmp(reply + 2, "\x05READY", 6) != 0) { refuse("refused", reply + 2, reply[1]); }
    return connection;
}

static unsigned char *frame(unsigned char *at, unsigned char flags, const void *bytes, size_t length) {
    if (length > 255) {
        *at++ = flags | is_long;
        for (int shift = 56; shift >= 0; shift -= 8) { *at++ = (unsigned char)(length >> shift); }
    } else {
        *at++ = flags;
        *at++ = (unsigned char)length;
    }
    memcpy(at, bytes, length);
    return at + length;
}

// Sends so many requests at once.
static void ask(Client *client, int number) {
    static unsigned char room[inflight_max * (room_bytes + 1024)];
    unsigned char *end = room;
    const int64_t began = now();
    for (; number > 0 && sent < count; number--, sent++) {
        const uint64_t request = ++client->asked_last;
        unsigned char head[head_bytes] = {asked};
        for (int index = 1; index < head_bytes; index++) { head[index] = (unsigned char)(request >> (64 - index * 8)); }
        end = frame(end, more, head, sizeof(head));
        end = frame(end, more, header, sizeof(header) - 1);
        end = frame(end, 0, bodies[sent % known].bytes, bodies[sent % known].length);
        client->began[request % inflight_max] = began;
    }
    put(client->socket, room, (size_t)(end - room));
}

// Answers a heartbeat, with the context that it contained: after five bytes of name and two of timeout.
static void pong(const Client *client, const unsigned char *ping, size_t length) {
    if (length < 7 || memcmp(ping, "\x04PING", 5) != 0) { refuse("not understood", ping, length); }
    unsigned char said[2 + 255] = {command, (unsigned char)(length - 2), 4, 'P', 'O', 'N', 'G'};
    memcpy(said + 7, ping + 7, length - 7);
    put(client->socket, said, length);
}

// Reads whole frames; returns how many responses they completed.
static int read_frames(Client *client, int64_t at) {
    int answers = 0;
    size_t begin = 0;
    while (client->kept - begin >= 2) {
        const unsigned char *bytes = client->room + begin;
        const unsigned char flags = bytes[0];
        if (flags & is_long) { refuse("refused", bytes, client->kept - begin); }
        const size_t length = bytes[1];
        if (client->kept - begin < 2 + length) { break; }
        bytes += 2;
        begin += 2 + length;
        if (flags & command) {
            pong(client, bytes, length);
            continue;
        }
        if (client->frame == 0) {
            if (length != head_bytes || bytes[0] != answered) { refuse("no answer", bytes, length); }
            uint64_t request = 0;
            for (int index = 1; index < head_bytes; index++) { request = request << 8 | bytes[index]; }
            client->answer_began = client->began[request % inflight_max];
        } else if (client->frame == 1 && (length != sizeof(done) - 1 || memcmp(bytes, done, length) != 0)) {
            refuse("refused", bytes, length);
        }
        client->frame = flags & more ? client->frame + 1 : 0;
        if (client->frame == 0) {
            latencies[heard++] = at - client->answer_began;
            answers++;
        }
    }
    memmove(client->room, client->room + begin, client->kept - begin);
    client->kept -= begin;
    return answers;
}

static void hear(Client *client) {
    const ssize_t came = recv(client->socket, client->room + client->kept, room_bytes - client->kept, 0);
    if (came <= 0) { fail("recv"); }
    client->kept += (size_t)came;
    const int answers = read_frames(client, now());
    if (answers > 0) { ask(client, answers); }
}

static void read_bodies(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) { fail(path); }
    char *line = NULL;
    size_t size = 0;
    for (ssize_t length; known < bodies_max && (length = getline(&line, &size, file)) > 1; known++) {
        if (length > room_bytes) { refuse("too long", (unsigned char *)line, 80); }
        bodies[known].bytes = strdup(line);
        bodies[known].length = (size_t)length - 1;
    }
    if (known == 0) { refuse("no bodies", (const unsigned char *)path, strlen(path)); }
}

int main(int argc, char **argv) {
    if (argc != 6) { return 2; }
    const int number = atoi(argv[3]), inflight = atoi(argv[4]);
    count = atol(argv[5]);
    if (number < 1 || number > clients_max || inflight < 1 || inflight > inflight_max || count < 1) { return 2; }
    read_bodies(argv[2]);
    latencies = calloc((size_t)count, sizeof(*latencies));
    const int arrivals = epoll_create1(EPOLL_CLOEXEC);
    for (int index = 0; index < number; index++) {
        clients[index].socket = dial(argv[1]);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[index]};
        if (epoll_ctl(arrivals, EPOLL_CTL_ADD, clients[index].socket, &event) < 0) { fail("epoll"); }
    }
    const int64_t began = now();
    for (int index = 0; index < number; index++) { ask(&clients[index], inflight); }
    while (heard < count) {
        struct epoll_event ready[clients_max];
        const int found = epoll_wait(arrivals, ready, clients_max, patience_milliseconds);
        if (found <= 0) { fail("no answer for a minute"); }
        for (int index = 0; index < found; index++) { hear(ready[index].data.ptr); }
    }
    printf("%lld\n", (long long)(now() - began));
    for (long index = 0; index < heard; index++) { printf("%lld\n", (long long)latencies[index]); }
    return 0;
}
