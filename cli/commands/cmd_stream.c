/* neardup stream: each document as it comes, with the cluster that it goes to. */
#include "output/answers.h"
#include "output/complain.h"
#include "output/escape.h"
#include "commands/job_command.h"
#include "flags/text_flags.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const flag state_flags[] = {
    {.name = "state",
     .kind = FLAG_DIRECTORY,
     .argument = "DIR",
     .offset = SETTING(state),
     .help = "directory of the stream; made where it is not there"},
    {.name = "expire",
     .kind = FLAG_DURATION,
     .argument = "TIME",
     .offset = SETTING(expire),
     .fallback = "never",
     .help =
         "forget a cluster that has not grown for so long by --time-field; 45s, 15m, 36h, 30d, 4w"},
    {.name = "time-field",
     .kind = FLAG_FIELD,
     .argument = "FIELD",
     .offset = SETTING(job.time_field),
     .help = "field with a document's time, a number of seconds or an ISO 8601 date in a string; "
             "one without it comes at the latest time so far"},
};

static const flag near_flags[] = {
    {.name = "threshold",
     .kind = FLAG_SHARE,
     .argument = "S",
     .one = true,
     .offset = SETTING(near),
     .fallback = "0.8, without --k",
     .help = "a document joins the cluster whose first document has at least this Jaccard "
             "similarity with it"},
    {.name = "k",
     .kind = FLAG_COUNT,
     .argument = "K",
     .high = 32,
     .offset = SETTING(k),
     .fallback = "none",
     .help =
         "instead: whose centre differs from its fingerprint in at most so many bits, the nearest"},
    {.name = "mode",
     .kind = FLAG_CHOICE,
     .choices = "leader|follow",
     .offset = SETTING(mode),
     .help = "leader: a centre is the first document; follow (with --k): of each bit what most of "
             "its documents have"},
    {.name = "bits",
     .kind = FLAG_CHOICE,
     .choices = "16|32|64|128",
     .offset = SETTING(bits),
     .help = "length of a fingerprint"},
    WEIGHTS_FLAG("tf|tfidf:FILE|none",
                 WEIGHTS_TF_HELP "; " WEIGHTS_TABLE_HELP "; " WEIGHTS_NONE_HELP "; --k"),
    {.name = "ngram",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = 64,
     .offset = SETTING(feature_ngram),
     .fallback = "5; 1 with --k",
     .help = "tokens a shingle"},
};

static const flag answer_flags[] = {
    {.name = "topics",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = ND_STREAM_TOPICS,
     .offset = SETTING(answer_topics),
     .help = "with each answer the heaviest terms of its cluster so far, at most so many, as in "
             "neardup-clusters(1) --json"},
};

static const flag_group answer_group = FLAG_GROUP("Output", answer_flags);
static const flag_group state_group = FLAG_GROUP("Stream", state_flags);
static const flag_group near_group = FLAG_GROUP("Clusters", near_flags);
static const flag_group *const groups[] = {
    &state_group,  &near_group,  &token_group, &stem_group,    &stop_group, &seed_group,
    &answer_group, &quiet_group, &input_group, &threads_group, &help_group, NULL};

typedef struct teller {
    bool distances, topics;
    answers lines;
} teller;

/* nd_stream_answer_fn. What is ready is flushed before more is waited for. */
static bool tell(void *context, const nd_stream_answer *a) {
    teller *t = context;
    answers_begin(&t->lines);
    fputs("{\"id\":", stdout);
    print_json_text(stdout, a->id, a->id_length);
    fputs(",\"cluster\":", stdout);
    print_json_text(stdout, a->cluster, a->cluster_length);
    printf(",\"new\":%s", a->is_new ? "true" : "false");
    if (t->distances) printf(",\"distance\":%u", a->distance);
    else printf(",\"similarity\":%.6f", a->similarity);
    if (a->again) fputs(",\"again\":true", stdout);
    if (t->topics) answers_print_topics(a->topics, a->topic_count);
    fputs("}\n", stdout);
    if (a->last) fflush(stdout);
    return answers_go_on(&t->lines);
}

static nd_sketch sketch_of(const settings *given) {
    return given->k != UINT32_MAX ? ND_SKETCH_SIMHASH
           : given->near > 0      ? ND_SKETCH_MINHASH
                                  : given->stream.sketch;
}

/* Those of the state, or the usual ones, but for what was given. */
static nd_stream_options options_of(const settings *given) {
    nd_stream_options o = given->stream;
    if (o.sketch != sketch_of(given)) nd_stream_options_init(&o);
    o.sketch = sketch_of(given);
    o.dictionary = given->job.dictionary;
    if (flag_is_given(&given->flags, "analyzer")) o.analyzer = given->job.analyzer;
    if (given->feature_ngram) o.ngram = given->feature_ngram;
    if (given->job.stem) o.stem = given->job.stem;
    if (flag_is_given(&given->flags, "seed")) o.seed = given->job.seed;
    if (flag_is_given(&given->flags, "expire")) o.expire = given->expire;
    if (given->near > 0) o.threshold = given->near;
    if (given->k != UINT32_MAX) o.k = given->k;
    if (flag_is_given(&given->flags, "mode"))
        o.mode = given->mode ? ND_STREAM_FOLLOW : ND_STREAM_LEADER;
    if (flag_is_given(&given->flags, "bits")) o.simhash.bits = 16u << given->bits;
    if (flag_is_given(&given->flags, "weights"))
        o.simhash.weighting = tf_weightings[given->weights];
    o.simhash.table = given->words.table;
    o.simhash.stop = given->words.stop;
    return o;
}

/* Before a stream is made: a name that is wrong leaves none behind. */
static nd_status check_inputs(const nd_job_options *job, nd_error *error) {
    for (size_t i = 0; i < job->input_count; i++) {
        if (strcmp(job->inputs[i], "-") == 0 || access(job->inputs[i], R_OK) == 0) continue;
        *error = (nd_error){.status = ND_ERR_IO};
        snprintf(error->message, sizeof error->message, "%s: %s", job->inputs[i], strerror(errno));
        return ND_ERR_IO;
    }
    return ND_OK;
}

static nd_status stream(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_stream *opened = NULL;
    teller t = {.distances = sketch_of(given) == ND_SKETCH_SIMHASH,
                .topics = given->answer_topics > 0};
    nd_status status = check_inputs(&given->job, error);
    nd_stream_options options = options_of(given);
    nd_job_options job = given->job;
    job.stem = NULL; /* which is the stream's */
    if (status == ND_OK)
        status = nd_stream_open(given->state, ND_INDEX_WRITE, &options, NULL, &opened, error);
    if (status == ND_OK) nd_stream_set_topics(opened, given->answer_topics);
    if (status == ND_OK)
        status = answers_end(&t.lines, nd_stream_run(opened, &job, tell, &t, summary, error),
                             error);
    nd_stream_close(opened);
    return status;
}

/* What was given goes together, and with the state. False: a usage error, and told. */
static bool flags_agree(const settings *given, bool found) {
    bool simhash = sketch_of(given) == ND_SKETCH_SIMHASH;
    static const char *const of_fingerprints[] = {"mode", "weights", "stop", "stem", "bits", NULL};
    const char *only = simhash ? NULL : flag_first_given(&given->flags, of_fingerprints);
    const nd_stream_options o = options_of(given);
    if (given->near > 0 && given->k != UINT32_MAX)
        complain("--threshold and --k: only one of them");
    else if (only) complain("--%s: only with --k", only);
    else if (given->expire > 0 && !given->job.time_field)
        complain("--expire: only with --time-field, which says when a document comes");
    else if (o.expire > 0 && !given->job.time_field)
        complain("--time-field: needed, since %s was made with --expire", given->state);
    else if (found && simhash && o.simhash.weighting == ND_WEIGHTING_TABLE && !given->weight_table)
        complain("--weights: needed, since %s was made with tfidf:FILE and does not hold the file",
                 given->state);
    else return feature_flags_agree(given, o.ngram ? o.ngram : 1);
    return false;
}

static int stream_run(const command *self, settings *given, int count, char **inputs) {
    static char standard_input[] = "-";
    char *none[] = {standard_input};
    nd_error error;
    bool found;
    if (!given->state) {
        complain("--state: the directory of the stream is needed");
        return EXIT_USAGE;
    }
    if (nd_stream_read_options(given->state, &found, &given->stream, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    const nd_stream_options o = options_of(given);
    given->job.analyzer = o.analyzer;
    if (!flags_agree(given, found)) return EXIT_USAGE;
    given->job.seed = o.seed; /* table and stop words are read by them */
    given->job.stem = o.stem;
    return job_run(self, given, count ? count : 1, count ? inputs : none, "-", stream);
}

static const char result_chapter[] =
    "Leader-follower clustering: a document goes to the nearest cluster within reach, of equally "
    "near ones the oldest, or founds one. For each document a line is written, in the order of "
    "input: an object with "
    "id; cluster, the id of the cluster's first document; new, whether this is it; and similarity, "
    "that with the first document, or with --k distance, that to the centre. With --topics N it "
    "has topics, too: the "
    "pairs of term and weight that neardup-clusters(1) --json would tell of the cluster at that "
    "moment. When the input pauses all that has come is "
    "answered.\n\n"
    "With --threshold the answers are those of neardup-index(1) add: a document joins the first "
    "document that neardup would name as the evidence against it. With --k and --mode follow a "
    "centre moves with its documents. "
    "--analyzer segment with its --dict, --stop and --stem also say what words the topics of "
    "neardup-clusters(1) are.";

static const char state_chapter[] =
    "What is answered is on the disk. A stream that ended, however that was, is taken up by the "
    "same command: documents without an answer are sent again, and one that is among the last "
    "1,024 and was answered is "
    "known by its id, changes nothing, and is answered again with again: true. Settings that are "
    "left out are those with which it was made, and one that is given and differs is refused, and "
    "so are another dictionary, list of stop "
    "words, table of weights or, with --analyzer segment, version of ICU: these files are not in "
    "the state and must be given again, and so must --time-field with --expire. One process writes "
    "at a time; neardup-clusters(1) reads at any time.";

static const char stream_exit_chapter[] =
    "0: done. 1: it failed, and the message says why; the answers written until then stand. 2: the "
    "command line is wrong.";

static const char example_chapter[] =
    "  tail -f -n +1 crawl.jsonl | neardup stream --state seen -q\n"
    "  neardup stream monday.jsonl --state news --k 3 --mode follow --expire 30d --time-field date "
    "> monday.clusters\n"
    "  neardup clusters news";

static const chapter chapters[] = {
    {"INPUT", pass_input_chapter},        {"RESULT", result_chapter},
    {"SEGMENTS", segment_chapter},        {"STATE", state_chapter},
    {"EXIT STATUS", stream_exit_chapter}, {"ENVIRONMENT", environment_chapter},
    {"EXAMPLES", example_chapter},        {NULL, NULL}};

const command stream_command = {
    .name = "stream",
    .operands = "[INPUT...]",
    .operand = OPERAND_PATH,
    .operands_most = INT_MAX,
    .summary = "cluster documents as they come",
    .description = "Reads what neardup dedup reads, standard input where no INPUT is named, and "
                   "writes for each document the cluster to which it goes.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_PRINT,
    .run = stream_run,
};
