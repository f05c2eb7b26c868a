/* Jobs against an index that is open, on disk or in memory, and against one that is named by its
 * path, beside their definition, worked out by plain means: a document that is not protected is
 * removed exactly when a document of the index that is not replaced, or an earlier kept one, shares
 * a band with it and reaches the threshold; its evidence is the first such, or the protected one of
 * which it is an exact copy. */
#ifndef ND_TESTS_INDEX_WORLD_H
#define ND_TESTS_INDEX_WORLD_H

#include "base/limits.h"
#include "job_parts.h"
#include "own_directory.h"
#include "test.h"

/* LARGE: more than a job puts into the write-ahead log (src/dedup/index_update.c). */
enum { PERMS = 64, LARGE = ND_LIMIT(1200, 30), POOL = ND_LIMIT(4000, 600), QUERIES = 12 };

extern nd_error index_error;

/* Fails the test with the message of `index_error`, unless the call succeeded. */
void good(nd_status status);

/* ---- documents and the indexes that have them */

typedef struct document {
    char id[16], *text;
    double value;
    bool is_protected;
    uint64_t *set; /* of shingles */
    size_t size;
    uint32_t signature[PERMS];
    uint64_t text_hash[2]; /* equal token sequences have equal ones */
} document;

typedef enum way { BY_PATH, ON_DISK, IN_MEMORY, WAYS } way;

extern const char *const directories[];

typedef struct world {
    uint64_t seed;
    nd_analyzer_options analyzer;
    nd_index_options made;
    nd_plan plan;
    nd_analyzer *tokens;
    nd_minhash *minhash;
    nd_index *index[WAYS]; /* by path: NULL, but while it is borrowed */
    document documents[POOL];
    size_t count;
    const document *live[POOL]; /* of the index, in the order of adding */
    size_t live_count;
    failing_allocator memory; /* of the open indexes */
    nd_allocator allocator;
} world;

world *new_world(uint64_t seed);
/* Makes the three indexes, without documents. */
void open_all(world *w);
/* Fills them with documents in segments and in the log. */
void fill(world *w);
/* Closes them, and removes their files. */
void free_world(world *w);
nd_record record_of(const document *d);
bool is_id(const char *id, const char *given, size_t length);

/* ---- what jobs have to decide */

typedef struct likeness {
    double jaccard;
    uint64_t intersection, set_union;
} likeness;

/* A job, and what it has to decide. */
typedef struct decision {
    bool kept, indexed;
    size_t evidence; /* number in the batch; of the index: among the live ones */
    likeness like;
} decision;

typedef struct batch {
    const world *w;
    const document *documents[POOL];
    size_t count;
    bool replace;
    nd_keep keep;
    uint32_t order[POOL]; /* by priority */
    decision wanted[POOL];
    const document *live[POOL]; /* of the index after it */
    size_t live_count;
} batch;

/* A batch of new documents; a single one is not protected, since no job adds it. With `replace` a
 * part of them have ids that others have had. */
void make_batch(world *w, batch *b, size_t count, bool replace);
/* The batch has been added everywhere. */
void accept_batch(world *w, const batch *b);
bool is_replaced(const batch *b, const document *d);
bool is_as_wanted(const batch *b, const nd_decision *d);

/* ---- jobs */

typedef struct job {
    job_parts parts;
    const batch *of;
    size_t given, decided;
    failing_allocator memory; /* of test_failures */
    nd_allocator allocator;
    long left;
} job;

void make_job(job *j, const batch *b, way of);
/* Runs the job, which must decide as the definition does. */
void run_job(const batch *b, way of);
int give_document(void *context, nd_record *out);         /* nd_record_fn */
bool check_decision(void *context, const nd_decision *d); /* nd_decision_fn */

/* ---- the indexes beside their jobs */

/* An index, until it is given back: the one by path is opened. */
nd_index *borrow(world *w, way of);
void give_back(world *w, way of);
/* Whether a search finds the live ones that duplicate a document, the most similar first. */
bool finds(const world *w, nd_index_searcher *searcher, const document *query,
           const document *const *live, size_t live_count);
/* The index has the live documents, and no others. */
void check_index(world *w, nd_index *index);
/* Adds a document that is like no other, and removes it: the index can be changed. */
void change_and_restore(nd_index *index);

/* Changes of all three. */
void add_all(world *w, size_t count, bool replace);
void remove_one(world *w);
/* By the call for one document, which decides as a job of one does. */
void replace_one(world *w);
void compact_all(world *w);
void check_all(world *w);

#endif
