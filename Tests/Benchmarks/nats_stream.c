// Publishes events to a JetStream stream with many in flight, or reads it with one ordered consumer, through libnats.
// nats_stream fill URL EVENTS.jsonl COUNT   |   nats_stream read URL COUNT   prints events per second.
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

static long fill(jsCtx *js, const char *path, long count) {
    static char *lines[lines_max];
    FILE *events = fopen(path, "r");
    if (!events) { perror(path); exit(3); }
    long known = 0;
    char *line = NULL;
    size_t room = 0;
    while (known < lines_max && getline(&line, &room, events) > 0) { lines[known++] = strdup(line); }
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
    const double began = now();
    const long count =
        strcmp(argv[1], "fill") == 0 && argc == 5 ? fill(js, argv[3], atol(argv[4])) : read_all(js, atol(argv[3]));
    printf("%.0f\n", count / (now() - began));
    return 0;
}
