#include "small_index.h"

#include "store/manifest.h"
#include "target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- its documents */

static const char *const ids[] = {"mill", "lantern", "gone", "quince", "empty", "bridge", "clock", "gone too", "ferry", "orchard", "late", "later"};
static const char *const texts[] = {
    "the old mill by the river was sold in spring to a family from the north",
    "seventeen lanterns burn behind the harbour wall and nobody can say who lights them",
    "this text is removed from the segment before anybody has looked for it",
    "木瓜在石墙边开花",
    "",
    "across the bridge one more road goes down to the sawmill",
    "the clock of the town hall stops whenever snow lies on its hands for more than one night",
    "this one comes with the batch and the log behind it removes it again",
    "two ferries a day",
    "apples and pears were brought home in baskets before the first frost came down from the hills",
    "what came last stands in the log alone",
    "and one behind it",
};
enum { TEXTS = sizeof texts / sizeof *texts, BATCH = 2, MERGED = 4 * BATCH, BATCHED = MERGED + BATCH };

/* Near copies of some; and a text like none. */
static const char *const asked[] = {
    "the old mill by the river was sold in spring to a family from the south",
    "what came last stands in the log at last",
    "nothing that the index has is at all like this",
};
enum { ASKED = sizeof asked / sizeof *asked };

static nd_index_options settings(void) {
    nd_index_options o;
    nd_index_options_init(&o);
    o.perms = 16;
    o.threshold = 0.5;
    o.recall = 0.85;
    o.ngram = 2;
    return o;
}

/* ---- what the library asks of the system: nothing here is to outlive the process, and no other writes */

int __wrap_fsync(int fd);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

int __wrap_fsync(int fd) {
    (void)fd;
    return 0;
}

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left) {
    (void)wanted, (void)left;
    return 0;
}

/* ---- its directory */

static char place[300];
static int place_fd;
static small_file files[16]; /* by name */
static size_t file_count;
static nd_manifest state;

static void remove_files(void) {
    DIR *d = opendir(place);
    if (!d) target_fail("%s: %s", place, strerror(errno));
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') unlinkat(place_fd, e->d_name, 0);
    closedir(d);
}

static void remove_place(void) {
    remove_files();
    rmdir(place);
}

static void make_place(void) {
    const char *temporary = getenv("TMPDIR"), *memory = "/dev/shm";
    if (access(memory, W_OK | X_OK) == 0) temporary = memory;
    snprintf(place, sizeof place, "%s/neardup-fuzz-XXXXXX", temporary && *temporary ? temporary : ".");
    if (!mkdtemp(place)) target_fail("%s: %s", place, strerror(errno));
    place_fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (place_fd < 0) target_fail("%s: %s", place, strerror(errno));
    atexit(remove_place);
}

static void load_file(small_file *f, const char *name) {
    struct stat s;
    snprintf(f->name, sizeof f->name, "%.39s", name);
    int fd = openat(place_fd, f->name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0) target_fail("%s: %s", name, strerror(errno));
    f->size = (size_t)s.st_size;
    f->bytes = malloc(f->size + 1);
    if (!f->bytes || pread(fd, f->bytes, f->size, 0) != (ssize_t)f->size) target_fail("%s: cannot be read", name);
    close(fd);
}

static int by_name(const void *a, const void *b) { return strcmp(((const small_file *)a)->name, ((const small_file *)b)->name); }

static void load_files(void) {
    DIR *d = opendir(place);
    if (!d) target_fail("%s: %s", place, strerror(errno));
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        if (file_count == sizeof files / sizeof *files) target_fail("%s: too many files", place);
        load_file(&files[file_count++], e->d_name);
    }
    closedir(d);
    qsort(files, file_count, sizeof *files, by_name);
}

void small_index_put(const char *name, const void *bytes, size_t size) {
    int fd = openat(place_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) target_fail("%s/%s: %s", place, name, strerror(errno));
    close(fd);
}

void small_index_lay(const small_file *changed, const void *bytes, size_t size) {
    remove_files();
    for (size_t f = 0; f < file_count; f++)
        if (&files[f] != changed) small_index_put(files[f].name, files[f].bytes, files[f].size);
    if (bytes) small_index_put(changed->name, bytes, size);
}

const small_file *small_index_segment(size_t segment) {
    for (size_t f = 0; f < file_count; f++)
        if (strncmp(files[f].name, "segment-", 8) == 0 && small_index_number(&files[f]) == state.segments[segment].file) return &files[f];
    target_fail("%s: there is no segment %zu", place, segment);
}

const small_file *small_index_file(const char *prefix) {
    for (size_t f = 0; f < file_count; f++)
        if (strncmp(files[f].name, prefix, strlen(prefix)) == 0) return &files[f];
    target_fail("%s: there is no file %s", place, prefix);
}

uint64_t small_index_number(const small_file *file) { return strtoull(strrchr(file->name, '-') + 1, NULL, 10); }

void small_index_lay_sealed(const small_file *changed, const void *bytes, size_t size, const nd_seal *seal) {
    nd_error error;
    nd_manifest told;
    small_index_lay(changed, bytes, size);
    if (nd_manifest_copy(&state, &told, &error) != ND_OK) target_fail("%s", error.message);
    uint64_t number = small_index_number(changed);
    if (told.removed == number) told.removed_seal = *seal;
    for (size_t i = 0; i < told.segment_count; i++)
        if (told.segments[i].file == number) told.segments[i].seal = *seal;
    if (nd_manifest_write(place, &told, &error) != ND_OK) target_fail("%s", error.message);
    nd_manifest_free(&told);
}

/* ---- its use */

/* What nd_index_check has called whole fails in nothing. */
static bool whole;

static bool fine(nd_status status, const nd_error *error) {
    if (status == ND_OK) return true;
    if (error->status != status) target_fail("status %d, and %d in the error: %s", (int)status, (int)error->status, error->message);
    if (strlen(error->message) < 5 || strchr(error->message, '\n')) target_fail("status %d with the message \"%s\"", (int)status, error->message);
    if (whole) target_fail("an index that was found whole fails: status %d: %s", (int)status, error->message);
    return false;
}

/* The ids are read to their ends, for the sanitizers to see. */
static void search(nd_searcher *searcher, const char *text, nd_search_kind kind) {
    nd_error error;
    const nd_match *matches;
    size_t count;
    volatile char read;
    if (!fine(nd_search(searcher, text, strlen(text), kind, &matches, &count, &error), &error)) return;
    for (size_t m = 0; m < count; m++)
        for (size_t i = 0; i < matches[m].id_length; i++) read = matches[m].id[i];
    (void)read;
}

static void search_all(nd_index *x) {
    nd_error error;
    nd_index_info info;
    nd_searcher *searcher;
    nd_index_describe(x, &info);
    if (!fine(nd_searcher_create(x, &searcher, &error), &error)) return;
    for (size_t i = 0; i < TEXTS; i++) search(searcher, texts[i], ND_SEARCH_ALL);
    for (size_t i = 0; i < ASKED; i++) search(searcher, asked[i], i % 2 ? ND_SEARCH_BEST : ND_SEARCH_FIRST);
    nd_searcher_free(searcher);
}

static void add(nd_index *x, const char *id, const char *text, bool replace) {
    nd_error error;
    nd_searcher *searcher;
    bool added;
    if (!fine(nd_searcher_create(x, &searcher, &error), &error)) return;
    fine(nd_index_add(x, searcher, id, strlen(id), text, strlen(text), replace, &added, NULL, &error), &error);
    nd_searcher_free(searcher);
}

static void take_away(nd_index *x, const char *id) {
    nd_error error;
    bool found;
    fine(nd_index_remove(x, id, strlen(id), &found, &error), &error);
}

/* Searched before it is checked, when nothing has been compared with its hash, and again when all has. */
static void read_index(void) {
    nd_error error;
    nd_index *x;
    if (!fine(nd_index_open(place, ND_INDEX_READ, NULL, &x, &error), &error)) return;
    search_all(x);
    whole = fine(nd_index_check(x, &error), &error);
    search_all(x);
    fine(nd_index_refresh(x, &error), &error);
    nd_index_close(x);
}

static void change_index(void) {
    nd_error error;
    nd_index *x;
    if (!fine(nd_index_open(place, ND_INDEX_WRITE, NULL, &x, &error), &error)) return;
    add(x, "fresh", asked[ASKED - 1], true);
    take_away(x, ids[0]);
    add(x, ids[1], texts[0], true);
    take_away(x, ids[BATCHED]);
    nd_index_close(x);
    if (!fine(nd_index_open(place, ND_INDEX_WRITE, NULL, &x, &error), &error)) return;
    search_all(x);
    fine(nd_index_compact(x, &error), &error);
    search_all(x);
    fine(nd_index_check(x, &error), &error);
    nd_index_close(x);
}

void small_index_use(void) {
    whole = false;
    read_index();
    change_index();
}

/* ---- its making */

static void open_to_write(nd_index **x) {
    nd_error error;
    fine(nd_index_open(place, ND_INDEX_WRITE, NULL, x, &error), &error);
    nd_index_set_sync(*x, ND_SYNC_BATCH);
}

typedef struct batch {
    size_t next, end;
} batch;

static int give_batch(void *context, nd_record *out) {
    batch *b = context;
    size_t i = b->next;
    if (b->next++ == b->end) return 0;
    *out = (nd_record){texts[i], strlen(texts[i]), ids[i], strlen(ids[i]), 0.0};
    return 1;
}

/* A batch is a segment of its own, since it might replace documents. */
static void add_batch(size_t begin) {
    nd_error error;
    nd_job_options job;
    nd_index_options o = settings();
    batch b = {begin, begin + BATCH};
    nd_job_options_init(&job);
    job.records = give_batch;
    job.records_context = &b;
    job.replace = true;
    job.perms = o.perms;
    job.threshold = o.threshold;
    job.recall = o.recall;
    job.ngram = o.ngram;
    job.index = place;
    job.work = place;
    job.threads = 1;
    fine(nd_dedup(&job, NULL, &error), &error);
}

void small_index_make(void) {
    nd_error error;
    nd_index *x;
    bool repair;
    nd_index_options o = settings();
    whole = true;
    make_place();
    fine(nd_index_create(place, &o, &error), &error);
    for (size_t begin = 0; begin < BATCHED; begin += BATCH) {
        add_batch(begin);
        open_to_write(&x);
        if (begin + BATCH == MERGED / 2) take_away(x, "gone");
        nd_index_close(x);
    }
    open_to_write(&x);
    for (size_t i = BATCHED; i < TEXTS; i++) add(x, ids[i], texts[i], false);
    take_away(x, "gone too");
    take_away(x, "bridge");
    take_away(x, "later");
    nd_index_close(x);
    nd_manifest_init(&state, &nd_allocator_default);
    fine(nd_manifest_read(place, &nd_allocator_default, &state, &repair, &error), &error);
    load_files();
    if (state.segment_count != 2 || state.segments[0].documents != MERGED) target_fail("%s: not the small index that is wanted", place);
}
