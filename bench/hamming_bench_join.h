/* The parts of hamming_bench that measure many at once: the join of a set with itself, and batches of queries. Each prints a line; times are seconds, memory is bytes. */
#ifndef BENCH_HAMMING_BENCH_JOIN_H
#define BENCH_HAMMING_BENCH_JOIN_H

#include "match/hamming_tables.h"

/* All pairs within k. build_seconds: taking the fingerprints in; bytes: memory of the process at most, without what it had before; checksum: sum of mix64(a << 32 | b) over all pairs, a < b, equal ones too. */
void bench_hamming_join(const uint64_t *fingerprints, uint64_t count, uint32_t k, uint32_t threads, bool json);

/* Queries one after the other (on one thread), and all as one batch; both to the ids, whose hits and checksum, sum of mix64(query << 32 | id), must be the same. */
void bench_hamming_batch(const nd_hamming_tables *tables, const uint64_t *queries, uint64_t count, uint32_t k, uint32_t threads, bool json);

#endif
