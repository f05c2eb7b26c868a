/* floors: measures the single steps of a deduplication on one core of this machine. The speed of
 * the whole is compared with these figures. All figures are MB per second (1e6 bytes; bytes of the
 * file for read and write, otherwise bytes of text), the best of --repeat runs, printed as one JSON
 * object:
 *
 *   read      reads the file through the page cache in pieces of 1 MiB
 *   write     writes as many bytes as the file has to a file beside --write, without a sync
 *   scan      adds up the texts in memory word by word: the speed of memory
 *   analyze   calls nd_analyze for every text
 *   sign      calls nd_minhash_sign with 128 permutations for every text, without the analysis */
#include "json_lines.h"
#define PROGRAM_NAME "floors"
#include "program.h"

#include "neardup.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 1 << 20, PERMS = 128 };

typedef struct sample {
    char *text;
    size_t size, capacity;
    size_t *ends;
    size_t count, end_capacity;
    uint64_t *hashes; /* shingles of all texts, for `sign` */
    size_t *starts;
} sample;

static void load(sample *s, const char *path, size_t limit) {
    input_file file;
    char *line = NULL;
    size_t line_capacity = 0, length;
    ssize_t line_length = 0;
    if (!input_open(&file, path)) exit(1);
    while (s->size < limit && (line_length = getline(&line, &line_capacity, file.stream)) > 0) {
        if (s->size + (size_t)line_length > s->capacity) {
            s->capacity = (s->size + (size_t)line_length) * 2;
            s->text = sized(s->text, s->capacity, 1);
        }
        if (!json_field(line, (size_t)line_length, "text", s->text + s->size, &length)) continue;
        if (s->count == s->end_capacity) {
            s->end_capacity = s->end_capacity * 2 + 1024;
            s->ends = sized(s->ends, s->end_capacity, sizeof *s->ends);
        }
        s->size += length;
        s->ends[s->count++] = s->size;
    }
    if (!input_close(&file, line_length < 0)) exit(1);
    free(line);
    if (s->count == 0) stop("no records");
}

static double time_read(const char *path, uint64_t *bytes) {
    char *piece = sized(NULL, PIECE, 1);
    int file = open(path, O_RDONLY);
    double start = now();
    ssize_t length;
    *bytes = 0;
    if (file < 0) stop("the file cannot be opened");
    while ((length = read(file, piece, PIECE)) > 0) *bytes += (uint64_t)length;
    double seconds = now() - start;
    close(file);
    free(piece);
    return seconds;
}

static double time_write(const char *path, uint64_t bytes) {
    char *piece = sized(NULL, PIECE, 1);
    memset(piece, 'x', PIECE);
    double start = now();
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) stop("the file to write cannot be opened");
    for (uint64_t left = bytes; left > 0;) {
        ssize_t length = write(file, piece, left < PIECE ? (size_t)left : PIECE);
        if (length <= 0) stop("writing failed");
        left -= (uint64_t)length;
    }
    close(file);
    double seconds = now() - start;
    unlink(path);
    free(piece);
    return seconds;
}

/* `sink` keeps the compiler from dropping the loops. */
static double time_scan(const sample *s, volatile uint64_t *sink) {
    double start = now();
    uint64_t sum = 0;
    for (size_t i = 0; i + 8 <= s->size; i += 8) {
        uint64_t word;
        memcpy(&word, s->text + i, 8);
        sum += word;
    }
    *sink = sum;
    return now() - start;
}

/* Keeps the shingles of the first run in s->hashes. */
static double time_analyze(sample *s, nd_analyzer *analyzer) {
    bool keeps = !s->hashes;
    double seconds = 0;
    size_t used = 0, capacity = 0;
    nd_shingles shingles;
    nd_error error;
    if (keeps) s->starts = sized(NULL, s->count + 1, sizeof *s->starts);
    for (size_t d = 0, begin = 0; d < s->count; begin = s->ends[d++]) {
        double start = now();
        if (nd_analyze(analyzer, s->text + begin, s->ends[d] - begin, &shingles, &error) != ND_OK)
            stop(error.message);
        seconds += now() - start;
        if (!keeps) continue;
        if (used + shingles.count > capacity) {
            capacity = (used + shingles.count) * 2;
            s->hashes = sized(s->hashes, capacity, sizeof *s->hashes);
        }
        memcpy(s->hashes + used, shingles.hashes, shingles.count * sizeof *s->hashes);
        s->starts[d] = used;
        s->starts[d + 1] = used += shingles.count;
    }
    return seconds;
}

static double time_sign(const sample *s, const nd_minhash *minhash, volatile uint64_t *sink) {
    uint32_t signature[PERMS];
    double start = now();
    uint64_t sum = 0;
    for (size_t d = 0; d < s->count; d++) {
        nd_minhash_sign(minhash, s->hashes + s->starts[d], s->starts[d + 1] - s->starts[d],
                        signature);
        sum += signature[0];
    }
    *sink = sum;
    return now() - start;
}

static double least(double a, double b) { return a < b ? a : b; }

int main(int count, char **arguments) {
    size_t limit = SIZE_MAX;
    int repeat = 3, at = 1;
    const char *write_path = NULL;
    for (; at + 1 < count && arguments[at][0] == '-'; at += 2) {
        if (strcmp(arguments[at], "--limit") == 0) limit = strtoull(arguments[at + 1], NULL, 10);
        else if (strcmp(arguments[at], "--repeat") == 0) repeat = atoi(arguments[at + 1]);
        else if (strcmp(arguments[at], "--write") == 0) write_path = arguments[at + 1];
        else break;
    }
    if (at + 1 != count)
        stop(
            "usage: floors [--limit BYTES of text] [--repeat N] [--write SCRATCH-FILE] FILE.jsonl");
    const char *path = arguments[at];
    sample s = {0};
    nd_analyzer *analyzer;
    nd_minhash *minhash;
    nd_error error;
    load(&s, path, limit);
    if (nd_analyzer_create(NULL, NULL, &analyzer, &error) != ND_OK) stop(error.message);
    if (nd_minhash_create(PERMS, 1, NULL, &minhash, &error) != ND_OK) stop(error.message);
    double reading = 1e9, writing = 1e9, scanning = 1e9, analyzing = 1e9, signing = 1e9;
    uint64_t bytes = 0;
    volatile uint64_t sink = 0;
    for (int i = 0; i < repeat; i++) {
        reading = least(reading, time_read(path, &bytes));
        if (write_path) writing = least(writing, time_write(write_path, bytes));
        scanning = least(scanning, time_scan(&s, &sink));
        analyzing = least(analyzing, time_analyze(&s, analyzer));
        signing = least(signing, time_sign(&s, minhash, &sink));
    }
    double text = (double)s.size / 1e6, file = (double)bytes / 1e6;
    printf("{\"documents\": %zu, \"text_mb\": %.3f, \"file_mb\": %.3f, \"shingles\": %zu, "
           "\"instruction_set\": \"%s\", \"read\": %.1f,"
           " \"write\": %.1f, \"scan\": %.1f, \"analyze\": %.1f, \"sign\": %.1f}\n",
           s.count, text, file, s.starts[s.count], nd_instruction_set(), file / reading,
           write_path ? file / writing : 0, text / scanning, text / analyzing, text / signing);
    nd_analyzer_free(analyzer);
    nd_minhash_free(minhash);
    free(s.text);
    free(s.ends);
    free(s.hashes);
    free(s.starts);
    return 0;
}
