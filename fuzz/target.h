/* The interface between libFuzzer and a target, and the parts that all targets share: random
 * numbers, mutations, seeds. */
#ifndef ND_FUZZ_TARGET_H
#define ND_FUZZ_TARGET_H

#include "neardup.h"

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

/* Ends the process as a crash does, so that libFuzzer keeps the input. */
_Noreturn void target_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 0 to limit - 1; limit > 0. */
uint64_t random_below(uint64_t *seed, uint64_t limit);

/* Usually changes a few bytes in place, so that the sizes stored in a file stay right; sometimes
 * changes anything. Returns the new size, at most `most`. */
size_t mutate_bytes(uint8_t *bytes, size_t size, size_t most, uint64_t *seed);

/* Returns the name of a file in memory with these bytes, valid until the next call. */
const char *target_file(const void *bytes, size_t size);

/* Fails if the error of a failed call has another status than the call returned, or has no message
 * of one line. */
void target_check_error(nd_status status, const nd_error *error);

/* Returns the directory of `TARGET --write-seeds DIRECTORY`; NULL if the option is not given. */
const char *target_seeds(int count, char **arguments);
void target_write_seed(const char *directory, const char *name, const void *bytes, size_t size);

#endif
