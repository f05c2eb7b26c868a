#include "repeats/line_index.h"

#include "base/bits.h"
#include "base/format.h"
#include "io/file.h"
#include "storage/process_lock.h"
#include "storage/sealed_file.h"
#include "store/state_directory.h"
#include "store/store_lock.h"

#include <string.h>
#include <unistd.h>

/* Version of the format, its sections, and the sizes of their parts. */
enum {
    FORMAT = 1,
    SETTINGS = 1, /* of a state */
    RUNS = 2,
    ENTRIES = 1, /* of a run */
    ID_ENDS = 2,
    IDS = 3,
    UNICODE_SIZE = 16,
    SETTINGS_SIZE = 16 + UNICODE_SIZE,
    RUN_SIZE = 48,
    ENTRY_SIZE = 16
};

enum { NUMBER_BITS = 40 };

typedef struct line_run {
    uint64_t file, entries;
    uint64_t first, documents; /* the numbers of its documents begin at `first` */
    nd_seal seal;
    nd_sealed_file *sealed;
    nd_section entry_section, end_section, id_section;
} line_run;

struct nd_line_index {
    const nd_run *run;
    char *directory;
    nd_line_settings settings;
    nd_process_lock lock;
    bool made;       /* the directory, by this handle */
    bool opened;     /* all that belongs to the state is known */
    uint64_t number; /* of the state; 0: there is none yet */
    line_run runs[ND_LINE_RUNS];
    size_t count;
    /* The next state: the first `stay` runs and, if it has entries, `added`. */
    line_run added;
    size_t stay;
    uint64_t next_number;
};

static nd_status damaged(const char *path, const char *what, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %s", path, what);
}

static nd_status path_of(const nd_line_index *x, nd_state_file_kind kind, uint64_t number,
                         char **out, nd_error *error) {
    *out = nd_state_file_path(&x->run->allocator, x->directory, kind, number);
    return *out ? ND_OK : nd_fail_memory(error, strlen(x->directory), "a path");
}

/* ---- runs */

/* Fills the sections of a run whose file is open. */
static nd_status find_sections(line_run *r, nd_error *error) {
    ND_TRY(nd_sealed_section(r->sealed, ENTRIES, &r->entry_section, error));
    ND_TRY(nd_sealed_section(r->sealed, ID_ENDS, &r->end_section, error));
    ND_TRY(nd_sealed_section(r->sealed, IDS, &r->id_section, error));
    bool fits = r->entry_section.size / ENTRY_SIZE == r->entries &&
                r->end_section.size / sizeof(uint64_t) == r->documents;
    return fits ? ND_OK : damaged(nd_sealed_path(r->sealed), "its parts have other sizes", error);
}

static nd_status open_run(const nd_line_index *x, line_run *r, nd_error *error) {
    char *path;
    ND_TRY(path_of(x, ND_FILE_LINE_RUN, r->file, &path, error));
    nd_status status = nd_sealed_open(path, ND_SEALED_LINE_RUN, &r->seal, &x->run->allocator,
                                      &r->sealed, error);
    nd_release(&x->run->allocator, path);
    return status == ND_OK ? find_sections(r, error) : status;
}

static nd_status entry_at(const line_run *r, uint64_t number, nd_line_entry *out, nd_error *error) {
    const unsigned char *bytes;
    ND_TRY(nd_sealed_view(r->sealed, &r->entry_section, number * ENTRY_SIZE, ENTRY_SIZE, &bytes,
                          error));
    *out = (nd_line_entry){nd_load_le64(bytes), nd_load_le64(bytes + 8)};
    return ND_OK;
}

/* The bytes [begin, end) of the ids that belong to a document of a run. */
static nd_status id_range(const line_run *r, uint64_t document, uint64_t range[2],
                          nd_error *error) {
    const unsigned char *bytes;
    for (unsigned i = 0; i < 2; i++) {
        range[i] = 0;
        if (document + i == 0) continue;
        ND_TRY(
            nd_sealed_view(r->sealed, &r->end_section, (document + i - 1) * 8, 8, &bytes, error));
        range[i] = nd_load_le64(bytes);
    }
    return range[0] <= range[1] && range[1] <= r->id_section.size
               ? ND_OK
               : damaged(nd_sealed_path(r->sealed), "an id ends at a wrong place", error);
}

nd_status nd_line_index_id(const nd_line_index *x, uint64_t document, const char **id,
                           size_t *length, nd_error *error) {
    for (size_t i = 0; i < x->count; i++) {
        const line_run *r = &x->runs[i];
        const unsigned char *bytes = (const unsigned char *)"";
        uint64_t range[2];
        if (document < r->first || document - r->first >= r->documents) continue;
        ND_TRY(id_range(r, document - r->first, range, error));
        *length = (size_t)(range[1] - range[0]);
        if (*length > 0)
            ND_TRY(nd_sealed_view(r->sealed, &r->id_section, range[0], *length, &bytes, error));
        *id = (const char *)bytes;
        return ND_OK;
    }
    return damaged(x->directory, "a line is of a document that it does not have", error);
}

uint64_t nd_line_index_next_document(const nd_line_index *x) {
    const line_run *last = x->count > 0 ? &x->runs[x->count - 1] : NULL;
    return last ? last->first + last->documents : 0;
}

/* ---- searching */

static bool is_less(const nd_line_entry *a, const nd_line_entry *b) {
    return a->hash != b->hash ? a->hash < b->hash : a->rest >> NUMBER_BITS < b->rest >> NUMBER_BITS;
}

/* Moves *at to the first entry that is not below the line: by steps that double, and then by
 * halves. */
static nd_status skip_to(const line_run *r, const nd_line_entry *line, uint64_t *at,
                         nd_error *error) {
    uint64_t low = *at, high = low;
    nd_line_entry entry;
    for (uint64_t step = 1; high < r->entries; step *= 2) {
        ND_TRY(entry_at(r, high, &entry, error));
        if (!is_less(&entry, line)) break;
        low = high + 1;
        high = r->entries - high > step ? high + step : r->entries;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        ND_TRY(entry_at(r, middle, &entry, error));
        if (is_less(&entry, line)) low = middle + 1;
        else high = middle;
    }
    *at = low;
    return ND_OK;
}

nd_status nd_line_search_find(nd_line_search *s, const nd_line_entry *line, bool *found,
                              uint64_t *document, nd_error *error) {
    *found = false;
    for (size_t i = 0; i < s->index->count && !*found; i++) {
        const line_run *r = &s->index->runs[i];
        nd_line_entry entry;
        ND_TRY(skip_to(r, line, &s->at[i], error));
        if (s->at[i] == r->entries) continue;
        ND_TRY(entry_at(r, s->at[i], &entry, error));
        *found = !is_less(line, &entry);
        *document = entry.rest & ((UINT64_C(1) << NUMBER_BITS) - 1);
    }
    return ND_OK;
}

/* ---- the state */

static nd_status check_settings(const nd_line_index *x, const unsigned char *bytes,
                                nd_error *error) {
    static const char *const units[] = {"line", "paragraph", "sentence"}, *const sames[] = {
                                                                              "bytes", "words"};
    const nd_line_settings *s = &x->settings;
    uint32_t version = nd_load_le32(bytes), unit = nd_load_le32(bytes + 4),
             same = nd_load_le32(bytes + 8), words = nd_load_le32(bytes + 12);
    const char *unicode = (const char *)bytes + 16;
    if (version > FORMAT)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: in version %u of the format, of a newer neardup: this one reads "
                       "version %d",
                       x->directory, version, FORMAT);
    if (version == 0 || unit > ND_UNIT_SENTENCE || same > ND_UNITS_BY_WORDS ||
        !memchr(unicode, 0, UNICODE_SIZE))
        return damaged(x->directory, "its settings are none", error);
    if (strcmp(unicode, ND_UNICODE_VERSION) != 0)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: made with Unicode %s: this neardup has the tables of Unicode %s",
                       x->directory, unicode, ND_UNICODE_VERSION);
    if (unit != (uint32_t)s->unit || same != (uint32_t)s->same || words != s->min_words)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: made with --unit %s --same %s --min-words %u (unit, same, min_words), "
                       "which every run with it has",
                       x->directory, units[unit], sames[same], words);
    return ND_OK;
}

/* Reads the runs, which must follow each other by their documents. */
static nd_status read_runs(nd_line_index *x, const nd_sealed_file *state, nd_error *error) {
    nd_section section;
    ND_TRY(nd_sealed_section(state, RUNS, &section, error));
    if (section.size % RUN_SIZE != 0 || section.size / RUN_SIZE > ND_LINE_RUNS)
        return damaged(nd_sealed_path(state), "its list of runs", error);
    for (size_t count = (size_t)(section.size / RUN_SIZE); x->count < count; x->count++) {
        const unsigned char *b;
        uint64_t next = nd_line_index_next_document(x);
        ND_TRY(nd_sealed_view(state, &section, x->count * RUN_SIZE, RUN_SIZE, &b, error));
        line_run *r = &x->runs[x->count];
        *r = (line_run){.file = nd_load_le64(b),
                        .entries = nd_load_le64(b + 8),
                        .first = nd_load_le64(b + 16),
                        .documents = nd_load_le64(b + 24),
                        .seal = {nd_load_le64(b + 32), nd_load_le64(b + 40)}};
        if (r->first != next || r->documents >> NUMBER_BITS || r->first >> NUMBER_BITS)
            return damaged(nd_sealed_path(state), "the numbers of documents", error);
    }
    return ND_OK;
}

static nd_status read_state(nd_line_index *x, nd_error *error) {
    char *path;
    nd_sealed_file *state = NULL;
    nd_section settings;
    const unsigned char *bytes;
    const nd_allocator *a = &x->run->allocator;
    ND_TRY(path_of(x, ND_FILE_LINES, x->number, &path, error));
    nd_status status = nd_sealed_open(path, ND_SEALED_LINES, NULL, a, &state, error);
    nd_release(a, path);
    if (status == ND_OK) status = nd_sealed_section(state, SETTINGS, &settings, error);
    if (status == ND_OK) status = nd_sealed_view(state, &settings, 0, SETTINGS_SIZE, &bytes, error);
    if (status == ND_OK) status = check_settings(x, bytes, error);
    if (status == ND_OK) status = read_runs(x, state, error);
    nd_sealed_close(state);
    for (size_t i = 0; i < x->count && status == ND_OK; i++)
        status = open_run(x, &x->runs[i], error);
    return status;
}

static nd_status write_settings(const nd_line_index *x, nd_sealed_writer *w, nd_error *error) {
    unsigned char bytes[SETTINGS_SIZE] = {0};
    nd_store_le32(bytes, FORMAT);
    nd_store_le32(bytes + 4, (uint32_t)x->settings.unit);
    nd_store_le32(bytes + 8, (uint32_t)x->settings.same);
    nd_store_le32(bytes + 12, x->settings.min_words);
    memcpy(bytes + 16, ND_UNICODE_VERSION, sizeof ND_UNICODE_VERSION);
    ND_TRY(nd_sealed_begin(w, SETTINGS, error));
    return nd_sealed_write(w, bytes, sizeof bytes, error);
}

static nd_status write_run(nd_sealed_writer *w, const line_run *r, nd_error *error) {
    const uint64_t words[] = {r->file,      r->entries,   r->first,
                              r->documents, r->seal.size, r->seal.hash};
    unsigned char bytes[RUN_SIZE];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        nd_store_le64(bytes + 8 * i, words[i]);
    return nd_sealed_write(w, bytes, sizeof bytes, error);
}

/* Writes the next state, which has its name then. */
static nd_status write_state(const nd_line_index *x, nd_sealed_writer *w, nd_error *error) {
    nd_seal seal;
    ND_TRY(write_settings(x, w, error));
    ND_TRY(nd_sealed_begin(w, RUNS, error));
    for (size_t i = 0; i < x->stay; i++) ND_TRY(write_run(w, &x->runs[i], error));
    if (x->added.entries > 0) ND_TRY(write_run(w, &x->added, error));
    return nd_sealed_finish(w, &seal, error);
}

/* ---- opening */

/* nd_state_uses_fn */
static bool uses(void *context, const nd_state_file *file) {
    const nd_line_index *x = context;
    if (file->unfinished) return false;
    if (file->kind == ND_FILE_LINES) return file->number == x->number;
    for (size_t i = 0; i < x->count; i++)
        if (file->number == x->runs[i].file) return true;
    return false;
}

/* Finds the state, or checks that one can be made. */
static nd_status find_state(nd_line_index *x, nd_error *error) {
    ND_TRY(nd_state_find_newest(x->directory, ND_FILE_LINES, &x->number, error));
    return x->number > 0
               ? ND_OK
               : nd_state_check_free(x->directory, ND_OWNER_LINES, &x->run->allocator, error);
}

static nd_status open_directory(nd_line_index *x, nd_error *error) {
    const nd_allocator *a = &x->run->allocator;
    ND_TRY(find_state(x, error));
    if (x->number == 0) ND_TRY(nd_directory_create(x->directory, &x->made, a, error));
    ND_TRY(nd_store_lock_take(x->directory, a, &x->lock, error));
    /* Again, since another process may have made one before this one had the lock. */
    ND_TRY(find_state(x, error));
    if (x->number > 0) ND_TRY(read_state(x, error));
    x->stay = x->count;
    x->opened = true;
    return nd_state_remove_orphans(x->directory, ND_OWNER_LINES, uses, x, NULL, error);
}

nd_status nd_line_index_open(const nd_run *run, const char *directory,
                             const nd_line_settings *settings, nd_line_index **out,
                             nd_error *error) {
    nd_line_index *x = nd_allocate_zero(&run->allocator, 1, sizeof *x);
    if (!x) return nd_fail_memory(error, sizeof *x, "an index of lines");
    x->run = run;
    x->settings = *settings;
    x->lock = ND_PROCESS_LOCK_NONE;
    x->directory = nd_string_join(&run->allocator, directory, "", "");
    nd_status status = x->directory ? open_directory(x, error)
                                    : nd_fail_memory(error, strlen(directory), "a path");
    if (status == ND_OK) *out = x;
    else nd_line_index_free(x);
    return status;
}

/* Removes what no state has: a run that was added in vain, and all of an index that was begun in
 * vain. Allocates nothing, since memory may have run out. */
static void remove_unused(nd_line_index *x) {
    char path[ND_PATH_SIZE];
    if (x->opened && nd_process_lock_is_own(&x->lock)) {
        nd_status status = nd_state_remove_orphans(x->directory, ND_OWNER_LINES, uses, x, NULL,
                                                   NULL);
        (void)status; /* the next writer removes them */
        if (x->number == 0 && nd_path_join(path, x->directory, "lock"))
            nd_process_lock_remove(&x->lock, path);
    }
    if (x->made && x->number == 0) rmdir(x->directory);
}

void nd_line_index_free(nd_line_index *x) {
    if (!x) return;
    const nd_allocator *a = &x->run->allocator;
    for (size_t i = 0; i < x->count; i++) nd_sealed_close(x->runs[i].sealed);
    if (x->directory) remove_unused(x);
    nd_process_lock_release(&x->lock);
    nd_release(a, x->directory);
    nd_release(a, x);
}

/* ---- adding */

/* Entries in ascending order: those of a run, or, with `run` NULL, of the sorter. */
typedef struct entry_stream {
    const line_run *run;
    const nd_external_sort *sorter;
    nd_part_buffer part;
    size_t next_part;
    uint64_t at; /* in the run, or in the part */
    nd_line_entry entry;
    bool ended;
} entry_stream;

static nd_status next_entry(entry_stream *s, nd_error *error) {
    if (s->run) {
        s->ended = s->at == s->run->entries;
        return s->ended ? ND_OK : entry_at(s->run, s->at++, &s->entry, error);
    }
    while (s->at == s->part.count) {
        s->ended = s->next_part == nd_external_sort_parts(s->sorter);
        if (s->ended) return ND_OK;
        s->at = 0;
        ND_TRY(nd_external_sort_load_records(s->sorter, s->next_part++, &s->part, error));
    }
    const uint64_t *words = s->part.words + 2 * s->at++;
    s->entry = (nd_line_entry){words[0], words[1]};
    return ND_OK;
}

/* Writes the next one of all streams. *done: there is none. */
static nd_status write_least(entry_stream *streams, size_t count, nd_sealed_writer *w, bool *done,
                             nd_error *error) {
    entry_stream *least = NULL;
    unsigned char bytes[ENTRY_SIZE];
    for (size_t i = 0; i < count; i++)
        if (!streams[i].ended && (!least || is_less(&streams[i].entry, &least->entry)))
            least = &streams[i];
    *done = !least;
    if (!least) return ND_OK;
    nd_store_le64(bytes, least->entry.hash);
    nd_store_le64(bytes + 8, least->entry.rest);
    ND_TRY(nd_sealed_write(w, bytes, sizeof bytes, error));
    return next_entry(least, error);
}

static nd_status merge_entries(nd_line_index *x, const nd_external_sort *entries,
                               nd_sealed_writer *w, nd_error *error) {
    entry_stream streams[ND_LINE_RUNS + 1] = {[0].sorter = entries};
    size_t count = 1;
    bool done = false;
    nd_status status = nd_sealed_begin(w, ENTRIES, error);
    for (size_t i = x->stay; i < x->count; i++) streams[count++].run = &x->runs[i];
    for (size_t i = 0; i < count && status == ND_OK; i++) status = next_entry(&streams[i], error);
    for (uint64_t n = 0; status == ND_OK && !done; n++) {
        if (n % 4096 == 0) status = nd_progress_poll(x->run->progress, error);
        if (status == ND_OK) status = write_least(streams, count, w, &done, error);
    }
    nd_part_buffer_free(&x->run->allocator, &streams[0].part);
    return status;
}

static nd_status write_end(nd_sealed_writer *w, uint64_t end, nd_error *error) {
    unsigned char bytes[8];
    nd_store_le64(bytes, end);
    return nd_sealed_write(w, bytes, sizeof bytes, error);
}

/* Writes where the ids end: of the documents of the merged runs, then of those in `names`. */
static nd_status write_id_ends(const nd_line_index *x, const nd_document_names *names,
                               nd_id_buffer *id, nd_sealed_writer *w, nd_error *error) {
    uint64_t end = 0, range[2];
    ND_TRY(nd_sealed_begin(w, ID_ENDS, error));
    for (size_t i = x->stay; i < x->count; i++)
        for (uint64_t d = 0; d < x->runs[i].documents; d++) {
            ND_TRY(id_range(&x->runs[i], d, range, error));
            ND_TRY(write_end(w, end += range[1] - range[0], error));
        }
    for (size_t d = 0; d < names->count; d++) {
        ND_TRY(nd_document_names_find(names, d, id, error));
        ND_TRY(write_end(w, end += id->length, error));
    }
    return ND_OK;
}

static nd_status write_ids(const nd_line_index *x, const nd_document_names *names, nd_id_buffer *id,
                           nd_sealed_writer *w, nd_error *error) {
    ND_TRY(nd_sealed_begin(w, IDS, error));
    for (size_t i = x->stay; i < x->count; i++) {
        const line_run *r = &x->runs[i];
        const unsigned char *bytes;
        for (uint64_t at = 0, n; at < r->id_section.size; at += n) {
            n = r->id_section.size - at < ND_SEALED_PAGE ? r->id_section.size - at : ND_SEALED_PAGE;
            ND_TRY(nd_sealed_view(r->sealed, &r->id_section, at, n, &bytes, error));
            ND_TRY(nd_sealed_write(w, bytes, (size_t)n, error));
        }
    }
    for (size_t d = 0; d < names->count; d++) {
        ND_TRY(nd_document_names_find(names, d, id, error));
        ND_TRY(nd_sealed_write(w, id->id, id->length, error));
    }
    return ND_OK;
}

static nd_status write_added(nd_line_index *x, const nd_external_sort *entries,
                             const nd_document_names *names, nd_sealed_writer *w, nd_error *error) {
    nd_id_buffer id = {0};
    nd_status status = merge_entries(x, entries, w, error);
    if (status == ND_OK) status = write_id_ends(x, names, &id, w, error);
    if (status == ND_OK) status = write_ids(x, names, &id, w, error);
    if (status == ND_OK) status = nd_sealed_finish(w, &x->added.seal, error);
    nd_release(&names->bytes.allocator, id.bytes);
    return status;
}

/* Chooses the number of the next state and of its last run: the first whose names are free. */
static nd_status next_number(nd_line_index *x, nd_error *error) {
    bool state, run;
    x->next_number = x->number;
    do {
        x->next_number++;
        ND_TRY(nd_state_is_free(x->directory, ND_FILE_LINES, x->next_number, &x->run->allocator,
                                &state, error));
        ND_TRY(nd_state_is_free(x->directory, ND_FILE_LINE_RUN, x->next_number, &x->run->allocator,
                                &run, error));
    } while (!state || !run);
    return ND_OK;
}

/* Describes the run that is added: it takes in the last runs, as long as they are not more than
 * twice as large as all behind them. */
static void plan_run(nd_line_index *x, uint64_t entries, uint64_t documents) {
    uint64_t next = nd_line_index_next_document(x);
    x->added = (line_run){
        .file = x->next_number, .entries = entries, .first = next, .documents = documents};
    if (entries == 0) return;
    while (x->stay > 0 &&
           (x->runs[x->stay - 1].entries <= 2 * x->added.entries || x->stay == ND_LINE_RUNS)) {
        const line_run *merged = &x->runs[--x->stay];
        x->added.entries += merged->entries;
        x->added.first = merged->first;
        x->added.documents = next + documents - merged->first;
    }
}

nd_status nd_line_index_add(nd_line_index *x, const nd_external_sort *entries,
                            const nd_document_names *names, nd_error *error) {
    char *path;
    uint64_t count = 0;
    nd_sealed_writer *w = NULL;
    const nd_allocator *a = &x->run->allocator;
    for (size_t p = 0; p < nd_external_sort_parts(entries); p++)
        count += nd_external_sort_count(entries, p);
    if ((nd_line_index_next_document(x) + names->count) >> NUMBER_BITS)
        return nd_fail(error, ND_ERR_INPUT, "%s: more than 2^40 documents", x->directory);
    ND_TRY(next_number(x, error));
    plan_run(x, count, names->count);
    if (count == 0) return ND_OK;
    ND_TRY(path_of(x, ND_FILE_LINE_RUN, x->next_number, &path, error));
    nd_status status = nd_sealed_writer_create(path, ND_SEALED_LINE_RUN, a, &w, error);
    if (status == ND_OK) status = write_added(x, entries, names, w, error);
    nd_sealed_writer_free(w);
    nd_release(a, path);
    return status;
}

/* Makes the next state the one of the handle. Files that it does not use are removed with it. */
static void take_state(nd_line_index *x) {
    for (size_t i = x->stay; i < x->count; i++) nd_sealed_close(x->runs[i].sealed);
    x->count = x->stay;
    if (x->added.entries > 0) x->runs[x->count++] = x->added;
    x->number = x->next_number;
}

nd_status nd_line_index_publish(nd_line_index *x, nd_error *error) {
    char *path;
    nd_sealed_writer *w = NULL;
    const nd_allocator *a = &x->run->allocator;
    if (x->number > 0 && x->added.entries == 0) return ND_OK;
    ND_TRY(path_of(x, ND_FILE_LINES, x->next_number, &path, error));
    nd_status status = nd_sealed_writer_create(path, ND_SEALED_LINES, a, &w, error);
    if (status == ND_OK) status = write_state(x, w, error);
    if (status == ND_OK) take_state(x);
    nd_sealed_writer_free(w);
    nd_release(a, path);
    return status;
}
