/* Documents for tests of an index, what an index holds of them, and the operations that change
 * that. No two texts are duplicates. */
#ifndef ND_TESTS_DOCUMENTS_H
#define ND_TESTS_DOCUMENTS_H

#include "neardup.h"
#include "test.h"

/* What an index keeps: documents, or fingerprints in their place (fingerprint_model.h), whose ids
 * are those of the documents or numbers. */
typedef enum content_kind {
    CONTENT_DOCUMENTS,
    CONTENT_FINGERPRINTS,
    CONTENT_NUMBERS,
    CONTENTS
} content_kind;
void content_use(content_kind kind); /* from now on; at first documents */
content_kind content(void);
const char *content_name(void);

/* The last of the documents is left to the test, operations do not touch it. */
enum { DOCUMENTS = 32, EXTRA = DOCUMENTS - 1, TEXTS = 3 };

/* What an index holds. */
typedef struct row {
    bool there;                 /* the index itself */
    uint8_t version[DOCUMENTS]; /* of the document's texts, from 1; 0: it is not in the index */
} row;

const char *document_id(unsigned document, size_t *length);
const char *document_text(unsigned document,
                          unsigned version); /* of the thread's four that take turns */

nd_index_options document_options(bool sketch_only);
/* An empty index. */
nd_status index_make(const char *path, bool sketch_only, nd_error *error);

/* A searcher or a finder. */
typedef struct lookup {
    nd_searcher *searcher;
    nd_finder *finder;
} lookup;

nd_status lookup_create(nd_index *index, lookup **out, nd_error *error);
void lookup_free(lookup *l); /* NULL is accepted */

typedef enum operation_kind {
    OPERATION_ADD,
    OPERATION_COPY,
    OPERATION_REMOVE,
    OPERATION_BATCH,
    OPERATION_COMPACT,
    OPERATION_SYNC
} operation_kind;

/* ADD: also in place of an older version. COPY: of the document's text under another id, which is
 * refused. BATCH: of `count` documents from this one on, each in place of an older version. */
typedef struct operation {
    operation_kind kind;
    unsigned document, count;
    uint8_t version[DOCUMENTS];
    bool resume;  /* of BATCH: it has been begun before */
    bool segment; /* of BATCH: it makes a segment, and is not left to the log */
} operation;

operation operation_one(operation_kind kind, unsigned document, uint8_t version);
operation operation_many(unsigned document, unsigned count, uint8_t version); /* a batch */
/* `calm`: few that make a segment. */
operation operation_random(uint64_t *seed, const row *now, bool calm);
/* What is there is not added again where ids are numbers, but removed; a batch ends before it. */
void operation_suit(operation *o, const row *now);
void operation_apply(const operation *o, row *r);
/* All but BATCH. The result must be what the row says. */
nd_status operation_perform(const operation *o, const row *now, nd_index *index, lookup *searcher,
                            nd_error *error);
nd_status operation_perform_batch(const operation *o, const row *now, const char *path,
                                  const nd_allocator *allocator, nd_error *error);

/* Whether a version is there; any other match than with itself fails the test. */
nd_status document_find(lookup *searcher, unsigned document, unsigned version, bool *there,
                        nd_error *error);

/* Joins and many queries at once find what the row holds; of documents nothing is asked. */
nd_status row_join(nd_index *index, const row *held, nd_error *error);

/* What an index holds, by searching it; `known`: rows with all versions that may be there. Fails
 * the test where an answer is wrong, or the index holds anything else. ND_OK, or what a search
 * said. */
nd_status row_observe(nd_index *index, const row *known, size_t count, row *out, nd_error *error);
/* nd_index_check, which must find nothing; `died`: but that one of the two mirrors of the state is
 * not whole, where a writer has died. */
void check_index(nd_index *index, bool died);
bool row_equal(const row *a, const row *b);
const char *row_text(const row *r); /* static, of four that take turns */

/* Every failure says where the test stands. */
void test_at(const char *format, ...) __attribute__((format(printf, 1, 2)));
void broken(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* From now on a failure ends the process: for children, and for threads. */
void broken_ends_process(void);
void must(nd_status status, const nd_error *error);
/* A failure of the library has its status and one line of message. */
void must_tell(nd_status status, const nd_error *error);

#endif
