/* Documents for tests of an index, a record of the documents that an index holds, and operations
 * that change it. No two texts are duplicates. */
#ifndef ND_TESTS_DOCUMENTS_H
#define ND_TESTS_DOCUMENTS_H

#include "durability/either_index.h"
#include "test.h"

/* The content of an index: documents, or fingerprints instead (fingerprint_model.h). The ids of
 * fingerprints are the ids of the documents, or numbers. */
typedef enum content_kind {
    CONTENT_DOCUMENTS,
    CONTENT_FINGERPRINTS,
    CONTENT_NUMBERS,
    CONTENTS
} content_kind;
void content_use(content_kind kind); /* from now on; documents at first */
content_kind content(void);
const char *content_name(void);

/* Operations do not touch the last document: a test may use it. */
enum { DOCUMENTS = 32, EXTRA = DOCUMENTS - 1, TEXTS = 3 };

/* The content that an index should have. */
typedef struct row {
    bool there;                 /* the index itself exists */
    uint8_t version[DOCUMENTS]; /* version of each document's text, from 1; 0: the document is not
                                   in the index */
} row;

const char *document_id(unsigned document, size_t *length);
const char *document_text(unsigned document,
                          unsigned version); /* one of four buffers of the thread, used in turn */

/* The analyzer of the result belongs to the test. */
nd_index_options document_options(bool sketch_only);
/* Makes an empty index. */
nd_status index_make(const char *path, bool sketch_only, nd_error *error);

/* A search context for documents or for fingerprints. */
typedef struct lookup {
    nd_index_searcher *searcher;
    nd_hamming_searcher *fingerprint_searcher;
} lookup;

nd_status lookup_create(either_index *index, lookup **out, nd_error *error);
void lookup_free(lookup *l); /* NULL is accepted */

typedef enum operation_kind {
    OPERATION_ADD,
    OPERATION_COPY,
    OPERATION_REMOVE,
    OPERATION_BATCH,
    OPERATION_COMPACT,
    OPERATION_SYNC
} operation_kind;

/* ADD: may replace an older version. COPY: adds the document's text under another id, which is
 * rejected. BATCH: adds `count` documents from this one on; each may replace an older version. */
typedef struct operation {
    operation_kind kind;
    unsigned document, count;
    uint8_t version[DOCUMENTS];
    bool resume;  /* for BATCH: it was interrupted and is given again */
    bool segment; /* for BATCH: it becomes a segment and does not stay in the log */
} operation;

operation operation_one(operation_kind kind, unsigned document, uint8_t version);
operation operation_many(unsigned document, unsigned count, uint8_t version); /* makes a batch */
/* `calm`: few operations make a segment. */
operation operation_random(uint64_t *seed, const row *now, bool calm);
/* Makes the operation valid for numeric ids: a document that is there is removed instead of added
 * again, and a batch ends before it. */
void operation_suit(operation *o, const row *now);
void operation_apply(const operation *o, row *r);
/* Performs any operation but BATCH. The result must be the one that the row demands. */
nd_status operation_perform(const operation *o, const row *now, either_index *index,
                            lookup *searcher, nd_error *error);
nd_status operation_perform_batch(const operation *o, const row *now, const char *path,
                                  const nd_allocator *allocator, nd_error *error);

/* Returns in *there whether a version is in the index. Any match but the document itself fails the
 * test. */
nd_status document_find(lookup *searcher, unsigned document, unsigned version, bool *there,
                        nd_error *error);

/* Joins and batches of queries find the content of the row. Indexes of documents are not checked.
 */
nd_status row_join(either_index *index, const row *held, nd_error *error);

/* Searches the index for its content; `known`: rows with all versions that it may have. A wrong
 * answer or any other content fails the test. Returns ND_OK or the failure of a search. */
nd_status row_observe(either_index *index, const row *known, size_t count, row *out,
                      nd_error *error);
/* Calls nd_index_check, which must find no fault. `died`: a writer has died, so one of the two
 * mirrors of the state may be damaged. */
void check_index(either_index *index, bool died);
bool row_equal(const row *a, const row *b);
const char *row_text(const row *r); /* one of four static buffers, used in turn */

/* Sets the position of the test, which every failure shows. */
void test_at(const char *format, ...) __attribute__((format(printf, 1, 2)));
void broken(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* From now on a failure ends the process: for children, and for threads. */
void broken_ends_process(void);
void must(nd_status status, const nd_error *error);
/* The error of a failed call has the returned status and a message of one line. */
void must_report(nd_status status, const nd_error *error);

#endif
