#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library: calls `take` with generated inputs, controlled by its command-line options.
int LLVMFuzzerRunDriver(int *count, char ***words, int (*take)(const uint8_t *start, size_t size));
