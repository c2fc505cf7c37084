// The lower bound of a durable journal: events appended to a growing file, one fdatasync for each 256.
// raw_append FILE EVENTS.jsonl COUNT  prints events per second.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { batch = 256, lines_max = 1 << 20 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    if (argc != 4) { return 2; }
    const long count = atol(argv[3]);
    FILE *events = fopen(argv[2], "r");
    if (!events) { perror(argv[2]); return 3; }
    static struct iovec lines[lines_max];
    size_t known = 0;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while (known < lines_max && (length = getline(&line, &room, events)) > 0) {
        lines[known].iov_base = strdup(line);
        lines[known++].iov_len = (size_t)length;
    }
    if (known < batch) { fprintf(stderr, "too few events\n"); return 3; }
    const int file = open(argv[1], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) { perror(argv[1]); return 3; }
    const double began = now();
    long written = 0;
    for (size_t place = 0; written < count; written += batch, place += batch) {
        if (place + batch > known) { place = 0; }
        size_t whole = 0;
        for (size_t index = 0; index < batch; index++) { whole += lines[place + index].iov_len; }
        if (writev(file, lines + place, batch) != (ssize_t)whole || fdatasync(file) != 0) {
            perror("append");
            return 3;
        }
    }
    printf("%.0f\n", written / (now() - began));
    unlink(argv[1]);
    return 0;
}
