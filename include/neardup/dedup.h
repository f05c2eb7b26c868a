/* The jobs that find duplicates: nd_dedup keeps one document of each group, nd_pairs returns every
 * pair. */
#ifndef NEARDUP_DEDUP_H
#define NEARDUP_DEDUP_H

#include "neardup/index.h"
#include "neardup/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a candidate is verified to be a duplicate.
 *
 * ND_VERIFY_EXACT   By the texts: the Jaccard similarity of their shingle sets reaches the
 *                   threshold.
 * ND_VERIFY_COSINE  By the texts: the cosine of the weighted vectors behind their fingerprints
 *                   reaches the threshold. Only with ND_SKETCH_SIMHASH.
 * ND_VERIFY_NONE    By the sketches. MinHash and sentences: the estimated Jaccard similarity
 *                   reaches the threshold. SimHash: the fingerprints differ in at most k bits.
 *                   TLSH: the digests are within the distance. */
typedef enum nd_verify { ND_VERIFY_EXACT = 0, ND_VERIFY_COSINE, ND_VERIFY_NONE } nd_verify;

/* The similarity of two sets of shingles that makes documents duplicates.
 *
 * ND_MEASURE_JACCARD      nd_jaccard: of texts of about the same length.
 * ND_MEASURE_CONTAINMENT  nd_containment: a text within a longer one is its duplicate, too. With
 *                         ND_SKETCH_MINHASH and ND_VERIFY_EXACT, and without an index. Candidates
 *                         are found by anchors (nd_anchor_plan), for which the texts are read a
 *                         second time; `perms` has no effect. A text with fewer tokens than a
 *                         shingle is contained in none but its copies. */
typedef enum nd_measure { ND_MEASURE_JACCARD = 0, ND_MEASURE_CONTAINMENT } nd_measure;

/* The decision about a document. All pointers are valid during the call. */
typedef struct nd_decision {
    uint64_t document; /* number in the order of input, from 0 */
    const char *id;
    size_t id_length;
    /* The input as it was named; "" for a callback. */
    const char *source;
    /* Line in it, from 1. For a callback the number of the record, for a directory of the file. */
    uint64_t line;
    bool kept;
    /* `jaccard` is an estimate, and the counts are 0: ND_VERIFY_NONE with ND_SKETCH_MINHASH or
     * ND_SKETCH_SENTENCES. */
    bool estimated;
    /* Number of the kept document that it duplicates. Kept: its own number. `indexed`: 0. */
    uint64_t evidence;
    bool indexed; /* the evidence is a document of the index, known by its id */
    const char *evidence_id;
    size_t evidence_id_length;
    const char *evidence_source; /* `indexed`: "", and evidence_line is 0 */
    uint64_t evidence_line;
    /* With the evidence. Kept: 1. Unknown (ND_SKETCH_SIMHASH or ND_SKETCH_TLSH without
     * ND_VERIFY_EXACT): 0. */
    double jaccard;
    uint64_t intersection, set_union;
    double cosine; /* with ND_VERIFY_COSINE as `jaccard`; else 1 if kept, 0 if not */
    /* From the evidence. ND_SKETCH_SIMHASH: bits that differ. ND_SKETCH_TLSH: of the digests; of
     * exact copies, which are not compared, 0. Else 0. */
    uint32_t distance;
    /* With ND_MEASURE_CONTAINMENT as `jaccard`, which is known then, too; else 1 if kept, 0 if not.
     */
    double containment;
} nd_decision;

/* Called once per document, in the order of input, from one thread at a time. Return false to
 * cancel. */
typedef bool nd_decision_fn(void *context, const nd_decision *decision);

/* A pair of duplicates. a precedes b in the order of priority. All pointers are valid during the
 * call. */
typedef struct nd_pair {
    /* Numbers in the order of input, from 0; document_a is 0 if `indexed`. */
    uint64_t document_a, document_b;
    bool indexed; /* a is a document of the index */
    const char *id_a, *id_b;
    size_t id_a_length, id_b_length;
    const char *source_a, *source_b; /* as in nd_decision */
    uint64_t line_a, line_b;
    double jaccard; /* this and the next members: as in nd_decision */
    bool estimated;
    uint64_t intersection, set_union;
    double cosine;
    uint32_t distance;
    double containment;
} nd_pair;

/* Called once per pair, in the order of b, then of a, by priority, from one thread at a time.
 * Return false to cancel. */
typedef bool nd_pair_fn(void *context, const nd_pair *pair);

/* A document that nd_losses names. */
typedef struct nd_named_document {
    const char *id;
    size_t id_length;
    const char *source; /* as in nd_decision; of a document of an index "", and line 0 */
    uint64_t line;
} nd_named_document;

/* A kept document, and the documents that were removed for it. */
typedef struct nd_loss_group {
    nd_named_document kept;
    nd_named_document example; /* the first removed one in the order of input */
    uint64_t removed;
    uint64_t exact_copies; /* of these: as in nd_job_summary */
} nd_loss_group;

/* Steps of nd_losses.groups_by_removed. */
enum { ND_GROUP_STEPS = 32 };

/* How documents are classed.
 *
 * ND_LOSS_SOURCE  By input: a file; or of a directory the first folder in it, and the directory
 *                 itself for files that are in none; of a list of texts their folder.
 * ND_LOSS_LENGTH  By the bytes of the text, in powers of ten: "1 kB to 10 kB".
 * ND_LOSS_SCRIPT  By the script of most letters in a sample of the text: "Latin", "Han".
 * ND_LOSS_HOST    Of archives, by the host of the URI, in lower case.
 * ND_LOSS_FIELD   By the value of a field: nd_output_options.losses_by. */
typedef enum nd_loss_kind {
    ND_LOSS_SOURCE = 0,
    ND_LOSS_LENGTH,
    ND_LOSS_SCRIPT,
    ND_LOSS_HOST,
    ND_LOSS_FIELD
} nd_loss_kind;

/* A class of documents. Sources, hosts and values beyond 100,000 are the class "(other)";
 * documents without a host, or a value, are "(none)". */
typedef struct nd_loss_class {
    nd_loss_kind kind;
    const char *name; /* NUL-terminated */
    uint64_t documents, removed;
} nd_loss_class;

/* What an alarm is about.
 *
 * ND_ALARM_MOST   More than half of all documents are removed.
 * ND_ALARM_GROUP  More than a tenth of all removed documents are removed for one kept document.
 * ND_ALARM_CLASS  A class loses everything; or more than a fifth, and a share of more than three
 *                 times that of all other documents.
 *
 * Each needs 100 documents: of the run, removed ones, or of the class and of all others. */
typedef enum nd_alarm_kind { ND_ALARM_MOST = 0, ND_ALARM_GROUP, ND_ALARM_CLASS } nd_alarm_kind;

typedef struct nd_alarm {
    nd_alarm_kind kind;
    const char *message;      /* the warning, NUL-terminated */
    nd_loss_class loss_class; /* ND_ALARM_CLASS; else zeros */
    uint64_t documents;       /* of the run; ND_ALARM_GROUP: all removed ones; of the class */
    uint64_t removed;         /* of these documents */
    nd_named_document example, kept; /* a removed document, and the one that it duplicates */
} nd_alarm;

/* Where documents are lost. All pointers are valid during the call. */
typedef struct nd_losses {
    uint64_t documents, removed; /* of the run */
    /* The three kept documents for which most were removed, the largest group first. Fewer, if
     * fewer have removed a document. */
    const nd_loss_group *groups;
    size_t group_count;
    /* Of each kind the 20 classes that lose most documents, by kind, then the largest loss first.
     */
    const nd_loss_class *classes;
    size_t class_count;
    /* Of classes at most five of a kind, those that lose most documents. on_warning gets the
     * message of each. */
    const nd_alarm *alarms;
    size_t alarm_count;
    /* How many kept documents have how many removed ones. Step s counts those for which 2^s to
     * 2^(s + 1) - 1 documents were removed. */
    uint64_t groups_by_removed[ND_GROUP_STEPS];
} nd_losses;

/* Called once, when all documents are decided, and before an output gets its name. Return false to
 * cancel. */
typedef bool nd_losses_fn(void *context, const nd_losses *losses);

/* What an example is of.
 *
 * ND_EXAMPLE_DUPLICATE  Compared pairs that are duplicates, those nearest to the threshold.
 * ND_EXAMPLE_REJECTED   Compared pairs that are none, those nearest to the threshold.
 * ND_EXAMPLE_GROUP      nd_losses.groups: the kept document and the removed one of each. */
typedef enum nd_example_kind {
    ND_EXAMPLE_DUPLICATE = 0,
    ND_EXAMPLE_REJECTED,
    ND_EXAMPLE_GROUP
} nd_example_kind;

/* ND_EXAMPLE_BYTES: of a longer text an example has the beginning. */
enum { ND_EXAMPLES_MOST = 12, ND_EXAMPLE_BYTES = 1 << 14 };

/* Two documents with their texts. All pointers are valid during the call. */
typedef struct nd_example {
    nd_example_kind kind;
    /* The measure that decides, 0 to 1; of fingerprints the part of their bits that agree; of TLSH
     * digests (300 - distance) / 300, at least 0. The same tokens: 1. */
    double similarity;
    nd_named_document documents[2]; /* the earlier one, which stays, and the later one */
    const char *texts[2];           /* NULL: of an index, which has no texts */
    size_t lengths[2];              /* bytes of `texts`, valid UTF-8 */
    size_t whole_lengths[2];        /* bytes of the documents' texts */
} nd_example;

/* Called from one thread at a time, before an output gets its name. Return false to cancel. */
typedef bool nd_example_fn(void *context, const nd_example *example);

/* The definition of a duplicate. A member that a comment restricts is ignored otherwise. */
typedef struct nd_similarity_options {
    size_t struct_size;
    /* NULL: the defaults. No stems; with an index no ND_SEGMENT. */
    const nd_analyzer_options *analyzer;
    double threshold; /* least similarity by `measure`, or cosine: (0, 1], default 0.8 */
    double recall;    /* ND_SKETCH_MINHASH: (0, 1), default 0.999 */
    uint32_t perms;   /* ND_SKETCH_MINHASH, ND_SKETCH_SENTENCES: 1 to 1024, default 128 */
    nd_sketch sketch; /* default ND_SKETCH_MINHASH; an index requires it */
    /* Default ND_VERIFY_EXACT; an index requires it. An index with sketches only verifies as
     * ND_VERIFY_NONE. */
    nd_verify verify;
    uint32_t k; /* ND_SKETCH_SIMHASH: most bits that differ, 0 to bits / 4, default 6 */
    /* ND_SKETCH_SIMHASH. NULL: 64 bits, ND_WEIGHTING_COUNTED. Features are the shingles of the
     * analyzer; for ND_WEIGHTING_COUNTED and ND_WEIGHTING_TABLE single words, and then ND_CHARS is
     * an error. ND_WEIGHTING_LEVELS is an error. */
    const nd_simhash_options *simhash;
    uint32_t sentences; /* ND_SKETCH_SENTENCES: sentences per text, 1 to 64, default 3 */
    /* Most comparisons of a document with members of large buckets; with ND_SKETCH_SIMHASH, with
     * earlier documents within k bits; with ND_SKETCH_TLSH, with the nearest earlier documents;
     * with ND_MEASURE_CONTAINMENT, with all earlier candidates. At least 1, default 1000. */
    uint32_t max_compare;
    nd_measure measure; /* default ND_MEASURE_JACCARD */
    uint32_t reserved;
    /* What keeps similar texts apart: lists of words with commas between them
     * ("enable,disable,not"), of which "numbers" stands for all numbers. Two texts are duplicates
     * only if they have the same set of numbers, and the same ones of the listed words; exact
     * copies are no exception. NULL, the default: no list. Not with an index, which keeps no
     * numbers of its documents (ND_ERR_ARGUMENT).
     *
     * A number is a maximal run of decimal digits (gc=Nd) with single separators . , : / - between
     * two of them. Digits of all scripts, and full-width and Arabic separators, count as their
     * ASCII ones. A word is a token, or several that follow each other, of ND_WORDS. Takes 8 to 12
     * bytes of memory per document. */
    const char *const *differ_by;
    size_t differ_by_count;
    uint32_t distance; /* ND_SKETCH_TLSH: most distance of two digests, 0 to 300, default 70 */
    uint32_t reserved2;
} nd_similarity_options;

ND_API void nd_similarity_options_init(nd_similarity_options *options, size_t struct_size);

/* Sets the values of a preset: kind and ngram of the analyzer; threshold, recall and perms of the
 * similarity. All other members stay as they are. Both structures have been initialised. Presets
 * are "web" (the defaults), "news", "noisy", "short" and "code": doc/guide/presets.md has their
 * values, and the quality that was measured with each. ND_ERR_ARGUMENT: there is no preset of this
 * name, and the message lists them; or a structure has an unknown size. */
ND_API ND_MUST_CHECK nd_status nd_preset(const char *name, nd_analyzer_options *analyzer,
                                         nd_similarity_options *similarity, nd_error *error);
/* Returns the name of preset number `index`, from 0; NULL behind the last one. Static. */
ND_API const char *nd_preset_name(size_t index);

/* Which of several duplicates is kept: the first of the input, the one with the longest text, or
 * with the largest or smallest value of a field. */
typedef enum nd_keep { ND_KEEP_FIRST = 0, ND_KEEP_LONGEST, ND_KEEP_MAX, ND_KEEP_MIN } nd_keep;

/* How duplicates form groups.
 *
 * ND_GROUP_GREEDY     A document is removed if it duplicates a kept one.
 * ND_GROUP_COMPONENT  One document is kept of all documents that chains of duplicates connect. */
typedef enum nd_group { ND_GROUP_GREEDY = 0, ND_GROUP_COMPONENT } nd_group;

typedef struct nd_survivor_options {
    size_t struct_size;
    nd_keep keep;   /* default ND_KEEP_FIRST */
    nd_group group; /* default ND_GROUP_GREEDY */
    /* ND_KEEP_MAX and ND_KEEP_MIN with JSON Lines: the field, a number or an ISO 8601 date in a
     * string. Of web archives "WARC-Date". Records without it rank behind all others, with a
     * warning; if no record has it: ND_ERR_INPUT. Records of a callback have `value` instead. */
    const char *keep_field;
    /* The job fails with ND_ERR_INPUT if a larger share of the documents would be removed: above 0
     * and at most 1. Then no output gets its name, nothing goes to standard output or to
     * on_decision and on_pair, and an index stays as it is. 0, the default: no limit. */
    double max_removed;
    /* "FIELD=VALUE" each: a record whose field has one of these values is protected, and never
     * removed. Protected documents are considered before all others, in the order of `keep`; so
     * other documents go that duplicate them. With ND_GROUP_COMPONENT all protected documents of a
     * component stay, and the first of them, if there is one, is the document that is kept. The
     * documents of an index come before them; a protected one that duplicates one of these stays,
     * and is added. An exact copy of a protected document goes for that one, even if an
     * earlier kept document is a duplicate, too.
     *
     * The field ends at the first '='. It is named as a text field is. Its value is a string, or a
     * number as it is written, or true or false; of Parquet the text that DuckDB makes of it; of
     * CSV the bytes of the column. Records of a callback have `is_protected` instead. Texts and
     * archives have no fields. */
    const char *const *protect;
    size_t protect_count;
} nd_survivor_options;

/* An index (neardup/index.h) whose documents precede all others. A document that duplicates one of
 * them is removed. When all outputs have their names, the kept documents are added. The similarity
 * options must be those of the index, and ND_GROUP_COMPONENT is an error (ND_ERR_ARGUMENT).
 * nd_exact uses an index of ND_CONTENT_HASHES in the same way. */
typedef struct nd_index_use {
    size_t struct_size;
    const char *path; /* a directory; the job opens and closes the index */
    /* Instead of `path`: an index that is open for writing, on disk or in memory. Until the job
     * returns, searches go on, and every other call that changes the index fails with ND_ERR_BUSY,
     * in callbacks of the job and in other threads. */
    nd_index *index;
    /* Default ND_SYNC_EACH, here the same as ND_SYNC_BATCH. With ND_SYNC_OFF the system chooses
     * when it writes a batch of at most 1,000 added documents; a larger batch becomes a segment,
     * which is synced. */
    nd_sync sync;
    /* This job continues the unfinished batch of the index. Without `resume` the job assumes so if
     * the inputs have the same names, sizes and times; never for callbacks. The last finished
     * batch, if its inputs had the same names, sizes and times, or if both came from callbacks, is
     * not added again: outputs and callbacks are as in the first run. A document is recognised by
     * its id and its sketch. */
    bool resume;
    /* A document replaces the document of the index with the same id. false: a repeated id is
     * ND_ERR_ARGUMENT. */
    bool replace;
    uint8_t reserved[2];
} nd_index_use;

/* Outputs of nd_dedup. NULL: not wanted. Files are written as by nd_write_file. The job names all
 * of them, or none; then it adds the batch to an index; then it drops the old files. If a step
 * fails, the outputs are as before, and the index has nothing of the batch. If the index failed
 * while it wrote its new state, it may have the whole batch: then the same batch with `resume`
 * gives the outputs of one run. A process that dies between the steps may leave some outputs new
 * and others old; `kept` is named last. */
typedef struct nd_output_options {
    size_t struct_size;
    /* The kept records, byte for byte. "-": standard output; .gz and .zst compress. A name that
     * ends with '/', or an empty directory: a directory with a file for each file of the input, of
     * the same name (of several directories, behind the last part of the directory's name) and
     * compression; a file without kept records is empty. Two files of one name, and a directory
     * that is not empty, are errors. Rows of Parquet are written as Parquet to regular files only,
     * with their columns, types and compression; of several files in one, these have the same
     * columns. If the input is texts: a directory for the kept files, or "-"
     * for a list of their paths. */
    const char *kept;
    /* Tables (doc/internals/formats.md, "Tables"). Each row ends with the sources and lines of its
     * two documents. The measure is the one that decides: jaccard, containment, cosine or distance.
     * Behind the first two of them, `removed` has intersection and union. */
    const char *removed;  /* id kept MEASURE ... */
    const char *clusters; /* id cluster kept ... */
    const char *edges;    /* id_a id_b MEASURE ... */
    nd_decision_fn *on_decision;
    nd_pair_fn *on_pair;
    void *context; /* of on_decision, on_pair, on_losses and on_example */
    /* End each path of a list with NUL, not a line break. ND_ERR_ARGUMENT: no paths are listed. */
    bool null_paths;
    /* `kept` gets all records, the removed ones too, in the order of input. Each has three members
     * or columns more, behind its own, instead of any of the same names: neardup_kept (true or
     * false; CSV: 1 or 0), neardup_of (the id of the kept document that it duplicates, a string),
     * and neardup_similarity (six digits, in Parquet a DOUBLE; of fingerprints and digests without
     * ND_VERIFY_EXACT or ND_VERIFY_COSINE as in nd_example). The last two of a kept record are
     * null, in CSV empty. */
    bool mark;
    uint8_t reserved[2];
    /* Of kept and removed records: the format of the input, or ND_FORMAT_JSON_LINES, which is made
     * of the rows of CSV (an object of strings) and of Parquet (doc/guide/parquet.md), of JSON over
     * several lines, and of texts (members `id` and `text`; of archives `url` and `date`, too).
     * ND_FORMAT_AUTO, the default: as the name's ending says, else the format of the input. Another
     * format is ND_ERR_ARGUMENT. */
    nd_input_format format;
    /* The removed records, as `kept` writes them, in one file. Of texts only as JSON Lines. */
    const char *removed_records;
    /* Most bytes of a file, before compression: `kept` is a directory, and gets files part-00000,
     * part-00001 ..., with the ending and compression of the first input. A larger record has a
     * file of its own. 0, the default: no such limit. Files of Parquet have none. */
    uint64_t shard_size;
    /* A table: a sample of the pairs that were compared, to look at: duplicates and rejected pairs
     * of every band of similarities, 0.05 wide, or of every distance (beyond 32 of bands of
     * distances, 10 wide), and exact copies. The same
     * pairs at any number of threads. id_a id_b MEASURE verdict pairs ...; the verdict is
     * "duplicate", "rejected" or "copy", and `pairs` counts the pairs of this verdict and band, in
     * the sample or not. */
    const char *review;
    uint64_t review_pairs; /* most pairs of a band and verdict, at most 1,000; 0: 20 */
    nd_losses_fn *on_losses;
    /* Examples with their texts, to show to people: at most ND_EXAMPLES_MOST duplicates and as many
     * rejected pairs out of the sample of `review`, which need not be written, and the largest
     * groups. The same ones at any number of threads. */
    nd_example_fn *on_example;
    /* A field of the records, such as their language: losses are also counted by its values
     * (ND_LOSS_FIELD). It is named as a text field is, and its values are read as those of
     * nd_survivor_options.protect; of Parquet a value of any type, and of web archives a field of
     * the record's header, such as WARC-Identified-Content-Language. Records of a callback have
     * `label` instead, and any name may stand here, for messages. If no record has the field, a
     * warning says so. Takes 4 bytes per document. NULL, the default: not wanted. */
    const char *losses_by;
} nd_output_options;

typedef struct nd_dedup_options {
    size_t struct_size;
    const nd_input_options *input;           /* not NULL */
    const nd_similarity_options *similarity; /* NULL: the defaults; so are the next ones */
    const nd_survivor_options *survivors;
    const nd_index_use *index; /* NULL: no index */
    const nd_output_options *outputs;
    const nd_resources *resources;
} nd_dedup_options;

/* Removes near-duplicates. Documents are considered in the order of priority: the order of input,
 * the longest text first, or by a field. A document is removed exactly if a document that was kept
 * before it is a candidate, and a duplicate by `verify`; the first such document is its evidence.
 * With ND_GROUP_COMPONENT the job instead keeps the first document of each connected component of
 * all pairs of duplicates.
 *
 * `summary` NULL: not wanted; it gets all members that apply. After a failure the outputs are as
 * they were before. ND_ERR_INPUT: a bad record, without skip_errors; more than max_removed.
 * ND_ERR_CANCELLED: a callback
 * stopped the job. ND_ERR_BUSY, ND_ERR_CORRUPT: of the index. Time: one pass over the texts, plus
 * the comparisons. Memory: nd_resources. */
ND_API ND_MUST_CHECK nd_status nd_dedup(const nd_dedup_options *options, nd_job_summary *summary,
                                        nd_error *error);

typedef struct nd_pairs_options {
    size_t struct_size;
    const nd_input_options *input;           /* not NULL */
    const nd_similarity_options *similarity; /* NULL: the defaults */
    /* The table `edges` of nd_output_options. "-": standard output. NULL: not wanted. */
    const char *output;
    nd_pair_fn *on_pair;           /* NULL: not wanted */
    void *context;                 /* of on_pair */
    const nd_resources *resources; /* NULL: the defaults */
} nd_pairs_options;

/* Finds every pair of duplicates, at or above the threshold (a similarity join). `summary` NULL:
 * not wanted. After a failure the output is as it was before. Errors and costs: as nd_dedup. */
ND_API ND_MUST_CHECK nd_status nd_pairs(const nd_pairs_options *options, nd_job_summary *summary,
                                        nd_error *error);

#ifdef __cplusplus
}
#endif
#endif
