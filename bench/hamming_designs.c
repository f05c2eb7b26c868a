/* hamming_designs --fingerprints FILE --queries FILE --k 3,6,8 [--sample S] [--dir DIR]
 *                 [--design M | --design C/B] [--json]
 *
 * Measures Hamming search with any design, on files of make_fingerprints, on one thread. For each k
 * it builds the tables of the design that the planner chooses, or of the design with M windows (0:
 * the scan), or with C of B blocks. The tables are in a sealed file, which is removed as soon as it
 * is open. One pass over every page, before any query, has all pages mapped and verified; then come
 * warm-up queries, the first stored fingerprints with all bits flipped.
 *
 * It prints one line per k. In JSON:
 *   build_seconds            from the fingerprints in memory to the finished file, with hashes and
 *                            sync
 *   bytes                    of the tables
 *   document_bytes           of the lists that lead to the ids
 *   look_seconds             the pass over every page
 *   seconds                  all queries; each returns the list of its ids
 *   any_seconds              all queries; each ends with its first answer
 *   batch_seconds            all queries in one call
 *   hits, checksum           of a second pass: sum of mix64(query << 32 | id) over all hits
 *   sample_hits,
 *   sample_checksum          of the first S queries (default 1000)
 *
 * Links the objects of the library, because the public interface does not let a caller choose a
 * design. */
#define PROGRAM_NAME "hamming_designs"
#include "base/hash.h"
#include "hamming/hamming_planner.h"
#include "hamming/hamming_search.h"
#include "fingerprint_words.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { WARMING_QUERIES = 10000, KIND = 7 };

typedef struct settings {
    const char *fingerprints, *queries, *directory;
    radii radii;
    uint64_t sample;
    const char *design; /* NULL: the one that the planner chooses */
    bool json;
} settings;

/* The answer to one query. */
typedef struct id_list {
    uint32_t *ids;
    size_t count, room;
    bool any; /* the first hit is enough */
} id_list;

typedef struct built {
    nd_sealed_file *file;
    nd_hamming_tables tables;
    nd_hamming_search_context *search;
    double seconds;
} built;

typedef struct figures {
    uint64_t hits, checksum;
} figures;

static void check(nd_status status, const nd_error *error) {
    if (status != ND_OK) stop(error->message);
}

static nd_status take(void *context, const nd_hamming_hit *hit, bool *more, nd_error *error) {
    id_list *list = context;
    uint64_t begin, end;
    ND_TRY(nd_document_lists_slots(&hit->tables->lists, hit->entry, &begin, &end, error));
    if (list->any) end = begin + 1;
    if (list->count + (end - begin) > list->room)
        list->ids = sized(list->ids, list->room = 2 * (list->count + (end - begin)),
                          sizeof *list->ids);
    for (; begin < end; begin++)
        ND_TRY(nd_document_lists_at(&hit->tables->lists, begin, &list->ids[list->count++], error));
    *more = !list->any;
    return ND_OK;
}

static void run_query(built *b, uint64_t query, uint32_t k, id_list *list) {
    nd_error error;
    const nd_fingerprint one = {query, 0};
    const nd_hamming_request request = {
        .tables = &b->tables, .queries = &one, .count = 1, .k = k, .fn = take, .context = list};
    list->count = 0;
    check(nd_hamming_search_tables(b->search, &request, &error), &error);
}

static void write_tables(const char *path, const nd_hamming_design *design, const words *all) {
    nd_error error;
    nd_sealed_writer *file;
    nd_hamming_writer *writer;
    nd_seal seal;
    check(nd_sealed_writer_create(path, KIND, &nd_allocator_default, &file, &error), &error);
    const nd_hamming_writer_settings tables = {.file = file,
                                               .design = design,
                                               .documents = all->count,
                                               .disk = nd_sealed_writer_disk(file),
                                               .memory_limit = SIZE_MAX / 4};
    check(nd_hamming_writer_create(&tables, &nd_allocator_default, &writer, &error), &error);
    for (uint64_t i = 0; i < all->count; i++)
        check(nd_hamming_put(writer, &(nd_fingerprint){all->values[i], 0}, (uint32_t)i, 1, &error),
              &error);
    check(nd_hamming_finish(writer, &error), &error);
    nd_hamming_writer_free(writer);
    check(nd_sealed_finish(file, &seal, &error), &error);
    nd_sealed_writer_free(file);
}

/* "C/B": C of B blocks; "M": M windows; "0": the scan. */
static nd_hamming_design read_design(const char *text, uint32_t k) {
    unsigned first = 0, blocks = 0;
    char behind;
    int parts = sscanf(text, "%u/%u%c", &first, &blocks, &behind);
    if (parts != 2 && (parts != 1 || strchr(text, '/'))) stop("--design takes M or C/B");
    if (parts == 2) return (nd_hamming_design){ND_HAMMING_BLOCKS, 64, k, blocks, first};
    return (nd_hamming_design){first ? ND_HAMMING_WINDOWS : ND_HAMMING_SCAN, 64, k, first, 1};
}

static built build(const settings *s, const words *all, uint32_t k) {
    char path[PATH_MAX];
    nd_error error;
    built b = {0};
    nd_hamming_design design = nd_hamming_choose((double)all->count, 64, k, 0, NULL);
    if (s->design) design = read_design(s->design, k);
    check(nd_hamming_design_check(&design, &error), &error);
    snprintf(path, sizeof path, "%s/hamming_designs-%ld", s->directory, (long)getpid());
    double start = now();
    write_tables(path, &design, all);
    b.seconds = now() - start;
    check(nd_sealed_open(path, KIND, NULL, &nd_allocator_default, &b.file, &error), &error);
    remove(path);
    check(nd_hamming_tables_open(b.file, &nd_allocator_default, &b.tables, &error), &error);
    check(nd_hamming_search_context_create(&nd_allocator_default, &b.search, &error), &error);
    return b;
}

static void look_at_section(const built *b, const nd_section *section) {
    nd_error error;
    const unsigned char *p;
    for (uint64_t at = 0; at < section->size; at += ND_SEALED_PAGE)
        check(nd_sealed_view(b->file, section, at, 1, &p, &error), &error);
}

static void look_at_table(const built *b, const nd_ef_table *t) {
    look_at_section(b, &t->heads);
    look_at_section(b, &t->directory);
    look_at_section(b, &t->samples);
}

/* Returns seconds. */
static double look_at_all(const built *b) {
    double start = now();
    for (uint32_t t = 0; t < b->tables.windows.count; t++) {
        look_at_table(b, &b->tables.tables[t]);
        for (unsigned half = 0; half < 2; half++)
            look_at_table(b, &b->tables.dense[t].tables[half]);
    }
    look_at_section(b, &b->tables.lists.entry_numbers);
    look_at_section(b, &b->tables.lists.member_numbers);
    look_at_section(b, &b->tables.lists.begins);
    return now() - start;
}

static double time_batch(built *b, const words *queries, uint32_t k) {
    nd_error error;
    id_list list = {0};
    nd_fingerprint *all = sized(NULL, queries->count, sizeof *all);
    for (uint64_t i = 0; i < queries->count; i++) all[i] = (nd_fingerprint){queries->values[i], 0};
    const nd_hamming_request request = {.tables = &b->tables,
                                        .queries = all,
                                        .count = queries->count,
                                        .k = k,
                                        .fn = take,
                                        .context = &list};
    double start = now();
    check(nd_hamming_search_tables(b->search, &request, &error), &error);
    double seconds = now() - start;
    free(all);
    free(list.ids);
    return seconds;
}

/* Returns the seconds of all queries; `found` gets the number of returned ids. */
static double time_queries(built *b, const words *queries, uint32_t k, bool any, uint64_t *found) {
    id_list list = {.any = any};
    double start = now();
    *found = 0;
    for (uint64_t i = 0; i < queries->count; i++) {
        run_query(b, queries->values[i], k, &list);
        *found += list.count;
    }
    double seconds = now() - start;
    free(list.ids);
    return seconds;
}

static void count_hits(built *b, const words *queries, uint32_t k, uint64_t sample, figures *of_all,
                       figures *of_sample) {
    id_list list = {0};
    *of_all = (figures){0};
    for (uint64_t i = 0; i < queries->count; i++) {
        if (i == sample) *of_sample = *of_all;
        run_query(b, queries->values[i], k, &list);
        of_all->hits += list.count;
        for (size_t j = 0; j < list.count; j++) of_all->checksum += nd_mix64(i << 32 | list.ids[j]);
    }
    if (sample >= queries->count) *of_sample = *of_all;
    free(list.ids);
}

static void measure(const settings *s, const words *all, const words *queries, uint32_t k) {
    built b = build(s, all, k);
    words warming = {sized(NULL, WARMING_QUERIES, 8),
                     all->count < WARMING_QUERIES ? all->count : WARMING_QUERIES};
    for (uint64_t i = 0; i < warming.count; i++) warming.values[i] = ~all->values[i];
    uint64_t ignored, found, sample = s->sample < queries->count ? s->sample : queries->count;
    figures of_all, of_sample = {0};
    char design[40];
    double look = look_at_all(&b);
    time_queries(&b, &warming, k, false, &ignored);
    double seconds = time_queries(&b, queries, k, false, &found),
           any = time_queries(&b, queries, k, true, &ignored), batch = time_batch(&b, queries, k);
    count_hits(&b, queries, k, sample, &of_all, &of_sample);
    if (found != of_all.hits) stop("the two passes found different numbers");
    nd_hamming_design_name(&b.tables.design, design, sizeof design);
    uint64_t bytes = nd_hamming_table_bytes(&b.tables),
             document_bytes = nd_document_lists_bytes(&b.tables.lists);
    if (s->json)
        printf("{\"name\": \"neardup\", \"count\": %" PRIu64
               ", \"k\": %u, \"design\": \"%s\", \"queries\": %" PRIu64
               ", \"build_seconds\": %.6f, \"look_seconds\": %.6f, \"bytes\": %" PRIu64
               ", \"document_bytes\": %" PRIu64 ", \"seconds\": %.6f, \"any_seconds\": %.6f, "
               "\"batch_seconds\": %.6f, \"hits\": %" PRIu64 ", \"checksum\": \"%016" PRIx64
               "\", \"sample\": %" PRIu64 ", \"sample_hits\": %" PRIu64
               ", \"sample_checksum\": \"%016" PRIx64 "\"}\n",
               all->count, k, design, queries->count, b.seconds, look, bytes, document_bytes,
               seconds, any, batch, of_all.hits, of_all.checksum, sample, of_sample.hits,
               of_sample.checksum);
    else
        printf("%" PRIu64 " k=%u %-12s build %6.2f s  %5.2f + %.2f bytes  %9.3f us a query, any "
               "%9.3f us, together %9.3f us  %.3f hits\n",
               all->count, k, design, b.seconds, (double)bytes / (double)all->count,
               (double)document_bytes / (double)all->count, seconds / (double)queries->count * 1e6,
               any / (double)queries->count * 1e6, batch / (double)queries->count * 1e6,
               (double)of_all.hits / (double)queries->count);
    fflush(stdout);
    nd_hamming_search_context_free(b.search);
    nd_hamming_tables_close(&b.tables, &nd_allocator_default);
    nd_sealed_close(b.file);
    free(warming.values);
}

static settings read_settings(int argc, char **argv) {
    const char *directory = getenv("TMPDIR");
    settings s = {.directory = directory ? directory : "/tmp", .sample = 1000};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--json") == 0) {
            s.json = true;
            continue;
        }
        if (!value) stop("an option needs a value");
        i++;
        if (strcmp(name, "--fingerprints") == 0) s.fingerprints = value;
        else if (strcmp(name, "--queries") == 0) s.queries = value;
        else if (strcmp(name, "--dir") == 0) s.directory = value;
        else if (strcmp(name, "--k") == 0) s.radii = read_radii(value);
        else if (strcmp(name, "--sample") == 0) s.sample = strtoull(value, NULL, 10);
        else if (strcmp(name, "--design") == 0) s.design = value;
        else
            stop("usage: hamming_designs --fingerprints FILE --queries FILE --k K,... [--sample S] "
                 "[--dir DIR] [--design M | --design C/B] [--json]");
    }
    if (!s.fingerprints || !s.queries || s.radii.count == 0)
        stop("--fingerprints, --queries and --k are needed");
    return s;
}

int main(int argc, char **argv) {
    settings s = read_settings(argc, argv);
    words all = read_words(s.fingerprints), queries = read_words(s.queries);
    for (size_t i = 0; i < s.radii.count; i++) measure(&s, &all, &queries, s.radii.values[i]);
    free(all.values);
    free(queries.values);
    return 0;
}
