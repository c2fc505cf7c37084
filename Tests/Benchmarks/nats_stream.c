// Publishes events to a JetStream stream with many in flight or in atomic batches, or reads it with one ordered
// consumer, through libnats. Prints events per second:
// nats_stream fill URL EVENTS.jsonl COUNT
// nats_stream batch URL EVENTS.jsonl COUNT SIZE
// nats_stream read URL COUNT
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { lines_max = 1 << 20, inflight = 1024 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void must(natsStatus status, const char *what) {
    if (status == NATS_OK) { return; }
    fprintf(stderr, "%s: %s\n", what, natsStatus_GetText(status));
    exit(3);
}

static char *lines[lines_max];

static long read_lines(const char *path) {
    FILE *events = fopen(path, "r");
    if (!events) { perror(path); exit(3); }
    long known = 0;
    char *line = NULL;
    size_t room = 0;
    while (known < lines_max && getline(&line, &room, events) > 0) { lines[known++] = strdup(line); }
    return known;
}

// Sends a request and requires a reply without an error.
static void ask(natsConnection *connection, natsMsg *message) {
    natsMsg *reply = NULL;
    must(natsConnection_RequestMsg(&reply, connection, message, 10000), "request");
    if (strstr(natsMsg_GetData(reply), "\"error\"")) {
        fprintf(stderr, "%s\n", natsMsg_GetData(reply));
        exit(3);
    }
    natsMsg_Destroy(reply);
    natsMsg_Destroy(message);
}

// Stores batches on three servers, each at a named sequence number and with an id of each message, as a journal has to.
static double batches(natsConnection *connection, jsCtx *js, const char *path, long count, long size) {
    const long known = read_lines(path);
    const char *config =
        "{\"name\":\"S\",\"subjects\":[\"s\"],\"storage\":\"file\",\"num_replicas\":3,\"allow_atomic\":true}";
    jsErrCode code = 0;
    js_DeleteStream(js, "S", NULL, &code);
    natsMsg *create = NULL;
    must(natsMsg_Create(&create, "$JS.API.STREAM.CREATE.S", NULL, config, (int)strlen(config)), "message");
    ask(connection, create);
    const double began = now();
    const unsigned long began_at = (unsigned long)began;
    for (long start = 0; start < count; start += size) {
        for (long index = start; index < start + size && index < count; index++) {
            char text[64];
            natsMsg *message = NULL;
            const char *event = lines[index % known];
            must(natsMsg_Create(&message, "s", NULL, event, (int)strlen(event)), "message");
            if (index == start) {
                snprintf(text, sizeof text, "%ld", start);
                must(natsMsgHeader_Set(message, "Nats-Expected-Last-Sequence", text), "header");
            }
            snprintf(text, sizeof text, "%08lx-0000-0000-0000-%012lx", began_at, index);
            must(natsMsgHeader_Set(message, "Nats-Msg-Id", text), "header");
            const int is_last = index == start + size - 1 || index == count - 1;
            if (size > 1) {
                snprintf(text, sizeof text, "b%ld", start);
                must(natsMsgHeader_Set(message, "Nats-Batch-Id", text), "header");
                snprintf(text, sizeof text, "%ld", index - start + 1);
                must(natsMsgHeader_Set(message, "Nats-Batch-Sequence", text), "header");
                if (is_last) { must(natsMsgHeader_Set(message, "Nats-Batch-Commit", "1"), "header"); }
            }
            if (is_last) {
                ask(connection, message);
            } else {
                must(natsConnection_PublishMsg(connection, message), "publish");
                natsMsg_Destroy(message);
            }
        }
    }
    return count / (now() - began);
}

static long fill(jsCtx *js, const char *path, long count) {
    const long known = read_lines(path);
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    const char *subjects[] = {"s"};
    config.Name = "S";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    jsErrCode code = 0;
    js_DeleteStream(js, "S", NULL, &code);
    must(js_AddStream(NULL, js, &config, NULL, &code), "stream");
    for (long index = 0; index < count; index++) {
        const char *event = lines[index % known];
        must(js_PublishAsync(js, "s", event, (int)strlen(event), NULL), "publish");
    }
    must(js_PublishAsyncComplete(js, NULL), "publish");
    return count;
}

static long read_all(jsCtx *js, long count) {
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Ordered = true;
    natsSubscription *subscription = NULL;
    must(js_SubscribeSync(&subscription, js, "s", NULL, &options, NULL), "subscribe");
    size_t bytes = 0;
    for (long index = 0; index < count; index++) {
        natsMsg *message = NULL;
        must(natsSubscription_NextMsg(&message, subscription, 10000), "next");
        bytes += (size_t)natsMsg_GetDataLength(message);
        natsMsg_Destroy(message);
    }
    return bytes ? count : 0;
}

int main(int argc, char **argv) {
    if (argc < 4) { return 2; }
    natsConnection *connection = NULL;
    must(natsConnection_ConnectTo(&connection, argv[2]), "connect");
    jsOptions options;
    jsOptions_Init(&options);
    options.PublishAsync.MaxPending = inflight;
    // The milliseconds that a publisher waits at the limit of pending messages: a slow disk is no error.
    options.PublishAsync.StallWait = 60000;
    jsCtx *js = NULL;
    must(natsConnection_JetStream(&js, connection, &options), "jetstream");
    if (strcmp(argv[1], "batch") == 0 && argc == 6) {
        printf("%.0f\n", batches(connection, js, argv[3], atol(argv[4]), atol(argv[5])));
        return 0;
    }
    const double began = now();
    const long count =
        strcmp(argv[1], "fill") == 0 && argc == 5 ? fill(js, argv[3], atol(argv[4])) : read_all(js, atol(argv[3]));
    printf("%.0f\n", count / (now() - began));
    return 0;
}
