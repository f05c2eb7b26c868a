/* An index of lines: the hashes of the lines of all runs so far, each with the document that had it
 * first (doc/internals/formats.md, "Files of an index of lines").
 *
 * A directory holds one state, the sealed file lines-N, which names the settings and the *runs*. A
 * run is a sealed file of hashes, ascending, and of the ids of documents with consecutive numbers.
 * No hash is in two runs. What a run of nd_lines adds becomes a new run. It is merged with the last
 * runs as long as they are not more than twice as large, so there are O(log n) runs, and a hash is
 * written O(log n) times.
 *
 * 1. Files get their names once they are whole, and never change.
 * 2. A state gets its name after its runs. Of several states the one with the highest number
 *    counts. So a crash leaves the old state or the new one.
 * 3. Files that the state does not name are removed by the next writer, once it has the lock, if
 *    their content shows that they belong to an index of lines. No other file is touched. */
#ifndef ND_REPEATS_LINE_INDEX_H
#define ND_REPEATS_LINE_INDEX_H

#include "io/external_sort.h"
#include "job/run_context.h"
#include "repeats/document_names.h"

#include "neardup.h"

/* What an index is made with. It never changes. */
typedef struct nd_line_settings {
    nd_text_unit_kind unit;
    nd_units_same same;
    uint32_t min_words;
} nd_line_settings;

typedef struct nd_line_index nd_line_index;

/* Opens the index in a directory, or begins one if the directory does not exist or is empty. It is
 * locked until it is freed. `run` must outlive it. ND_ERR_BUSY: another process has the lock.
 * ND_ERR_ARGUMENT: it has other settings, a newer format or another version of Unicode. ND_ERR_IO:
 * the directory holds something else. ND_ERR_CORRUPT: a file is missing or damaged. */
nd_status nd_line_index_open(const nd_run *run, const char *directory,
                             const nd_line_settings *settings, nd_line_index **out,
                             nd_error *error);
/* Frees, and removes files that the state does not name. An index that was begun and has no state
 * leaves nothing. NULL is accepted. */
void nd_line_index_free(nd_line_index *index);

/* The number that the next document gets. */
uint64_t nd_line_index_next_document(const nd_line_index *index);
/* The id of a document; valid until the next state is published. ND_ERR_CORRUPT: there is none. */
nd_status nd_line_index_id(const nd_line_index *index, uint64_t document, const char **id,
                           size_t *length, nd_error *error);

/* ---- searching: any number of threads, each with its own search */

enum { ND_LINE_RUNS = 64 };

/* A line: 64 bits of its hash; in `rest` 24 more, the highest, above the number of a document. */
typedef struct nd_line_entry {
    uint64_t hash, rest;
} nd_line_entry;

/* Zero-initialised, except for the index. */
typedef struct nd_line_search {
    const nd_line_index *index;
    uint64_t at[ND_LINE_RUNS]; /* by run: entries before are below all lines to come */
} nd_line_search;

/* Finds a line. Those of one search must ascend. The cost for m lines in a run of n is
 * O(m log(1 + n / m)). */
nd_status nd_line_search_find(nd_line_search *search, const nd_line_entry *line, bool *found,
                              uint64_t *document, nd_error *error);

/* ---- adding: once */

/* Writes the file of the next state's last run: the entries of the sorter, which are not in the
 * index yet, with the numbers of the documents in `names`, from nd_line_index_next_document on. */
nd_status nd_line_index_add(nd_line_index *index, const nd_external_sort *entries,
                            const nd_document_names *names, nd_error *error);
/* Makes the next state the state of the index, durably. If it fails, the state is the old one. */
nd_status nd_line_index_publish(nd_line_index *index, nd_error *error);

#endif
