/* neardup stream: clusters documents as they come. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "flags/fingerprint_flags.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/json_topics.h"
#include "output/results.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

typedef struct state_settings {
    const char *directory; /* NULL: not given */
    double expire;         /* seconds */
} state_settings;

typedef struct cluster_settings {
    double threshold; /* 0: not given */
    nd_stream_mode mode;
    uint32_t topics;
} cluster_settings;

typedef struct stream_settings {
    state_settings state;
    input_settings input;
    cluster_settings cluster;
    fingerprint_settings fingerprint;
    text_settings text; /* its ngram is 0 unless it is given */
    page_settings page;
    report_settings report;
    resource_settings resources;
} stream_settings;

static const flag state_list[] = {
    {.name = "state",
     .kind = FLAG_DIRECTORY,
     .argument = "DIR",
     .offset = offsetof(state_settings, directory),
     .help = "directory of the stream; it is created if it does not exist"},
    {.name = "expire",
     .kind = FLAG_DURATION,
     .argument = "TIME",
     .offset = offsetof(state_settings, expire),
     .fallback = "never",
     .help = "forget a cluster that has not grown for so long, by --time-field; 45s, 15m, 36h, "
             "30d, 4w"},
};
static const flag threshold_list[] = {
    {.name = "threshold",
     .kind = FLAG_SHARE,
     .argument = "S",
     .one = true,
     .offset = offsetof(cluster_settings, threshold),
     .fallback = "0.8, without -k",
     .help = "similarity from which on two documents are duplicates; a document joins the cluster "
             "whose first document has at least this Jaccard similarity with it"},
};
static const flag k_list[] = {
    K_FLAG("none: the similarity decides", "; with -k a document joins the cluster with the "
                                           "nearest centre within this distance"),
};
static const flag mode_list[] = {
    {.name = "mode",
     .kind = FLAG_CHOICE,
     .choices = "leader|follow",
     .offset = offsetof(cluster_settings, mode),
     .help = "where the centre of a cluster is; leader: at its first document; follow: each bit is "
             "the one that most of its documents have; only with -k"},
};
static const flag bits_list[] = {BITS_FLAG("; only with -k")};
static const unsigned weightings[] = {ND_WEIGHTING_TF, ND_WEIGHTING_TABLE, ND_WEIGHTING_NONE};
static const flag weight_list[] = {
    WEIGHTS_FLAG("tf|tfidf:FILE|none", weightings, NULL,
                 WEIGHTS_TABLE_HELP WEIGHTS_NONE_HELP "; only with -k"),
    {.name = "ngram",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = 64,
     .offset = offsetof(text_settings, ngram),
     .fallback = "5; 1 with -k",
     .help = "tokens per shingle"},
};
static const flag topic_list[] = {
    {.name = "topics",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = ND_STREAM_TOPICS,
     .offset = offsetof(cluster_settings, topics),
     .help = "most topics per cluster; each answer gets the heaviest terms of its cluster so far, "
             "as in neardup-clusters(1) --json"},
};

static const flag_table state_flags = FLAG_TABLE("Stream", state_list);
static const flag_table threshold_flags = FLAG_TABLE("Clusters", threshold_list);
static const flag_table k_flags = FLAG_TABLE("Clusters", k_list);
static const flag_table mode_flags = FLAG_TABLE("Clusters", mode_list);
static const flag_table stream_bits_flags = FLAG_TABLE("Clusters", bits_list);
static const flag_table weight_flags = FLAG_TABLE("Clusters", weight_list);
static const flag_table topic_flags = FLAG_TABLE("Output", topic_list);

static const flag_group groups[] = {FLAG_GROUP(stream_settings, state, state_flags),
                                    FLAG_GROUP(stream_settings, input, time_flags),
                                    FLAG_GROUP(stream_settings, input, input_flags),
                                    FLAG_GROUP(stream_settings, cluster, threshold_flags),
                                    FLAG_GROUP(stream_settings, fingerprint, k_flags),
                                    FLAG_GROUP(stream_settings, cluster, mode_flags),
                                    FLAG_GROUP(stream_settings, fingerprint, stream_bits_flags),
                                    FLAG_GROUP(stream_settings, text, weight_flags),
                                    FLAG_GROUP(stream_settings, text, token_flags),
                                    FLAG_GROUP(stream_settings, text, stem_flags),
                                    FLAG_GROUP(stream_settings, text, stop_flags),
                                    FLAG_GROUP(stream_settings, text, seed_flags),
                                    FLAG_GROUP(stream_settings, cluster, topic_flags),
                                    FLAG_GROUP(stream_settings, page, stream_page_flags),
                                    FLAG_GROUP(stream_settings, report, report_flags),
                                    FLAG_GROUP(stream_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    stream_settings *s = settings;
    input_settings_init(&s->input);
    fingerprint_settings_init(&s->fingerprint);
    text_settings_init(&s->text);
    s->text.ngram = 0;
    resource_settings_init(&s->resources);
}

/* ---- results */

typedef struct printer {
    bool distances, topics;
    stream_data *noted; /* NULL: there is no page */
    results results;
} printer;

/* nd_stream_answer_fn; `context` is the printer. Answers are flushed before the stream waits for
 * more input. */
static bool print_answer(void *context, const nd_stream_answer *a) {
    printer *p = context;
    FILE *out = p->results.out;
    if (p->noted) stream_data_take(p->noted, a);
    results_begin(&p->results);
    fputs("{\"id\":", out);
    print_json_text(out, a->id, a->id_length);
    fputs(",\"cluster\":", out);
    print_json_text(out, a->cluster, a->cluster_length);
    fprintf(out, ",\"new\":%s", a->is_new ? "true" : "false");
    if (p->distances) fprintf(out, ",\"distance\":%u", a->distance);
    else fprintf(out, ",\"similarity\":%.6f", a->similarity);
    if (a->again) fputs(",\"again\":true", out);
    if (p->topics) print_json_topics(out, a->topics, a->topic_count);
    fputs(",\"source\":", out);
    print_json_text(out, a->source, strlen(a->source));
    fprintf(out, ",\"line\":%llu}\n", (unsigned long long)a->line);
    if (a->last) fflush(out);
    return results_go_on(&p->results);
}

/* ---- options */

/* Options of a stream with their parts. */
typedef struct stream_parts {
    nd_stream_options options; /* analyzer and simhash point to the other members */
    nd_analyzer_options analyzer;
    nd_simhash_options simhash;
} stream_parts;

static nd_sketch sketch_of(const stream_settings *s, const nd_stream_options *stored) {
    return s->fingerprint.k != K_UNSET ? ND_SKETCH_SIMHASH
           : s->cluster.threshold > 0  ? ND_SKETCH_MINHASH
           : stored                    ? stored->sketch
                                       : ND_SKETCH_MINHASH;
}

/* Those of the state (NULL: there is none), if it is of the same sketch; else the defaults. */
static void start_options(const nd_stream_options *stored, nd_sketch sketch, stream_parts *out) {
    nd_stream_options_init(&out->options, sizeof out->options);
    nd_analyzer_options_init(&out->analyzer, sizeof out->analyzer);
    nd_simhash_options_init(&out->simhash, sizeof out->simhash);
    if (sketch == ND_SKETCH_SIMHASH) out->analyzer.ngram = 1;
    if (stored && stored->sketch == sketch) {
        out->options = *stored;
        out->analyzer = *stored->analyzer;
        out->simhash = *stored->simhash;
    }
    out->options.sketch = sketch;
    out->options.analyzer = &out->analyzer;
    out->options.simhash = &out->simhash;
}

/* The options of the state, or the defaults for a new one, changed by the flags that are given. The
 * library refuses a change of an existing stream. The files of words are not read yet. */
static void fill_options(const invocation *call, const nd_stream_options *stored,
                         stream_parts *out) {
    const stream_settings *s = call->settings;
    const flags_given *given = call->given;
    nd_stream_options *o = &out->options;
    start_options(stored, sketch_of(s, stored), out);
    if (flag_is_given(given, "analyzer")) out->analyzer.kind = s->text.analyzer;
    if (flag_is_given(given, "ngram")) out->analyzer.ngram = s->text.ngram;
    if (s->text.stem) out->analyzer.stem = s->text.stem;
    if (flag_is_given(given, "seed")) out->analyzer.seed = s->text.seed;
    if (flag_is_given(given, "expire")) o->expire = s->state.expire;
    if (s->cluster.threshold > 0) o->threshold = s->cluster.threshold;
    o->k = fingerprint_k(&s->fingerprint, o->k);
    if (flag_is_given(given, "mode")) o->mode = s->cluster.mode;
    if (flag_is_given(given, "bits")) out->simhash.bits = s->fingerprint.bits;
    if (flag_is_given(given, "weights")) out->simhash.weighting = s->text.weighting;
}

/* Whether the flags agree with each other and with the options of the state. False: reported. */
static bool flags_agree(const invocation *call, const nd_stream_options *o, bool found) {
    static const char *const of_fingerprints[] = {"mode", "weights", "stop", "stem", "bits", NULL};
    const stream_settings *s = call->settings;
    bool simhash = o->sketch == ND_SKETCH_SIMHASH, timed = s->input.time_field;
    const char *only = simhash ? NULL : flag_first_given(call->given, of_fingerprints);
    text_settings text = s->text;
    text.analyzer = o->analyzer->kind;
    if (s->cluster.threshold > 0 && s->fingerprint.k != K_UNSET)
        complain("--threshold and --k: only one of them");
    else if (only) complain("--%s: only with --k", only);
    else if (s->state.expire > 0 && !timed)
        complain("--expire: only with --time-field, which gives the times of documents");
    else if (o->expire > 0 && !timed)
        complain("--time-field: needed, since %s was made with --expire", s->state.directory);
    else if (found && simhash && o->simhash->weighting == ND_WEIGHTING_TABLE && !text.weight_table)
        complain("--weights: needed, since %s was made with tfidf:FILE and does not contain the "
                 "file",
                 s->state.directory);
    else return !simhash || feature_flags_agree(&text, o->analyzer->ngram);
    return false;
}

/* ---- the run */

typedef struct stream_job {
    command_job job; /* first: job_fn gets it */
    stream_parts parts;
    stream_data noted; /* for the page */
} stream_job;

/* Before a stream is created: after a wrong name of an input nothing is left behind. */
static nd_status check_inputs(const nd_input_options *input, nd_error *error) {
    for (size_t i = 0; i < input->input_count; i++) {
        const char *path = input->inputs[i];
        if (strcmp(path, "-") == 0 || access(path, R_OK) == 0) continue;
        *error = (nd_error){.status = ND_ERR_IO};
        snprintf(error->message, sizeof error->message, "%s: %s", path, strerror(errno));
        return ND_ERR_IO;
    }
    return ND_OK;
}

static nd_status answer(stream_job *j, nd_stream *stream, nd_job_summary *summary,
                        nd_error *error) {
    const stream_settings *s = j->job.call->settings;
    printer p = {.distances = j->parts.options.sketch == ND_SKETCH_SIMHASH,
                 .topics = s->cluster.topics > 0,
                 .noted = s->page.report ? &j->noted : NULL};
    const nd_stream_run_options options = {.struct_size = sizeof options,
                                           .input = &j->job.input,
                                           .time_field = s->input.time_field,
                                           .resources = &j->job.resources};
    nd_stream_set_topics(stream, s->cluster.topics);
    nd_status status = results_open(&p.results, NULL, NULL, error);
    if (status != ND_OK) return status;
    status = nd_stream_run(stream, &options, print_answer, &p, summary, error);
    return results_close(&p.results, status, error);
}

/* job_fn */
static nd_status cluster(command_job *job, nd_job_summary *summary, nd_error *error) {
    stream_job *j = (stream_job *)job;
    const stream_settings *s = job->call->settings;
    nd_stream *stream = NULL;
    j->parts.analyzer.dictionary = job->files.dictionary;
    j->parts.simhash.table = job->files.weights;
    j->parts.simhash.stop = job->files.stop;
    nd_status status = check_inputs(&job->input, error);
    if (status == ND_OK)
        status = nd_stream_open(s->state.directory, ND_INDEX_WRITE, &j->parts.options, NULL,
                                &stream, error);
    if (status == ND_OK && s->page.report) status = stream_data_begin(&j->noted, stream, error);
    if (status == ND_OK) status = answer(j, stream, summary, error);
    if (status == ND_OK && s->page.report) status = stream_data_end(&j->noted, stream, error);
    nd_stream_close(stream);
    return status;
}

static int run_stream(const invocation *call, const nd_stream_options *stored) {
    static char standard_input[] = "-";
    char *none[] = {standard_input};
    const stream_settings *s = call->settings;
    stream_job j = {.noted.options = &j.parts.options};
    fill_options(call, stored, &j.parts);
    if (!flags_agree(call, &j.parts.options, stored != NULL)) return EXIT_USAGE;
    text_settings text = s->text;
    text.analyzer = j.parts.analyzer.kind;
    text.seed = j.parts.analyzer.seed; /* the table and the stop words are read with them */
    text.stem = j.parts.analyzer.stem;
    j.job = (command_job){.call = call,
                          .run = cluster,
                          .report = &s->report,
                          .page = &s->page,
                          .state = s->state.directory,
                          .stream = &j.noted,
                          .text = &text,
                          .inputs = call->count ? call->operands : none,
                          .input_count = call->count ? call->count : 1,
                          .output = "-"};
    j.job.input = input_options_of(&s->input);
    j.job.resources = resources_of(&s->resources);
    return job_run(&j.job);
}

static int run(const invocation *call) {
    const stream_settings *s = call->settings;
    nd_stream_options *stored;
    nd_error error;
    if (!s->state.directory) {
        complain("--state: needed; it names the directory of the stream");
        return EXIT_USAGE;
    }
    if (nd_stream_read_options(s->state.directory, NULL, &stored, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    int status = run_stream(call, stored);
    nd_stream_options_free(stored);
    return status;
}

/* ---- the manual */

static const char result_chapter[] =
    "Leader-follower clustering: a document joins the nearest cluster within reach, of equally "
    "near ones the oldest, or founds a new one. Each document is answered by a line of JSON, in "
    "the order of input. It has id; cluster, the id of the cluster's first document; new, whether "
    "this is that document; and similarity with the first document, or with -k the distance to the "
    "centre. With --topics N it also has topics: the pairs of term and weight that "
    "neardup-clusters(1) --json would print for the cluster at that moment. source and line are "
    "the "
    "place of the document in the input. When the input pauses, "
    "all documents that have come are answered.\n\n"
    "With --threshold the answers agree with neardup-index(1) add: a document joins the cluster of "
    "the document that the index would name as its duplicate. With -k and --mode follow a centre "
    "moves with its documents. --analyzer segment with its --dict, --stop and --stem also define "
    "the words of the topics of neardup-clusters(1).";

static const char state_chapter[] =
    "An answered document is on disk. A stream that ended, for whatever reason, is resumed by the "
    "same command. If you got no answer, send the document again: the stream remembers the last "
    "1,024 ids and repeats their answers, with again: true.\n\n"
    "Settings that are left out are those with which the stream was made. A setting that differs "
    "is refused, and so is another dictionary, list of stop words or table of weights, or with "
    "--analyzer segment another version of ICU. The state does not contain these files, so they "
    "must be given again, and so must --time-field with --expire. One process at a time writes; "
    "neardup-clusters(1) reads at any time.";

static const char stream_exit_chapter[] =
    "0: done. 1: it failed, and the message says why; the answers printed until then are correct "
    "and on disk. 2: the command line is wrong.";

static const chapter chapters[] = {{"INPUT", repeated_ids_input_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"STATE", state_chapter},
                                   {"EXIT STATUS", stream_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command stream_command = {
    .name = "stream",
    .operands = "[INPUT...]",
    .operand = OPERAND_PATH,
    .operands_most = INT_MAX,
    .summary = "cluster documents as they come",
    .description = "Reads the same inputs as neardup dedup, or standard input if there is no "
                   "INPUT, and writes the cluster of each document.",
    .examples = "neardup stream monday.jsonl --state arrived > monday.clusters\n"
                "neardup stream monday.jsonl --state moving -k 3 --mode follow --expire 30d "
                "--time-field date\n"
                "neardup stream tuesday.jsonl --state arrived --report tuesday.html > "
                "tuesday.clusters\n"
                "tail -f -n +1 crawl.jsonl | neardup stream --state seen -q\n"
                "neardup clusters arrived\n",
    .chapters = chapters,
    .summary_of = SUMMARY_STREAM,
    .groups = groups,
    .settings_size = sizeof(stream_settings),
    .init = init,
    .run = run,
};
