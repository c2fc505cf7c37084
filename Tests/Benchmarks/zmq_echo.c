// The cost of libzmq alone at both ends: clients send one event each, and an otherwise idle thread responds with 64
// bytes.
// zmq_echo ENDPOINT EVENTS.jsonl CLIENTS INFLIGHT COUNT  prints round trips a second; the clients are a separate
// process.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { answer_bytes = 64, lines_max = 1 << 20, clients_max = 1024 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void check(int result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "%s: %s\n", what, zmq_strerror(zmq_errno()));
        exit(3);
    }
}

static void serve(const char *endpoint) {
    void *router = zmq_socket(zmq_ctx_new(), ZMQ_ROUTER);
    check(zmq_bind(router, endpoint), endpoint);
    const char answer[answer_bytes] = {0};
    while (1) {
        zmq_msg_t who, event;
        zmq_msg_init(&who);
        zmq_msg_init(&event);
        check(zmq_msg_recv(&who, router, 0), "recv");
        check(zmq_msg_recv(&event, router, 0), "recv");
        zmq_msg_close(&event);
        check(zmq_msg_send(&who, router, ZMQ_SNDMORE), "send");
        check(zmq_send(router, answer, sizeof(answer), 0), "send");
    }
}

static struct { char *bytes; size_t length; } lines[lines_max];
static long known, sent, heard;

static void ask(void *client) {
    check(zmq_send(client, lines[sent % known].bytes, lines[sent % known].length, 0), "send");
    sent++;
}

// Receives responses and sends further requests until nothing more arrives: the descriptor only signals changes.
static void hear(void *client, long count) {
    char answer[answer_bytes];
    while (zmq_recv(client, answer, sizeof(answer), ZMQ_DONTWAIT) >= 0) {
        heard++;
        if (sent < count) { ask(client); }
    }
}

int main(int argc, char **argv) {
    if (argc != 6) { return 2; }
    const int clients = atoi(argv[3]), inflight = atoi(argv[4]);
    const long count = atol(argv[5]);
    if (clients < 1 || clients > clients_max) { return 2; }
    FILE *events = fopen(argv[2], "r");
    if (!events) { perror(argv[2]); return 3; }
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while (known < lines_max && (length = getline(&line, &room, events)) > 0) {
        lines[known].bytes = strdup(line);
        lines[known++].length = (size_t)length;
    }
    if (known == 0) { fprintf(stderr, "no events\n"); return 3; }
    const pid_t server = fork();
    if (server == 0) { serve(argv[1]); }
    void *context = zmq_ctx_new();
    void *askers[clients_max];
    const int arrivals = epoll_create1(EPOLL_CLOEXEC);
    for (int index = 0; index < clients; index++) {
        askers[index] = zmq_socket(context, ZMQ_DEALER);
        check(zmq_connect(askers[index], argv[1]), argv[1]);
        int descriptor;
        size_t size = sizeof(descriptor);
        check(zmq_getsockopt(askers[index], ZMQ_FD, &descriptor, &size), "ZMQ_FD");
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = (uint32_t)index};
        check(epoll_ctl(arrivals, EPOLL_CTL_ADD, descriptor, &event), "epoll");
        // Each client gets one response before the measurement starts.
        char answer[answer_bytes];
        check(zmq_send(askers[index], "", 0, 0), "send");
        check(zmq_recv(askers[index], answer, sizeof(answer), 0), "recv");
    }
    const double began = now();
    for (int index = 0; index < clients; index++) {
        for (int each = 0; each < inflight && sent < count; each++) { ask(askers[index]); }
        hear(askers[index], count);
    }
    while (heard < count) {
        struct epoll_event ready[clients_max];
        const int found = epoll_wait(arrivals, ready, clients_max, 100);
        for (int index = 0; index < found; index++) { hear(askers[ready[index].data.u32], count); }
        for (int index = 0; found == 0 && index < clients; index++) { hear(askers[index], count); }
    }
    printf("%.0f\n", count / (now() - began));
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    return 0;
}
