/* neardup clusters: the clusters of a stream so far. */
#include "commands/command_names.h"
#include "flags/output_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/json_topics.h"
#include "output/results.h"

#include <math.h>

typedef struct cluster_settings {
    uint64_t min_size; /* documents */
    uint32_t topics;
    bool members;
} cluster_settings;

typedef struct clusters_settings {
    result_settings result;
    cluster_settings cluster;
} clusters_settings;

static const flag cluster_list[] = {
    {.name = "min-size",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = UINT64_MAX,
     .offset = offsetof(cluster_settings, min_size),
     .help = "leave out clusters with fewer documents"},
    {.name = "topics",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = ND_STREAM_TOPICS,
     .offset = offsetof(cluster_settings, topics),
     .help = "most topics per cluster; a topic is a term that its documents have and others do "
             "not"},
    {.name = "members",
     .kind = FLAG_SWITCH,
     .offset = offsetof(cluster_settings, members),
     .help = "add the ids of all documents of a cluster; only with --json"},
};
static const flag_table cluster_flags = FLAG_TABLE("Output", cluster_list);

static const flag_group groups[] = {FLAG_GROUP(clusters_settings, result, result_flags),
                                    FLAG_GROUP(clusters_settings, cluster, cluster_flags),
                                    HELP_GROUP, GROUPS_END};

static void init(void *settings) {
    clusters_settings *s = settings;
    s->cluster.min_size = 2;
    s->cluster.topics = ND_STREAM_TOPICS;
}

/* ---- results */

typedef struct printer {
    bool json;
    uint32_t bits; /* of the centres; 0: there are none */
    results results;
} printer;

static void print_time(FILE *out, const char *key, double time) {
    if (!isnan(time)) fprintf(out, ",\"%s\":%.15g", key, time);
}

static void print_object(FILE *out, uint32_t bits, const nd_stream_cluster *c) {
    fputs("{\"cluster\":", out);
    print_json_text(out, c->cluster, c->cluster_length);
    fprintf(out, ",\"size\":%llu,\"founded\":%llu,\"grown\":%llu", (unsigned long long)c->size,
            (unsigned long long)c->founded, (unsigned long long)c->grown);
    print_time(out, "founded_time", c->founded_time);
    print_time(out, "grown_time", c->grown_time);
    if (bits) {
        char hex[33];
        nd_fingerprint_format(c->centre, bits, hex);
        fprintf(out, ",\"centre\":\"%s\"", hex);
    }
    fputs(",\"central\":", out);
    print_json_text(out, c->central, c->central_length);
    print_json_topics(out, c->topics, c->topic_count);
    for (uint64_t i = 0; c->members && i < c->size; i++) {
        fputs(i ? "," : ",\"members\":[", out);
        print_json_text(out, c->members[i].id, c->members[i].length);
    }
    fputs(c->members ? "]}\n" : "}\n", out);
}

static void print_row(FILE *out, const nd_stream_cluster *c) {
    print_table_text(out, c->cluster, c->cluster_length);
    fprintf(out, "\t%llu\t%llu\t%llu\t", (unsigned long long)c->size,
            (unsigned long long)c->founded, (unsigned long long)c->grown);
    print_table_text(out, c->central, c->central_length);
    putc('\t', out);
    for (size_t i = 0; i < c->topic_count; i++) {
        if (i) putc(' ', out);
        print_table_text(out, c->topics[i].term, c->topics[i].length);
    }
    putc('\n', out);
}

/* nd_stream_cluster_fn; `context` is the printer. */
static bool print_cluster(void *context, const nd_stream_cluster *c) {
    printer *p = context;
    results_begin(&p->results);
    if (p->json) print_object(p->results.out, p->bits, c);
    else print_row(p->results.out, c);
    return results_go_on(&p->results);
}

static nd_status print_clusters(const clusters_settings *s, nd_stream *stream, nd_error *error) {
    static const char header[] = "cluster\tsize\tfounded\tgrown\tcentral\ttopics\n";
    const cluster_settings *c = &s->cluster;
    nd_stream_info info = {.struct_size = sizeof info};
    printer p = {.json = s->result.json};
    nd_status status = nd_stream_describe(stream, &info, error);
    if (status != ND_OK) return status;
    if (info.options->sketch == ND_SKETCH_SIMHASH) p.bits = info.options->simhash->bits;
    status = results_open(&p.results, s->result.output, p.json ? NULL : header, error);
    if (status != ND_OK) return status;
    status = nd_stream_clusters(stream, c->min_size, c->topics, c->members, print_cluster, &p,
                                error);
    return results_close(&p.results, status, error);
}

static int run(const invocation *call) {
    const clusters_settings *s = call->settings;
    nd_stream *stream;
    nd_error error;
    if (s->cluster.members && !s->result.json) {
        complain("--members: only with --json");
        return EXIT_USAGE;
    }
    nd_status status = nd_stream_open(call->operands[0], ND_INDEX_READ, NULL, NULL, &stream,
                                      &error);
    if (status == ND_OK) {
        status = print_clusters(s, stream, &error);
        nd_stream_close(stream);
    }
    if (status == ND_OK) return EXIT_DONE;
    complain("%s", error.message);
    return EXIT_FAILED;
}

/* ---- the manual */

static const char result_chapter[] =
    "The clusters that have not expired, the largest first, equally large ones in the order in "
    "which they were founded. The columns of the table are: cluster, the id of its first document; "
    "size; founded and grown, the numbers of its first and its last document in the stream, from "
    "1; central, the document that was nearest to the centre when it came; topics, the heaviest "
    "first.\n\n"
    "With --json each cluster is an object with these members. It also has founded_time and "
    "grown_time, the latest times of a document at these moments, if documents have times; centre, "
    "its fingerprint, if clusters have one; topics as pairs of term and weight; and members. The "
    "weight of a topic is how often the cluster's documents have the term, times its idf, ln((N + "
    "1) "
    "/ (df + 1)) if df of the N documents of the stream have it. For a large cluster it is an "
    "estimate, which may be too small.";

static const chapter chapters[] = {{"RESULT", result_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"EXIT STATUS", read_exit_chapter},
                                   {NULL, NULL}};

const command clusters_command = {
    .name = "clusters",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = "no stream; name its directory, as in neardup stream --state DIR",
    .summary = "the clusters of a stream so far, with their topics",
    .description = "Reads the state of a stream, also while neardup stream is running, and writes "
                   "its clusters.",
    .examples = "neardup clusters news --min-size 10 --topics 5\n"
                "neardup clusters news --json --members > clusters.jsonl\n",
    .chapters = chapters,
    .groups = groups,
    .settings_size = sizeof(clusters_settings),
    .init = init,
    .run = run,
};
