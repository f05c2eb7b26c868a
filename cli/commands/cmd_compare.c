/* neardup compare: two texts by every measure, their differences and shared passages. */
#include "commands/command_names.h"
#include "commands/pair_read.h"
#include "commands/result_command.h"
#include "explain/explain_pair_minhash.h"
#include "explain/explain_simhash.h"
#include "flags/differ_flags.h"
#include "flags/fingerprint_flags.h"
#include "flags/input_flags.h"
#include "flags/passage_flags.h"
#include "flags/similarity_flags.h"
#include "flags/text_flags.h"
#include "manual/chapters.h"
#include "output/colour.h"
#include "output/complain.h"
#include "output/output_names.h"
#include "output/pair_page.h"
#include "output/pair_print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXPLAINED_BITS = 16, SHOWN_DIFFERENCES = 20, CONTEXT_WORDS = 6 };

typedef struct form_settings {
    const char *page; /* a file; NULL: none */
    bool explain;
} form_settings;

typedef struct within_settings {
    const char *input; /* NULL: A and B are files */
} within_settings;

typedef struct measure_settings {
    uint32_t bottom_k;
} measure_settings;

typedef struct difference_settings {
    uint32_t most;
} difference_settings;

typedef struct compare_settings {
    result_settings result;
    form_settings form;
    within_settings within;
    input_settings input;
    similarity_settings similarity;
    text_settings text;
    fingerprint_settings fingerprint;
    measure_settings measure;
    differ_settings differ;
    passage_settings passage;
    difference_settings difference;
} compare_settings;

static const flag form_list[] = {
    {.name = "page",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(form_settings, page),
     .help = "write a page of HTML instead of the table, with both texts beside each other; "
             "differences and shared passages are marked and linked; the page needs no other "
             "file"},
    {.name = "explain",
     .kind = FLAG_SWITCH,
     .offset = offsetof(form_settings, explain),
     .help = "also show the steps of SimHash and MinHash; for SimHash each feature with its weight "
             "and what it adds to each bit; for MinHash each shingle with the texts that have it "
             "and its positions in permutations"},
};
static const flag within_list[] = {
    {.name = "in",
     .kind = FLAG_INPUT,
     .argument = "INPUT",
     .offset = offsetof(within_settings, input),
     .help = "look for documents in this input; A and B are then ids of documents in a file of "
             "JSON Lines or a directory; the first document with an id counts"},
};
static const flag measure_list[] = {
    {.name = "bottom-k",
     .kind = FLAG_COUNT,
     .argument = "K",
     .low = 2,
     .high = 65536,
     .offset = offsetof(measure_settings, bottom_k),
     .help = "number of smallest hash values for the bottom-k estimates"},
};
static const flag difference_list[] = {
    {.name = "differences",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = UINT32_MAX,
     .offset = offsetof(difference_settings, most),
     .help = "most differences that the table shows"},
};
static const unsigned weightings[] = {ND_WEIGHTING_TF, ND_WEIGHTING_TABLE};
static const flag weight_list[] = {
    WEIGHTS_FLAG("tf|tfidf:FILE", weightings, NULL,
                 WEIGHTS_TABLE_HELP "; a table also gives a second cosine"),
};

static const flag_table form_flags = FLAG_TABLE("Output", form_list);
static const flag_table within_flags = FLAG_TABLE("Input", within_list);
static const flag_table measure_flags = FLAG_TABLE("Comparison", measure_list);
static const flag_table difference_flags = FLAG_TABLE("Differences", difference_list);
static const flag_table weight_flags = FLAG_TABLE("Comparison", weight_list);

static const flag_group groups[] = {FLAG_GROUP(compare_settings, result, result_flags),
                                    FLAG_GROUP(compare_settings, form, form_flags),
                                    FLAG_GROUP(compare_settings, within, within_flags),
                                    FLAG_GROUP(compare_settings, input, input_flags),
                                    FLAG_GROUP(compare_settings, similarity, similarity_flags),
                                    FLAG_GROUP(compare_settings, similarity, set_measure_flags),
                                    FLAG_GROUP(compare_settings, text, token_flags),
                                    FLAG_GROUP(compare_settings, text, stem_flags),
                                    FLAG_GROUP(compare_settings, text, stop_flags),
                                    FLAG_GROUP(compare_settings, text, shingle_flags),
                                    FLAG_GROUP(compare_settings, text, seed_flags),
                                    FLAG_GROUP(compare_settings, measure, measure_flags),
                                    FLAG_GROUP(compare_settings, text, weight_flags),
                                    FLAG_GROUP(compare_settings, fingerprint, bits_flags),
                                    FLAG_GROUP(compare_settings, differ, differ_flags),
                                    FLAG_GROUP(compare_settings, difference, difference_flags),
                                    FLAG_GROUP(compare_settings, passage, passage_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    compare_settings *s = settings;
    nd_compare_options options;
    nd_compare_options_init(&options, sizeof options);
    input_settings_init(&s->input);
    similarity_settings_init(&s->similarity);
    text_settings_init(&s->text);
    fingerprint_settings_init(&s->fingerprint);
    passage_settings_init(&s->passage);
    s->measure.bottom_k = options.bottom_k;
    s->difference.most = SHOWN_DIFFERENCES;
}

/* ---- flags that do not go together */

/* Whether an output is an input: then it is not written. False: reported. */
static bool output_agrees(const invocation *call, const char *name, const char *path) {
    const compare_settings *s = call->settings;
    const char *inputs[] = {s->within.input ? s->within.input : call->operands[0],
                            s->within.input ? s->within.input : call->operands[1]};
    if (!path) return true;
    for (int i = 0; i < 2; i++) {
        if (!is_same_file(path, inputs[i])) continue;
        complain("--%s: %s is an input; the output must be another file", name, path);
        return false;
    }
    return true;
}

/* False: reported. */
static bool flags_agree(const invocation *call) {
    const compare_settings *s = call->settings;
    const char *input_flag = s->within.input ? NULL
                                             : flag_first_given(call->given, input_flag_names);
    if (input_flag) complain("--%s: only with --in; A and B are plain files", input_flag);
    else if (!s->within.input && strcmp(call->operands[0], "-") == 0 &&
             strcmp(call->operands[1], "-") == 0)
        complain("compare: standard input is only one text");
    else if (s->result.json && s->form.page) complain("--json: not with --page");
    else if (s->result.output && s->form.page)
        complain("--output: not with --page, which names its own file");
    else if (s->form.explain && (s->result.json || s->form.page))
        complain("--explain: only with the table, not with --json or --page");
    else
        return output_agrees(call, "page", s->form.page) &&
               output_agrees(call, "output", s->result.output) && analyzer_flags_agree(&s->text) &&
               feature_flags_agree(&s->text, 1);
    return false;
}

/* ---- the comparison */

/* The analyzer is of the pair, to which the options point. */
static void set_options(pair *p, const compare_settings *s, const text_files *files) {
    nd_compare_options *o = &p->options;
    p->analyzer = analyzer_options_of(&s->text);
    p->analyzer.dictionary = files->dictionary;
    nd_compare_options_init(o, sizeof *o);
    o->analyzer = &p->analyzer;
    o->table = files->weights;
    o->stop = files->stop;
    o->bits = s->fingerprint.bits;
    o->threshold = s->similarity.threshold;
    o->recall = s->similarity.recall;
    o->perms = s->similarity.perms;
    o->bottom_k = s->measure.bottom_k;
    o->least_run = s->passage.min;
    o->gap = s->passage.gap;
    o->differ_by = s->differ.lists.names;
    o->differ_by_count = s->differ.lists.count;
}

/* The page is made in memory and written as one file. False: reported. */
static bool write_page(const char *path, const pair *p) {
    char *page = NULL;
    size_t size = 0;
    nd_error error;
    FILE *out = open_memstream(&page, &size);
    bool made = out && pair_print_page(out, p);
    made = made && !ferror(out);
    if (out && fclose(out) != 0) made = false;
    bool written = made && nd_write_file(path, page, size, &error) == ND_OK;
    if (!made) complain("%s: no memory for the page", path);
    else if (!written) complain("%s", error.message);
    free(page);
    return written;
}

static int print_comparison(const invocation *call, const pair *p) {
    const compare_settings *s = call->settings;
    results r;
    if (s->form.page) return write_page(s->form.page, p) ? EXIT_DONE : EXIT_FAILED;
    if (!result_open(&r, &s->result)) return EXIT_FAILED;
    const difference_form form = {.words = CONTEXT_WORDS,
                                  .most = s->difference.most,
                                  .colour = !r.path && terminal_colour(STDOUT_FILENO)};
    bool printed = true;
    if (s->result.json) pair_print_json(r.out, p);
    else printed = pair_print(r.out, p, &form);
    if (!printed) complain("compare: no memory for the differences");
    uint32_t bits = flag_is_given(call->given, "bits") ? s->fingerprint.bits : EXPLAINED_BITS;
    bool explained = !s->form.explain ||
                     (explain_simhash(r.out, p, bits) && explain_pair_minhash(r.out, p));
    int status = result_close(&r);
    return printed && explained ? status : EXIT_FAILED;
}

/* The tokens are the ones of shingles and passages: words as they are, not their stems. */
static nd_status find_differences(pair *p, nd_error *error) {
    const pair_text *a = &p->texts[0], *b = &p->texts[1];
    nd_analyzer_options options = p->analyzer;
    nd_analyzer *analyzer;
    options.stem = NULL;
    nd_status status = nd_analyzer_create(&options, NULL, &analyzer, error);
    if (status != ND_OK) return status;
    status = nd_differences(analyzer, a->bytes, a->length, b->bytes, b->length, &p->differences,
                            error);
    nd_analyzer_free(analyzer);
    return status;
}

static int compare(const invocation *call, pair *p) {
    const compare_settings *s = call->settings;
    text_files files;
    nd_error error;
    nd_resources usual;
    nd_resources_init(&usual, sizeof usual);
    nd_status status = text_files_read(&s->text, usual.memory / 2, &files, &error);
    set_options(p, s, &files);
    const pair_text *a = &p->texts[0], *b = &p->texts[1];
    if (status == ND_OK)
        status = nd_compare(&p->options, a->bytes, a->length, b->bytes, b->length, &p->comparison,
                            &error);
    if (status == ND_OK) status = find_differences(p, &error);
    if (status != ND_OK) complain("%s", error.message);
    int end = status == ND_OK ? print_comparison(call, p) : EXIT_FAILED;
    text_files_free(&files);
    return end;
}

/* Whether there is a plan; the anchors, if they are wanted. The MinHash estimate is always made, so
 * that --perms has an effect with either measure. False: reported. */
static bool plan_agrees(const invocation *call, nd_anchor_plan *anchors) {
    const compare_settings *s = call->settings;
    nd_plan bands;
    if (s->similarity.measure == ND_MEASURE_CONTAINMENT)
        return similarity_anchors(&s->similarity, anchors);
    return similarity_plan(&s->similarity, &bands);
}

static int run(const invocation *call) {
    const compare_settings *s = call->settings;
    pair p = {.comparison = NULL, .measure = s->similarity.measure};
    if (!flags_agree(call) || !plan_agrees(call, &p.anchors)) return EXIT_USAGE;
    bool read = s->within.input
                    ? pair_read_documents(s->within.input, &s->input, call->operands, &p)
                    : pair_read_files(call->operands, (size_t)s->input.max_record, &p);
    if (!read) return EXIT_FAILED;
    int status = compare(call, &p);
    pair_free(&p);
    return status;
}

/* ---- the manual */

static const char text_chapter[] =
    "A and B are two files of plain text in UTF-8; - is standard input. With --in they are the ids "
    "of two documents of an INPUT as in neardup-dedup(1): JSON Lines, also compressed, or a "
    "directory. --max-record limits the texts in both cases; the other flags of inputs need --in.";

static const char measure_chapter[] =
    "The Jaccard similarity and the containments are exact; they compare the sets of shingles. The "
    "cosine compares the two vectors of features: single words, or with --analyzer chars runs of 5 "
    "characters. A feature weighs its number of occurrences (tf), or that times its weight in a "
    "table (tf-idf). --stop leaves words out of the features, and --stem replaces them by stems; "
    "shingles and passages always have all words unchanged. Fingerprints are made from the same "
    "weights as by neardup-simhash(1). The line below them shows, for each digit, the bits that "
    "differ.\n\n"
    "The MinHash estimate comes from --perms permutations; its standard error is at most sqrt(J (1 "
    "- "
    "J) / perms). The bottom-k estimate comes from the --bottom-k smallest values of one hash "
    "function. "
    "They also estimate the containments and the number of shingles of each text. Standard errors "
    "are estimated from the same values; if both texts have fewer shingles than that, all are "
    "exact. P(found) is the probability that neardup-dedup(1) compares the pair, by its "
    "bands.\n\n"
    "The first line says whether the pair is one of duplicates for neardup-dedup(1) with the same "
    "--threshold, --measure, --recall, --perms and --differ-by; texts that --differ-by keeps apart "
    "are none, however similar they are. With --measure containment P(found) is that of its "
    "anchors, at least.\n\n"
    "A difference is a place where the texts have different tokens: words of a that are removed, "
    "words of b that are added, or both. Case, punctuation and spacing are no differences. There "
    "is no way to turn a into b with fewer tokens removed and added; only if texts differ in about "
    "20,000 tokens or more, a bound on the time can stop the search before that, and the number of "
    "differences is followed by \"or fewer\". The table shows up to --differences of them, with "
    "some words around; differences that are near each other share a line. On a terminal they have "
    "colours.\n\n"
    "A shared passage begins where a run of at least --min tokens of a is also in b: the longest "
    "one at that token, and the first such in b. The search continues behind it. Runs that follow "
    "each other in both texts with at most --gap tokens between them are joined to one passage; "
    "its tokens are the tokens in common. Offsets count bytes from 0; the end is the offset behind "
    "the last byte. The table shows the beginning and the end of a long passage; --json and --page "
    "have all of it.";

static const char json_chapter[] =
    "The members of --json are: a and b, each with id, text_bytes, tokens, shingles (distinct "
    "ones), bottom_k_shingles, bottom_k_shingles_standard_error and simhash; intersection and "
    "union of the sets of shingles; jaccard, containment, a_in_b, b_in_a, cosine_tf, cosine_tfidf "
    "(null without a table), minhash_estimate, minhash_standard_error; bottom_k (how many values), "
    "bottom_k_jaccard, bottom_k_a_in_b and bottom_k_b_in_a, each also with _standard_error behind "
    "its name; perms, bands and rows (with --measure containment anchors and least_anchors), "
    "threshold, recall and found of the plan; bits and distance of "
    "the fingerprints; passages, a list of objects with tokens, and with a and b, each with begin, "
    "end and text; duplicates (what dedup would take them for); same_tokens and same, the number "
    "and the share of the tokens outside the differences; shortest (false: the bound on the time "
    "was reached); and differences, a list of objects with a and b as for passages; in an "
    "insertion "
    "a is empty, in a removal b.";

static const char explain_chapter[] =
    "--explain shows how the fingerprints are computed. Each bit of a feature's hash adds the "
    "feature's weight if it is 1, and subtracts it if it is 0. The fingerprint has a 1 where the "
    "sum is above 0. Up to 100 features have a row of their own, the others share one. The lowest "
    "16 bits, which are shown unless --bits is given, are the fingerprint of 16 bits.\n\n"
    "Then come the three textbook forms of MinHash, if both texts together have at most 40 "
    "distinct shingles. A matrix shows the shingles of each text. Under each of 10 permutations of "
    "its rows, the value of a text is the first position of one of its shingles. 3 hash functions, "
    "in up to four orders, replace the permutations. And the smallest values of a single function "
    "form a bottom-k sketch. Each estimate has its standard error.";

static const char compare_exit_chapter[] =
    "0: done. 1: a text cannot be read, and the message says why. 2: the command line is wrong.";

static const chapter chapters[] = {{"TEXTS", text_chapter},
                                   {"RESULT", measure_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"JSON", json_chapter},
                                   {"EXPLANATION", explain_chapter},
                                   {"EXIT STATUS", compare_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command compare_command = {
    .name = "compare",
    .operands = "A B",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = 2,
    .missing = "two texts are needed: files, or with --in ids",
    .summary = "two texts by every measure, their differences and shared passages",
    .description = "Compares two texts. Shows what dedup would do with them, every measure of "
                   "their similarity, in which words they differ, and their shared passages.",
    .examples = "neardup compare draft.txt final.txt\n"
                "neardup compare 1207 88 --in articles.jsonl --page pair.html\n"
                "neardup compare a.txt b.txt --weights tfidf:words.tsv --json\n"
                "neardup compare a.txt b.txt --explain --bits 32\n",
    .chapters = chapters,
    .groups = groups,
    .settings_size = sizeof(compare_settings),
    .init = init,
    .run = run,
};
