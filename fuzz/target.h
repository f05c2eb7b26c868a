/* What libFuzzer calls in a target, what a target calls in it, and what all targets have in common:
 * random numbers, mutations, seeds. */
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

/* A few bytes in place as a rule, so that the sizes which a file tells of itself still hold; now
 * and then anything. Returns the new size, at most `most`. */
size_t mutate_bytes(uint8_t *bytes, size_t size, size_t most, uint64_t *seed);

/* The name of a file in memory that has these bytes, until the next call. */
const char *target_file(const void *bytes, size_t size);

/* Fails where the error of a call that did not succeed is not that of its status, or has no message
 * of one line. */
void target_check_error(nd_status status, const nd_error *error);

/* The directory of `TARGET --write-seeds DIRECTORY`, where that is asked for; else NULL. */
const char *target_seeds(int count, char **arguments);
void target_write_seed(const char *directory, const char *name, const void *bytes, size_t size);

#endif
