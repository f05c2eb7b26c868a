/* neardup compare: two texts by every measure, and what they share. */
#include "output/complain.h"
#include "output/pair.h"
#include "commands/job_command.h"
#include "flags/text_flags.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BITS_AUTO, EXPLAINED_BITS = 16 };

static const flag output_flags[] = {
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = SETTING(json),
     .help = "one JSON object instead of the table"},
    {.name = "html",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = SETTING(page),
     .help = "a page with both texts beside each other instead of the table; what they share is "
             "marked and linked, and the file needs no other one"},
    {.name = "explain",
     .kind = FLAG_SWITCH,
     .offset = SETTING(explain),
     .help = "the steps of SimHash and MinHash besides; a row for each feature with its weight and "
             "what it adds to each bit, and for each shingle with the texts that have it and its "
             "places in permutations"},
};

static const flag within_flags[] = {
    {.name = "in",
     .kind = FLAG_INPUT,
     .argument = "INPUT",
     .offset = SETTING(within),
     .help = "A and B are ids of documents in this file of JSON Lines, or this directory; of "
             "several documents of one id the first is meant"},
};

static const flag measure_flags[] = {
    {.name = "bits",
     .kind = FLAG_CHOICE,
     .choices = "auto|16|32|64|128",
     .offset = SETTING(compare_bits),
     .help = "length of a fingerprint; auto: 64, of which --explain shows 16"},
    {.name = "bottom-k",
     .kind = FLAG_COUNT,
     .argument = "K",
     .low = 2,
     .high = 65536,
     .offset = SETTING(compare.bottom_k),
     .help =
         "how many of the smallest values of a hash function the bottom-k estimates are made of"},
    WEIGHTS_FLAG("tf|tfidf:FILE",
                 WEIGHTS_TF_HELP "; " WEIGHTS_TABLE_HELP ", which also gives another cosine"),
};

static const flag passage_flags[] = {
    {.name = "min",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = UINT32_MAX,
     .offset = SETTING(compare.least_run),
     .help = "tokens that a shared run must have"},
    {.name = "gap",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = UINT32_MAX,
     .offset = SETTING(compare.gap),
     .help = "most tokens between two runs that are one passage, in either text"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group within_group = FLAG_GROUP("Input", within_flags);
static const flag_group measure_group = FLAG_GROUP("Comparison", measure_flags);
static const flag_group passage_group = FLAG_GROUP("Comparison", passage_flags);
static const flag_group *const groups[] = {
    &output_group, &within_group,  &input_group, &similarity_group, &token_group,   &stem_group,
    &stop_group,   &shingle_group, &seed_group,  &measure_group,    &passage_group, &help_group,
    NULL};

static const char text_chapter[] =
    "A and B are two files of plain text, UTF-8; - is standard input. With --in they are the ids "
    "of two documents of an INPUT, which is what neardup-dedup(1) reads: JSON Lines, also "
    "compressed, or a directory. "
    "--max-record bounds both; the other flags of the input go with --in alone.";

static const char measure_chapter[] =
    "The Jaccard similarity and the containments are those of the sets of shingles, exact. The "
    "cosine is that of the angle between the two vectors of features: single words, or, with "
    "--analyzer chars, runs of 5 characters, each "
    "weighing as often as it occurs (tf), or as a table says (tf-idf); --stop leaves words out of "
    "them, and --stem takes stems for words, but shingles and passages are of all words as they "
    "are. Fingerprints are those of neardup-simhash(1) by the same weights; the line below them "
    "has, for each digit, the bits that differ. The MinHash estimate is that of "
    "--perms permutations, and its standard error sqrt(J (1 - J) / perms). The bottom-k estimate "
    "is that of the --bottom-k smallest values of one hash function, by which also the "
    "containments and the number of shingles of each text can be told; "
    "standard errors are estimated from the same values, and where both texts have fewer shingles "
    "all is exact. P(found) is the probability that neardup-dedup(1) compares the pair, by its "
    "bands.\n\n"
    "A shared passage begins where a run of at least --min tokens of a is also in b: the longest "
    "at that place, and the first such in b. The search goes on behind it. Runs that follow each "
    "other in both texts with at most --gap tokens "
    "between them are one passage; its tokens are those in common. Places are counted in bytes "
    "from 0, the end being behind the last. Of a long passage beginning and end are shown; --json "
    "and --html have all of it.";

static const char json_chapter[] =
    "The members of --json: a and b, each with id, text_bytes, tokens, shingles (distinct ones), "
    "bottom_k_shingles, bottom_k_shingles_standard_error and simhash; intersection and union of "
    "the sets of shingles; jaccard, containment, a_in_b, b_in_a, cosine_tf, cosine_tfidf (null "
    "without a table), "
    "minhash_estimate, minhash_standard_error; bottom_k (how many values), bottom_k_jaccard, "
    "bottom_k_a_in_b and bottom_k_b_in_a, each also with _standard_error behind its name; perms, "
    "bands, rows, threshold, recall and found of the plan; bits and distance of the fingerprints; "
    "and passages, a list of objects with tokens, and a and b with begin, end and text.";

static const char explain_chapter[] =
    "--explain shows how the fingerprints come about. Each bit of a feature's hash adds the "
    "feature's weight where it is 1, and takes it away where it is 0; the fingerprint has a 1 "
    "where the sum is above 0. Up to 100 features have a row of their "
    "own, the others are one. The lowest 16 bits are the fingerprint of 16 bits.\n\n"
    "Then MinHash in its three textbook forms, where both texts together have at most 40 distinct "
    "shingles: a matrix says which text has which shingle; by each of 10 permutations of its rows "
    "a text has the first place at which "
    "one of its shingles stands; hash functions stand for permutations; and of a single function "
    "the smallest values are kept. Behind an estimate its standard error.";

static const char compare_exit_chapter[] =
    "0: done. 1: a text cannot be had, and the message says why. 2: the command line is wrong.";

static const char example_chapter[] =
    "  neardup compare draft.txt final.txt\n"
    "  neardup compare 1207 88 --in articles.jsonl.zst --html pair.html\n"
    "  neardup compare a.txt b.txt --weights tfidf:words.tsv --json\n"
    "  neardup compare a.txt b.txt --explain --bits 32";

static const chapter chapters[] = {{"TEXTS", text_chapter},
                                   {"RESULT", measure_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"JSON", json_chapter},
                                   {"EXPLANATION", explain_chapter},
                                   {"EXIT STATUS", compare_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

static bool is_one_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

static bool is_input(const settings *given, char **texts) {
    const char *inputs[] = {given->within ? given->within : texts[0],
                            given->within ? given->within : texts[1]};
    return is_one_file(given->page, inputs[0]) || is_one_file(given->page, inputs[1]);
}

/* Flags that do not go together: false, and told. */
static bool flags_agree(const settings *given, char **texts) {
    static const char *const of_inputs[] = {"text-field", "id-field", "invalid",
                                            "on-error",   "follow",   NULL};
    const char *input_flag = given->within ? NULL : flag_first_given(&given->flags, of_inputs);
    if (input_flag) complain("--%s: only with --in; A and B are plain files", input_flag);
    else if (!given->within && strcmp(texts[0], "-") == 0 && strcmp(texts[1], "-") == 0)
        complain("compare: standard input is only one text");
    else if (given->json && given->page) complain("--json: not with --html");
    else if (given->page && is_input(given, texts))
        complain("--html: %s is an input: the page must be another file", given->page);
    else if (given->explain && (given->json || given->page))
        complain("--explain: only with the table, not with --json or --html");
    else return analyzer_flags_agree(given) && feature_flags_agree(given, 1);
    return false;
}

static nd_compare_options options_of(const settings *given) {
    static const uint32_t lengths[] = {64, 16, 32, 64, 128};
    const nd_job_options *job = &given->job;
    nd_compare_options o = given->compare;
    o.analyzer = job->analyzer;
    o.ngram = job->ngram;
    o.seed = job->seed;
    o.dictionary = job->dictionary;
    o.stem = job->stem;
    o.table = given->words.table;
    o.stop = given->words.stop;
    o.bits = lengths[given->compare_bits];
    o.threshold = job->threshold;
    o.recall = job->recall;
    o.perms = job->perms;
    return o;
}

/* The page is made in memory and written as one file. */
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

static bool tell(const settings *given, const pair *p) {
    if (given->page) return write_page(given->page, p);
    if (given->json) {
        pair_print_json(stdout, p);
        return true;
    }
    pair_print(stdout, p);
    if (!given->explain) return true;
    return explain_simhash(stdout, p,
                           given->compare_bits == BITS_AUTO ? EXPLAINED_BITS : p->told->bits) &&
           explain_pair_minhash(stdout, p);
}

static int compare_run(const command *self, settings *given, int count, char **operands) {
    (void)self, (void)count;
    const nd_job_options *job = &given->job;
    pair p = {.told = NULL};
    nd_plan plan;
    nd_error error;
    if (!flags_agree(given, operands)) return EXIT_USAGE;
    if (nd_plan_choose(job->threshold, job->recall, job->perms, &plan, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_USAGE;
    }
    if (!pair_read(given, operands, &p)) return EXIT_FAILED;
    nd_status status = text_files_read(given, &error);
    p.options = options_of(given);
    const pair_text *a = &p.texts[0], *b = &p.texts[1];
    if (status == ND_OK)
        status = nd_compare(&p.options, a->bytes, a->length, b->bytes, b->length, NULL, &p.told,
                            &error);
    if (status != ND_OK) complain("%s", error.message);
    bool good = status == ND_OK && tell(given, &p);
    text_files_free(given);
    pair_free(&p);
    return good ? EXIT_DONE : EXIT_FAILED;
}

const command compare_command = {
    .name = "compare",
    .operands = "A B",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = 2,
    .missing = "two texts are needed: files, or, with --in, ids",
    .summary = "two texts by every measure, and the passages that they share",
    .description = "Compares two texts and shows every measure of their similarity, what dedup "
                   "would make of them, and the passages that they have in common.",
    .groups = groups,
    .chapters = chapters,
    .run = compare_run,
};
