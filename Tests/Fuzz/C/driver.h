#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library: makes up bytes and calls back with them, for as long as the words say.
int LLVMFuzzerRunDriver(int *count, char ***words, int (*take)(const uint8_t *start, size_t size));
