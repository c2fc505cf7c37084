// Fills a Redis stream with the given events, or reads all of it in order, through hiredis.
// redis_stream fill PORT EVENTS.jsonl COUNT   |   redis_stream read PORT   prints events per second.
#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { page = 1000, lines_max = 1 << 20 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static redisReply *take(redisContext *redis) {
    void *reply = NULL;
    if (redisGetReply(redis, &reply) != REDIS_OK || !reply || ((redisReply *)reply)->type == REDIS_REPLY_ERROR) {
        fprintf(stderr, "redis: %s\n", reply ? ((redisReply *)reply)->str : redis->errstr);
        exit(3);
    }
    return reply;
}

static long fill(redisContext *redis, const char *path, long count) {
    static char *lines[lines_max];
    FILE *events = fopen(path, "r");
    if (!events) { perror(path); exit(3); }
    long known = 0;
    char *line = NULL;
    size_t room = 0;
    while (known < lines_max && getline(&line, &room, events) > 0) { lines[known++] = strdup(line); }
    for (long first = 0; first < count; first += page) {
        for (long index = first; index < first + page; index++) {
            redisAppendCommand(redis, "XADD s * d %s", lines[index % known]);
        }
        for (long index = 0; index < page; index++) { freeReplyObject(take(redis)); }
    }
    return count;
}

// One consumer: each page starts after the last id of the one before, and every value is read.
static long read_all(redisContext *redis) {
    char last[64] = "-";
    long count = 0;
    size_t bytes = 0;
    while (1) {
        redisAppendCommand(redis, "XRANGE s %s + COUNT %d", last, page);
        redisReply *entries = take(redis);
        if (entries->elements == 0) {
            freeReplyObject(entries);
            return bytes ? count : 0;
        }
        for (size_t index = 0; index < entries->elements; index++) {
            bytes += entries->element[index]->element[1]->element[1]->len;
        }
        count += (long)entries->elements;
        snprintf(last, sizeof(last), "(%s", entries->element[entries->elements - 1]->element[0]->str);
        freeReplyObject(entries);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) { return 2; }
    redisContext *redis = redisConnect("127.0.0.1", atoi(argv[2]));
    if (!redis || redis->err) { fprintf(stderr, "no redis\n"); return 3; }
    const double began = now();
    const bool fills = strcmp(argv[1], "fill") == 0 && argc == 5;
    const long count = fills ? fill(redis, argv[3], atol(argv[4])) : read_all(redis);
    printf("%.0f\n", count / (now() - began));
    return 0;
}
