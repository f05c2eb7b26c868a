/* Finds the units that repeat others, out of core.
 *
 * 1. A unit is 16 bytes: 64 bits of its hash, 24 more, and its number in the order of input, 40
 *    bits. They go to partitions by hash. If the first one is kept, a table of many first units
 *    comes before: a unit that repeats one of them is cut at once. So a partition stays small, even
 *    if one unit is nearly all of the input.
 * 2. Each partition is sorted. Equal hashes are a group, in the order of input: its later units are
 *    cut, or all of them, if it has enough documents.
 * 3. Those that are cut go to partitions by number, with the number of the first one, and are read
 *    again in the order of input.
 *
 * With an index of lines, the first unit of each group is looked up in it, in step 2. If it is
 * there, all units of the group are cut; if not, it is fresh: it will be added. There is no table
 * then, because it would hide which units are in the index.
 *
 * Two different units with the same 88 bits would be taken for equal ones: of n units the chance is
 * n^2 / 2^89, below 10^-8 for 10^9.
 *
 * Memory: shares of the run's budget, and 8 bytes per document; if none is kept, also 8 bytes for
 * each unit of a group in the documents that it may have before it is cut. */
#ifndef ND_REPEATS_UNIT_FINDER_H
#define ND_REPEATS_UNIT_FINDER_H

#include "io/external_sort.h"
#include "job/run_context.h"
#include "repeats/line_index.h"

#include "neardup.h"

/* Most units of all texts together. */
enum { ND_UNIT_NUMBER_BITS = 40 };
#define ND_UNITS_MOST (UINT64_C(1) << ND_UNIT_NUMBER_BITS)

typedef struct nd_unit_finder nd_unit_finder;

/* Which groups are cut, and how much of them. */
typedef struct nd_unit_rule {
    nd_repeats_kept keep;
    bool across; /* as in nd_lines_options; so is the next one */
    uint64_t more_than;
} nd_unit_rule;

/* `index` NULL: there is none. */
nd_status nd_unit_finder_create(const nd_run *run, const nd_unit_rule *rule,
                                const nd_line_index *index, nd_unit_finder **out, nd_error *error);
void nd_unit_finder_free(nd_unit_finder *finder);

/* A unit that is compared with others: 64 bits of its hash, 24 more, and its number in its
 * document. */
typedef struct nd_hashed_unit {
    uint64_t hash, rest;
} nd_hashed_unit;

static inline nd_hashed_unit nd_hashed_unit_of(const uint64_t hash[2], uint64_t number) {
    return (nd_hashed_unit){hash[0],
                            hash[1] >> ND_UNIT_NUMBER_BITS << ND_UNIT_NUMBER_BITS | number};
}

/* Adds the next document, with `units` units, of which hashed[0, count) are compared. Those behind
 * them, up to `ahead`, are of the next documents: they are looked at early. One thread at a time.
 */
nd_status nd_unit_finder_add(nd_unit_finder *finder, uint64_t units, const nd_hashed_unit *hashed,
                             size_t count, size_t ahead, nd_error *error);

/* Finds the units that are cut. Once, after the last document. */
nd_status nd_unit_finder_run(nd_unit_finder *finder, nd_error *error);

/* A unit that is cut: both are numbers in the order of input. The source is the first equal one; of
 * the first one it is the second. Of a unit in the index it is ND_SOURCE_INDEX and the document
 * that had it first. */
typedef struct nd_cut_unit {
    uint64_t unit, source;
} nd_cut_unit;
#define ND_SOURCE_INDEX (UINT64_C(1) << 63)

/* Reads the next unit that is cut, in the order of input. unit UINT64_MAX: there are no more. */
nd_status nd_unit_finder_next(nd_unit_finder *finder, nd_cut_unit *out, nd_error *error);

/* The units for the index: nd_line_entry, by parts, with the numbers that their documents get.
 * NULL: there is no index. Valid after nd_unit_finder_run, as long as the finder. */
const nd_external_sort *nd_unit_finder_fresh(const nd_unit_finder *finder);

uint64_t nd_unit_finder_units(const nd_unit_finder *finder);
/* The first unit of a document; of the one behind the last, their number. */
uint64_t nd_unit_finder_first(const nd_unit_finder *finder, uint64_t document);
/* The document of a unit. O(log documents). */
uint64_t nd_unit_finder_document(const nd_unit_finder *finder, uint64_t unit);

#endif
