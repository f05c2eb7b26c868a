/* The conventions of neardup.h, held for every function of it: an argument out of range is
 * ND_ERR_ARGUMENT with a message that names it; after any failure, also of memory, the outputs are
 * as they were; after a success the caller's nd_error is. A test of its own holds that no function
 * is left out, by the list of exported symbols and the header.
 *
 * One program of several files, one for each subject. They share the outputs, the allocator that
 * fails, and the record of the functions that were called. */
#ifndef ND_TESTS_CONTRACT_H
#define ND_TESTS_CONTRACT_H

#include "job_parts.h"
#include "own_directory.h"
#include "test.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { PATTERN = 0x5a, MOST_FUNCTIONS = 300 };

/* Every kind of output, all in one piece, so that it can be filled and compared whole. */
typedef struct outputs {
    nd_dictionary *dictionary;
    nd_analyzer *analyzer;
    nd_set_verifier *verifier;
    nd_large_buckets *large_buckets;
    nd_bucket_answer bucket_answer;
    nd_edge_decider *decider;
    nd_shingles shingles;
    nd_overlap overlap;
    nd_minhash *minhash;
    nd_bottom_k *bottom_k;
    nd_bottom_k_estimates estimates;
    uint32_t signatures[64], count32;
    uint64_t hashes[64], count64;
    nd_fingerprint fingerprint;
    nd_tlsh tlsh;
    nd_tlsh_index *tlsh_index;
    nd_simhash *simhash;
    nd_weights *weights;
    nd_stop_words *stop;
    nd_plan plan;
    nd_comparison *comparison;
    nd_difference_list *differences;
    nd_hamming_costs costs;
    nd_hamming_estimate designs[ND_HAMMING_ESTIMATES];
    size_t count;
    nd_job_summary summary;
    nd_weights_info weights_info;
    nd_index *index;
    nd_index_info index_info;
    nd_index_searcher *searcher;
    const nd_match *matches, *evidence;
    nd_hamming_index *hamming_index;
    nd_hamming_info hamming_info;
    nd_hamming_searcher *hamming_searcher;
    const nd_hamming_match *near;
    bool flag;
    nd_stream *stream;
    nd_stream_info stream_info;
    nd_stream_options *stream_options;
    const nd_stream_answer *answer;
} outputs;

extern outputs out;
extern nd_error failure;
extern failing_allocator memory;
extern nd_allocator allocator;

/* ---- calls that are watched */

struct watched {
    char name[60];
    bool refused, granted, called;
};
extern struct watched functions[MOST_FUNCTIONS];

/* The index of a function in `functions`, by the text of a call. */
size_t function_of(const char *call);
bool is_untouched(const void *bytes, size_t size);
/* Fills all outputs and the error with a pattern; results that have a size get their own. */
void begin_call(void);
/* Fails the test unless the call failed as expected and left all outputs untouched. */
void check_failed(const char *call, nd_status status, nd_status expected, const char *part);

/* The call fails so, with a message that has `part`. */
#define FAILS(expected, part, call)                                                                \
    do {                                                                                           \
        begin_call();                                                                              \
        nd_status status_ = (call);                                                                \
        check_failed(#call, status_, expected, part);                                              \
        functions[function_of(#call)].refused = true;                                              \
    } while (0)

#define REFUSED(part, call) FAILS(ND_ERR_ARGUMENT, part, call)

/* Requests for memory from one that fails to the next one. ThreadSanitizer looks for races, which
 * are the same behind most of them. */
#ifdef __SANITIZE_THREAD__
enum { NEXT_FAILURE = 4 };
#else
enum { NEXT_FAILURE = 1 };
#endif

/* The call succeeds, with memory that ends at each request in turn before. `before` is done before
 * each trial, `after` after success. */
#define GRANTED(before, call, after)                                                               \
    do {                                                                                           \
        nd_status status_ = ND_ERR_MEMORY;                                                         \
        for (long left = 0; status_ == ND_ERR_MEMORY; left += NEXT_FAILURE) {                      \
            before;                                                                                \
            begin_call();                                                                          \
            memory.left = left;                                                                    \
            status_ = (call);                                                                      \
            memory.left = FAILING_ALLOCATOR_NEVER;                                                 \
            if (status_ != ND_OK) check_failed(#call, status_, ND_ERR_MEMORY, "out of memory");    \
        }                                                                                          \
        if (!is_untouched(&failure, sizeof failure))                                               \
            fail_msg("%s: the error has changed: %s", #call, failure.message);                     \
        functions[function_of(#call)].granted = true;                                              \
        after;                                                                                     \
    } while (0)

/* A function that has no status. */
#define CALLED(call) (functions[function_of(#call)].called = true, (call))

#define NOTHING ((void)0)

/* ---- what the calls are given */

extern nd_dictionary *dictionary;
extern nd_weights *weights;
extern nd_stop_words *stop;
extern nd_analyzer *shingler, *worder;
extern nd_minhash *minhash;
extern nd_bottom_k *sketch, *other_sketch, *third_sketch;
extern nd_simhash *simhash;

static const char english[] = "The quick brown fox jumps over the lazy dog near the old stone "
                              "bridge. Another sentence of some eight words follows here.";
#define ENGLISH english, sizeof english - 1
static const char german[] = "Der schnelle braune Fuchs springt immer wieder gern \xc3\xbc"
                             "ber den faulen alten Hund am Bach";
#define GERMAN german, sizeof german - 1

static inline nd_simhash_options simhash_options(uint32_t bits, int weighting) {
    return (nd_simhash_options){.struct_size = sizeof(nd_simhash_options),
                                .bits = bits,
                                .weighting = (nd_weighting)weighting};
}

void write_file(const char *path, const char *text);
/* A file of the source tree, and all public headers one behind the other. The caller frees them. */
char *source_text(const char *path);
char *header_text(void);
void good(nd_status status);

/* ---- jobs */

enum { DOCUMENTS = 40 };

typedef struct feed {
    unsigned next;
    char text[200], id[20];
} feed;

extern feed input;
extern job_parts job;

/* nd_record_fn: a few families of copies; `context` is a feed. */
int give_record(void *context, nd_record *out_record);
void begin_job(uint32_t threads);
/* One record is bad, and skipped. */
void begin_bad_job(void);

/* A job with one bad option, and the part of the message that names it. */
typedef struct bad_job {
    const char *part;
    void (*change)(void); /* after begin_job */
} bad_job;
/* Options of the input and of the resources, which every job rejects. Such a list ends with a part
 * that is NULL. */
extern const bad_job bad_jobs[];

/* `call` is a job of the parts in `job`. */
#define ALL_REFUSED(list, call)                                                                    \
    for (const bad_job *bad_ = (list); bad_->part; bad_++) {                                       \
        begin_job(1);                                                                              \
        bad_->change();                                                                            \
        REFUSED(bad_->part, call);                                                                 \
    }

/* ---- callbacks that go on, or stop */

static inline bool take_token(void *context, const nd_token *token) {
    return (void)context, (void)token, true;
}
static inline bool stop_token(void *context, const nd_token *token) {
    return (void)context, (void)token, false;
}
static inline bool take_sentence(void *context, size_t begin, size_t end) {
    return (void)context, (void)begin, (void)end, true;
}
static inline bool take_keyword(void *context, const nd_keyword *keyword) {
    return (void)context, (void)keyword, true;
}
static inline bool take_decision(void *context, const nd_decision *decision) {
    return (void)context, (void)decision, true;
}
static inline bool take_pair(void *context, const nd_pair *pair) {
    return (void)context, (void)pair, true;
}
static inline bool take_text(void *context, const nd_text *text) {
    return (void)context, (void)text, true;
}
static inline bool take_print(void *context, const nd_fingerprinted *print) {
    return (void)context, (void)print, true;
}
static inline bool take_signed(void *context, const nd_signed *document) {
    return (void)context, (void)document, true;
}
static inline bool take_keyworded(void *context, const nd_keyworded *document) {
    return (void)context, (void)document, true;
}
static inline bool take_passage(void *context, const nd_found_passage *passage) {
    return (void)context, (void)passage, true;
}
static inline bool take_answer(void *context, const nd_answer *answer) {
    return (void)context, (void)answer, true;
}

/* ---- the tests, by subject */

void test_texts(void **state);
void test_sketches(void **state);
void test_fingerprints(void **state);
void test_plans(void **state);
void test_dedup(void **state);
void test_exact(void **state);
void test_exact_index(void **state);
void test_audit(void **state);
void test_tune(void **state);
void test_index_use(void **state);
void test_passes(void **state);
void test_index_making(void **state);
void test_index(void **state);
void test_hamming_making(void **state);
void test_hamming(void **state);
void test_stream(void **state);
void test_distributed(void **state);
void test_sizes(void **state);
void test_size_inits(void **state);
void test_sizes_handed_out(void **state);
void test_size_of_records(void **state);
void test_sized_are_all_here(void **state);

#endif
