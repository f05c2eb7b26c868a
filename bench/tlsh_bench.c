/* tlsh_bench: measures the exact search among TLSH digests against a scan of all with the same
 * kernel, on one thread.
 *
 *   tlsh_bench DIGESTS [--queries N]
 *   tlsh_bench --random COUNT [--queries N]
 *
 * DIGESTS: a table of neardup tlsh; TNULL is left out. --random: digests with evenly spread classes
 * 10 to 39, ratios and bodies. Queries are every so-manieth digest. For each distance it prints the
 * mean time of a query in microseconds, by the index and by the scan, and the digests found; and
 * the seconds of all pairs within the distance by the index, and their number. It stops if both
 * find another number. */
#define PROGRAM_NAME "tlsh_bench"
#include "kernel/kernel.h"
#include "program.h"
#include "sketch/tlsh.h"

#include <inttypes.h>
#include <neardup.h>
#include <string.h>

static nd_tlsh *digests;
static size_t count;
static uint64_t *bodies, *hits;

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static void read_digests(const char *path) {
    char line[4096];
    FILE *file = fopen(path, "r");
    if (!file) stop("cannot read the digests");
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char *tab = strchr(line, '\t');
        if (!tab || strcmp(tab, "\tTNULL") == 0) continue;
        if (count % 4096 == 0) digests = sized(digests, count + 4096, sizeof *digests);
        if (nd_tlsh_parse(tab + 1, strlen(tab + 1), &digests[count++], NULL) != ND_OK)
            stop("a line has no digest");
    }
    fclose(file);
}

static void make_random(size_t wanted) {
    uint64_t state = 1;
    digests = sized(NULL, count = wanted, sizeof *digests);
    memset(digests, 0, count * sizeof *digests);
    for (size_t i = 0; i < count; i++) {
        uint64_t header = next(&state), body[4];
        for (size_t k = 0; k < 4; k++) body[k] = next(&state);
        memcpy(digests[i].body, body, 32);
        digests[i].checksum[0] = (uint8_t)header;
        digests[i].length_class = (uint8_t)(10 + (header >> 8) % 30);
        digests[i].ratio1 = header >> 40 & 15;
        digests[i].ratio2 = header >> 44 & 15;
    }
}

/* nd_tlsh_match_fn, nd_tlsh_pair_fn */
static bool add_match(void *context, uint32_t number, uint32_t distance) {
    (void)number, (void)distance;
    ++*(uint64_t *)context;
    return true;
}
static bool add_pair(void *context, uint32_t a, uint32_t b, uint32_t distance) {
    (void)b;
    return add_match(context, a, distance);
}

static uint32_t header_distance(const nd_tlsh *a, const nd_tlsh *b) {
    return nd_tlsh_length_distance(a->length_class, b->length_class) +
           nd_tlsh_ratio_distance(a->ratio1, b->ratio1) +
           nd_tlsh_ratio_distance(a->ratio2, b->ratio2) + (a->checksum[0] != b->checksum[0]);
}

/* Bodies first, all in one call; then the headers of those that are near. */
static uint64_t scan(const nd_tlsh *query, uint32_t most) {
    uint64_t body[4], found = 0;
    memcpy(body, query->body, sizeof body);
    size_t near = nd_kernel_get()->near_tlsh(bodies, 4, count, body, most, hits);
    for (size_t h = 0; h < near; h++)
        found += (hits[h] >> 32) + header_distance(query, &digests[(uint32_t)hits[h]]) <= most;
    return found;
}

static void measure(const nd_tlsh_index *index, uint32_t most, size_t queries) {
    uint64_t by_index = 0, by_scan = 0, pairs = 0;
    double start = now();
    for (size_t q = 0; q < queries; q++)
        if (nd_tlsh_index_search(index, &digests[q * (count / queries)], most, true, add_match,
                                 &by_index, NULL) != ND_OK)
            stop("the search failed");
    double index_time = now() - start;
    start = now();
    for (size_t q = 0; q < queries; q++) by_scan += scan(&digests[q * (count / queries)], most);
    double scan_time = now() - start;
    start = now();
    if (nd_tlsh_index_pairs(index, most, true, add_pair, &pairs, NULL) != ND_OK)
        stop("the search for pairs failed");
    double pair_time = now() - start;
    if (by_index != by_scan) stop("index and scan differ");
    printf("%8" PRIu32 " %12.1f %12.1f %8.1f %12.1f %12.3f %12" PRIu64 "\n", most,
           1e6 * index_time / (double)queries, 1e6 * scan_time / (double)queries,
           scan_time / index_time, (double)by_index / (double)queries, pair_time, pairs);
}

int main(int argc, char **argv) {
    static const uint32_t most[] = {10, 20, 30, 50, 70, 100, 150};
    size_t queries = 1000;
    nd_tlsh_index *index;
    nd_error error;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--queries") == 0 && i + 1 < argc)
            queries = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--random") == 0 && i + 1 < argc)
            make_random(strtoul(argv[++i], NULL, 10));
        else read_digests(argv[i]);
    if (queries == 0 || count < queries) stop("fewer digests than queries");
    bodies = sized(NULL, count, 32);
    hits = sized(NULL, count + 1, 8);
    for (size_t i = 0; i < count; i++) memcpy(bodies + 4 * i, digests[i].body, 32);
    double start = now();
    if (nd_tlsh_index_create(digests, count, NULL, &index, &error) != ND_OK) stop(error.message);
    printf("%zu digests, %zu queries, kernel %s, index built in %.3f s\n", count, queries,
           nd_kernel_get()->name, now() - start);
    printf("distance     index us      scan us  scan/idx  found/query      pairs s        pairs\n");
    for (size_t m = 0; m < sizeof most / sizeof *most; m++) measure(index, most[m], queries);
    nd_tlsh_index_free(index);
    free(digests), free(bodies), free(hits);
    return 0;
}
