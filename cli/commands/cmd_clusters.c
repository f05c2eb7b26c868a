/* neardup clusters: what a stream has come to. */
#include "output/answers.h"
#include "output/complain.h"
#include "output/escape.h"
#include "commands/job_command.h"

#include <math.h>

static const flag output_flags[] = {
    {.name = "min-size",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = UINT64_MAX,
     .offset = SETTING(least),
     .help = "leave out clusters of fewer documents"},
    {.name = "topics",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = ND_STREAM_TOPICS,
     .offset = SETTING(topics),
     .help = "terms that a cluster's documents have and others have not"},
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = SETTING(answers_json),
     .help = "one JSON object a cluster and line instead of the table"},
    {.name = "members",
     .kind = FLAG_SWITCH,
     .offset = SETTING(members),
     .help = "with --json: the ids of all documents of a cluster"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group *const groups[] = {&output_group, &help_group, NULL};

typedef struct teller {
    bool json;
    uint32_t bits; /* of the centres; 0: there are none */
    answers table;
} teller;

static void print_time(const char *key, double time) {
    if (!isnan(time)) printf(",\"%s\":%.15g", key, time);
}

static void print_object(const teller *t, const nd_stream_cluster *c) {
    fputs("{\"cluster\":", stdout);
    print_json_text(stdout, c->cluster, c->cluster_length);
    printf(",\"size\":%llu,\"founded\":%llu,\"grown\":%llu", (unsigned long long)c->size,
           (unsigned long long)c->founded, (unsigned long long)c->grown);
    print_time("founded_time", c->founded_time);
    print_time("grown_time", c->grown_time);
    if (t->bits) {
        char hex[33];
        nd_fingerprint_format(c->centre, t->bits, hex);
        printf(",\"centre\":\"%s\"", hex);
    }
    fputs(",\"central\":", stdout);
    print_json_text(stdout, c->central, c->central_length);
    answers_print_topics(c->topics, c->topic_count);
    for (uint64_t i = 0; c->members && i < c->size; i++) {
        fputs(i ? "," : ",\"members\":[", stdout);
        print_json_text(stdout, c->members[i].id, c->members[i].length);
    }
    fputs(c->members ? "]}\n" : "}\n", stdout);
}

static void print_row(const nd_stream_cluster *c) {
    print_table_text(stdout, c->cluster, c->cluster_length);
    printf("\t%llu\t%llu\t%llu\t", (unsigned long long)c->size, (unsigned long long)c->founded,
           (unsigned long long)c->grown);
    print_table_text(stdout, c->central, c->central_length);
    putchar('\t');
    for (size_t i = 0; i < c->topic_count; i++) {
        if (i) putchar(' ');
        print_table_text(stdout, c->topics[i].term, c->topics[i].length);
    }
    putchar('\n');
}

/* nd_stream_cluster_fn */
static bool tell(void *context, const nd_stream_cluster *c) {
    teller *t = context;
    answers_begin(&t->table);
    if (t->json) print_object(t, c);
    else print_row(c);
    return answers_go_on(&t->table);
}

static int clusters_run(const command *self, settings *given, int count, char **operands) {
    (void)self, (void)count;
    nd_stream *stream;
    nd_stream_info info;
    nd_error error;
    if (given->members && !given->answers_json) {
        complain("--members: only with --json");
        return EXIT_USAGE;
    }
    nd_status status = nd_stream_open(operands[0], ND_INDEX_READ, NULL, NULL, &stream, &error);
    if (status == ND_OK) {
        nd_stream_describe(stream, &info);
        teller t = {.json = given->answers_json,
                    .table = {.header = given->answers_json
                                            ? NULL
                                            : "cluster\tsize\tfounded\tgrown\tcentral\ttopics\n"}};
        if (info.options.sketch == ND_SKETCH_SIMHASH) t.bits = info.options.simhash.bits;
        status = nd_stream_clusters(stream, given->least, given->topics, given->members, tell, &t,
                                    &error);
        status = answers_end(&t.table, status, &error);
        nd_stream_close(stream);
    }
    if (status == ND_OK) return EXIT_DONE;
    complain("%s", error.message);
    return EXIT_FAILED;
}

static const char result_chapter[] =
    "The clusters that have not been forgotten, the largest first, equally large ones in the order "
    "of founding. A line of the table is cluster, the id of its first document; size; founded and "
    "grown, the numbers of its "
    "first and its last document in the stream, from 1; central, the document that was nearest to "
    "the centre when it came; topics, the heaviest first.\n\n"
    "With --json a line is an object of these, with founded_time and grown_time, the latest time "
    "of a document then, where documents have times; centre, its fingerprint, where clusters have "
    "one; topics as pairs of term and "
    "weight; and members. A weight is how often the cluster's documents have the term, times the "
    "logarithm of the share of documents that have it (idf); for large clusters it is an estimate "
    "that may be too small.";

static const char clusters_exit_chapter[] =
    "0: done. 1: it failed, and the message says why. 2: the command line is wrong.";
static const char example_chapter[] = "  neardup clusters news --min-size 10 --topics 5\n"
                                      "  neardup clusters news --json --members > clusters.jsonl";

static const chapter chapters[] = {{"RESULT", result_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"EXIT STATUS", clusters_exit_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command clusters_command = {
    .name = "clusters",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = "no stream; name its directory, the one that neardup stream --state had",
    .summary = "the clusters of a stream so far, with their topics",
    .description =
        "Reads the state of a stream, also while neardup stream goes on, and writes its clusters.",
    .groups = groups,
    .chapters = chapters,
    .run = clusters_run,
};
