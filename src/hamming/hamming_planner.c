#include "hamming/hamming_planner.h"

#include "base/argument.h"
#include "base/options.h"
#include "base/floats.h"
#include "base/format.h"
#include "base/status.h"
#include "hamming/elias_fano_table.h"

#include <math.h>

enum { SIZES = 4, FIRST_SIZE = 18, SIZE_STEP = 4 }; /* tables of 2^18, 2^22, 2^26, 2^30 bytes */
enum { SMALL = 32 << 20 };                          /* bytes of tables that count as small */
enum { EXTREMES = 2 };
_Static_assert(ND_HAMMING_MOST_DESIGNS + EXTREMES == ND_HAMMING_ESTIMATES, "a list has all rows");

void nd_hamming_costs_init(nd_hamming_costs *costs) {
    *costs = (nd_hamming_costs){
        .look = {16, 17, 25, 38}, .key = {0.15, 0.25, 0.6, 0.9}, .query = 60};
}

/* Interpolates between the measured sizes by the logarithm of the size; constant outside of them.
 */
static double cost_at(const double *measured, double bytes) {
    double size = (log2(bytes < 1 ? 1 : bytes) - FIRST_SIZE) / SIZE_STEP;
    if (size <= 0) return measured[0];
    if (size >= SIZES - 1) return measured[SIZES - 1];
    int below = (int)size;
    return measured[below] + (measured[below + 1] - measured[below]) * (size - below);
}

/* Patterns of exactly `errors` errors in `bits` bits. */
static double patterns(unsigned bits, int errors) {
    double count = (unsigned)errors <= bits;
    for (int j = 1; j <= errors && (unsigned)j <= bits; j++)
        count = count * (double)(bits - (unsigned)j + 1) / j; /* exact below 2^53 */
    return count;
}

nd_hamming_table_cost nd_hamming_table_cost_of(const nd_hamming_costs *costs,
                                               const nd_probed_table *t, int errors) {
    nd_hamming_table_cost best = {0};
    if (errors < 0) return best;
    double bytes = t->tables * nd_ef_table_bytes(t->bits, t->keys),
           probe = cost_at(costs->look, bytes), key = cost_at(costs->key, bytes);
    unsigned deepest = t->width < t->bucket_bits ? t->width : t->bucket_bits;
    best.nanoseconds = INFINITY;
    for (unsigned depth = 0; depth <= deepest; depth++) {
        for (unsigned wide = 0; wide <= (errors > 0 && !t->only_narrow ? depth : 0); wide++) {
            double fewer = 0, most = patterns(depth - wide, errors);
            for (int e = 0; e < errors; e++) fewer += patterns(depth - wide, e);
            double compared = (fewer * ldexp(1, (int)wide) + most) * t->keys / ldexp(1, (int)depth),
                   cost = (fewer + most) * probe + compared * key;
            if (cost < best.nanoseconds)
                best = (nd_hamming_table_cost){.depth = depth,
                                               .wide = wide,
                                               .probes = fewer + most,
                                               .keys = compared,
                                               .nanoseconds = cost};
        }
    }
    return best;
}

unsigned nd_hamming_bucket_bits(uint32_t bits, double keys, nd_ef_table_use use) {
    uint64_t count = keys < 1 ? 1 : keys > 0x1p62 ? UINT64_C(1) << 62 : (uint64_t)keys;
    return nd_ef_table_bucket_bits(bits, count, use);
}

nd_hamming_estimate nd_hamming_estimate_of(const nd_hamming_costs *costs,
                                           const nd_hamming_design *design, double keys,
                                           uint32_t k) {
    nd_hamming_windows windows;
    int errors[ND_HAMMING_MOST_TABLES];
    nd_hamming_estimate e = {.microseconds = costs->query / 1000};
    const bool scan = design->kind == ND_HAMMING_SCAN;
    unsigned bucket_bits = nd_hamming_bucket_bits(design->bits, keys,
                                                  scan ? ND_EF_SCANNED : ND_EF_PROBED);
    nd_hamming_windows_of(design, &windows);
    nd_hamming_errors(design, k, errors);
    const double share = scan ? 0.5 : 1; /* a scanned key costs half of a probed one */
    nd_hamming_design_name(design, e.name, sizeof e.name);
    e.tables = windows.count;
    e.bytes = windows.count * nd_ef_table_bytes(design->bits, keys);
    e.most_errors = (uint32_t)errors[0];
    e.least_errors = errors[windows.count - 1] < 0 ? 0 : (uint32_t)errors[windows.count - 1];
    for (uint32_t t = 0; t < windows.count; t++) {
        const nd_probed_table table = {.bits = design->bits,
                                       .keys = keys,
                                       .tables = windows.count,
                                       .bucket_bits = bucket_bits,
                                       .width = windows.widths[t]};
        nd_hamming_table_cost c = nd_hamming_table_cost_of(costs, &table, errors[t]);
        e.looks += c.probes;
        e.candidates += c.keys;
        e.microseconds += c.nanoseconds * share / 1000;
    }
    return e;
}

/* Whether the design has few enough tables to be chosen. With few errors two tables are fast, and
 * each further table costs as many bytes as the first. So there are more than two only for many
 * errors, or if all tables together are small. Small tables must have windows at least as wide as
 * their buckets: a narrower window that many fingerprints share cannot be searched as a set of its
 * own (dense_buckets.h). */
static bool has_few_tables(const nd_hamming_design *design, double keys, double bytes) {
    nd_hamming_windows windows;
    uint32_t most = (design->k + 2) / 2, narrowest = UINT32_MAX;
    nd_hamming_windows_of(design, &windows);
    for (uint32_t t = 0; t < windows.count; t++)
        narrowest = windows.widths[t] < narrowest ? windows.widths[t] : narrowest;
    if (windows.count <= (most > 4 ? 4 : most < 2 ? 2 : most)) return true;
    return windows.count <= 4 && bytes <= SMALL &&
           narrowest >= nd_hamming_bucket_bits(design->bits, keys, ND_EF_PROBED);
}

/* The number of the estimate that is chosen: the fastest that fits and has few tables, else the
 * smallest. count >= 1. */
static size_t choose(const nd_hamming_estimate *list, size_t count) {
    size_t best = count, smallest = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].bytes < list[smallest].bytes) smallest = i;
        if (list[i].fits && list[i].few &&
            (best == count || list[i].microseconds < list[best].microseconds))
            best = i;
    }
    return best < count ? best : smallest;
}

nd_status nd_hamming_check_width(uint32_t bits, uint32_t k, nd_error *error) {
    if (bits != 16 && bits != 32 && bits != 64 && bits != 128)
        return nd_fail(error, ND_ERR_ARGUMENT, "bits must be 16, 32, 64 or 128, not %u", bits);
    if (k > bits / 4)
        return nd_fail(error, ND_ERR_ARGUMENT, "k must be 0 to %u for %u bits, not %u", bits / 4,
                       bits, k);
    return ND_OK;
}

static size_t estimate_all(double n, uint32_t bits, uint32_t k, double memory,
                           const nd_hamming_costs *costs, nd_hamming_design *designs,
                           nd_hamming_estimate *list) {
    size_t count = nd_hamming_designs(bits, k, designs);
    for (size_t i = 0; i < count; i++) {
        list[i] = nd_hamming_estimate_of(costs, &designs[i], n, k);
        list[i].fits = memory == 0 || list[i].bytes <= memory;
        list[i].few = has_few_tables(&designs[i], n, list[i].bytes);
    }
    list[choose(list, count)].chosen = true;
    return count;
}

/* ---- extremes */

/* Fingerprints within k of one, with itself. */
static double neighbours(uint32_t bits, uint32_t k) {
    double count = 0;
    for (uint32_t e = 0; e <= k; e++) count += patterns(bits, (int)e);
    return count;
}

/* An extreme has one table, whose window is the whole fingerprint. Its buckets are as many as
 * nd_ef_table_bytes counts: no index is made so, and no bound of our tables holds for it. */
static nd_hamming_estimate one_table(const nd_hamming_costs *costs, uint32_t bits, double keys,
                                     double looks) {
    int bucket_bits;
    frexp(keys, &bucket_bits);
    bucket_bits = bucket_bits - 1 < (int)bits - 1 ? bucket_bits - 1 : (int)bits - 1;
    double bytes = nd_ef_table_bytes(bits, keys), compared = looks * keys / ldexp(1, bucket_bits);
    return (nd_hamming_estimate){.tables = 1,
                                 .bytes = bytes,
                                 .looks = looks,
                                 .candidates = compared,
                                 .microseconds = (costs->query +
                                                  looks * cost_at(costs->look, bytes) +
                                                  compared * cost_at(costs->key, bytes)) /
                                                 1000,
                                 .extreme = true};
}

/* The two ways between which all designs lie (Manku, Jain, Das Sarma 2007, section 3): a query
 * looks for each of its neighbours, or the table holds each neighbour of each fingerprint. The
 * first way is one window without what makes it faster: neighbours in one bucket are one look. The
 * second one multiplies the keys, and so counts as many tables. */
static void estimate_extremes(const nd_hamming_plan_options *o, const nd_hamming_costs *costs,
                              nd_hamming_estimate out[EXTREMES]) {
    double all = neighbours(o->bits, o->k);
    out[0] = one_table(costs, o->bits, o->fingerprints, all);
    out[0].most_errors = out[0].least_errors = o->k;
    nd_format(out[0].name, sizeof out[0].name, "neighbours probed");
    out[1] = one_table(costs, o->bits, o->fingerprints * all, 1);
    nd_format(out[1].name, sizeof out[1].name, "neighbours stored");
    for (int i = 0; i < EXTREMES; i++) out[i].fits = o->memory == 0 || out[i].bytes <= o->memory;
}

nd_hamming_design nd_hamming_choose(double n, uint32_t bits, uint32_t k, double memory,
                                    const nd_hamming_costs *costs) {
    nd_hamming_design designs[ND_HAMMING_MOST_DESIGNS];
    nd_hamming_estimate list[ND_HAMMING_MOST_DESIGNS];
    nd_hamming_costs usual;
    nd_hamming_costs_init(&usual);
    size_t count = estimate_all(n, bits, k, memory, costs ? costs : &usual, designs, list),
           chosen = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].chosen) chosen = i;
    return designs[chosen];
}

static nd_status check_costs(const nd_hamming_costs *costs, nd_error *error) {
    bool fit = costs->query >= 0 && costs->query < INFINITY;
    for (int i = 0; i < SIZES; i++)
        fit = fit && costs->look[i] >= 0 && costs->look[i] < INFINITY && costs->key[i] >= 0 &&
              costs->key[i] < INFINITY;
    return fit ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT,
                         "costs must be finite nanoseconds, at least 0 each");
}

static const nd_hamming_plan_options defaults = {
    .struct_size = sizeof defaults, .bits = 64, .k = 3};

void nd_hamming_plan_options_init(nd_hamming_plan_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

nd_status nd_hamming_plan(const nd_hamming_plan_options *options, nd_hamming_estimate *out,
                          size_t *count, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_hamming_design designs[ND_HAMMING_MOST_DESIGNS];
    nd_hamming_costs usual;
    nd_hamming_plan_options o = defaults;
    ND_TRY(ND_READ_OPTIONS(options, &o, "nd_hamming_plan_options", error));
    ND_PIN(o.fingerprints);
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_need(count, "count", error));
    ND_TRY(nd_hamming_check_width(o.bits, o.k, error));
    if (!(o.fingerprints >= 1 && o.fingerprints <= 1e15))
        return nd_fail(error, ND_ERR_ARGUMENT, "fingerprints must be 1 to 10^15, not %g",
                       o.fingerprints);
    if (o.costs) ND_TRY(check_costs(o.costs, error));
    if (!(o.memory >= 0))
        return nd_fail(error, ND_ERR_ARGUMENT, "memory must be at least 0 bytes, not %g", o.memory);
    nd_hamming_costs_init(&usual);
    const nd_hamming_costs *costs = o.costs ? o.costs : &usual;
    *count = estimate_all(o.fingerprints, o.bits, o.k, o.memory, costs, designs, out);
    estimate_extremes(&o, costs, out + *count);
    *count += EXTREMES;
    for (size_t i = 1; i < *count; i++) {
        nd_hamming_estimate e = out[i];
        size_t j = i;
        for (; j > 0 && out[j - 1].microseconds > e.microseconds; j--) out[j] = out[j - 1];
        out[j] = e;
    }
    return ND_OK;
}
