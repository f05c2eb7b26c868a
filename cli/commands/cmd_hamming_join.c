/* neardup hamming join: all near pairs in one set of fingerprints, or between two. */
#include "commands/command_names.h"
#include "commands/hamming_command.h"
#include "commands/job_command.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/output_names.h"
#include "output/results.h"

#include <string.h>

typedef struct group_settings {
    bool groups;
} group_settings;

typedef struct hamming_join_settings {
    result_settings result;
    binary_settings binary;
    group_settings group;
    report_settings report;
    fingerprint_settings fingerprint;
    resource_settings resources;
} hamming_join_settings;

static const flag binary_list[] = {
    {.name = "binary",
     .kind = FLAG_SWITCH,
     .offset = offsetof(binary_settings, binary),
     .help = "write the results as numbers of 8 bytes, little-endian, without a header; each pair "
             "is the two ids, or if they are not numbers the positions in the files from 0, and "
             "the distance"},
};
static const flag group_list[] = {
    {.name = "groups",
     .kind = FLAG_SWITCH,
     .offset = offsetof(group_settings, groups),
     .help = "list groups instead of pairs; only for one set; each line is a member: id, and "
             "group, the id of the first member"},
};
static const flag k_list[] = {K_FLAG("3", "")};

static const flag_table binary_flags = FLAG_TABLE("Output", binary_list);
static const flag_table group_flags = FLAG_TABLE("Output", group_list);
static const flag_table k_flags = FLAG_TABLE("Fingerprints", k_list);

static const flag_group groups[] = {FLAG_GROUP(hamming_join_settings, result, result_flags),
                                    FLAG_GROUP(hamming_join_settings, binary, binary_flags),
                                    FLAG_GROUP(hamming_join_settings, group, group_flags),
                                    FLAG_GROUP(hamming_join_settings, report, report_flags),
                                    FLAG_GROUP(hamming_join_settings, fingerprint, format_flags),
                                    FLAG_GROUP(hamming_join_settings, fingerprint, bits_flags),
                                    FLAG_GROUP(hamming_join_settings, fingerprint, k_flags),
                                    FLAG_GROUP(hamming_join_settings, resources, memory_flags),
                                    FLAG_GROUP(hamming_join_settings, resources, work_flags),
                                    FLAG_GROUP(hamming_join_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    hamming_join_settings *s = settings;
    fingerprint_settings_init(&s->fingerprint);
    resource_settings_init(&s->resources);
}

/* ---- results */

static void print_binary(FILE *out, const nd_hamming_pair *pair) {
    hamming_put_binary(out, (const uint64_t[]){pair->number_a, pair->number_b, pair->distance}, 3);
}

static void print_pair_row(FILE *out, const nd_hamming_pair *pair) {
    print_table_text(out, pair->id_a, pair->id_a_length);
    putc('\t', out);
    print_table_text(out, pair->id_b, pair->id_b_length);
    fprintf(out, "\t%u\n", (unsigned)pair->distance);
}

static void print_pair_object(FILE *out, const nd_hamming_pair *pair) {
    fputs("{\"id_a\":", out);
    print_json_text(out, pair->id_a, pair->id_a_length);
    fputs(",\"id_b\":", out);
    print_json_text(out, pair->id_b, pair->id_b_length);
    fprintf(out, ",\"distance\":%u}\n", (unsigned)pair->distance);
}

/* A group is reported as pairs of its first member, a, with each other one, b. */
static void print_group_row(FILE *out, const nd_hamming_pair *pair) {
    print_table_text(out, pair->id_b, pair->id_b_length);
    putc('\t', out);
    print_table_text(out, pair->id_a, pair->id_a_length);
    putc('\n', out);
}

static void print_group_object(FILE *out, const nd_hamming_pair *pair) {
    fputs("{\"id\":", out);
    print_json_text(out, pair->id_b, pair->id_b_length);
    fputs(",\"group\":", out);
    print_json_text(out, pair->id_a, pair->id_a_length);
    fputs("}\n", out);
}

typedef void pair_printer(FILE *out, const nd_hamming_pair *pair);

static pair_printer *printer_of(const hamming_join_settings *s) {
    if (s->binary.binary) return print_binary;
    if (s->group.groups) return s->result.json ? print_group_object : print_group_row;
    return s->result.json ? print_pair_object : print_pair_row;
}

static const char *header_of(const hamming_join_settings *s) {
    if (s->binary.binary || s->result.json) return NULL;
    return s->group.groups ? "id\tgroup\n" : "id_a\tid_b\tdistance\n";
}

typedef struct printer {
    pair_printer *print;
    results results;
} printer;

/* nd_hamming_pair_fn; `context` is the printer. */
static bool print_pair(void *context, const nd_hamming_pair *pair) {
    printer *p = context;
    results_begin(&p->results);
    p->print(p->results.out, pair);
    return results_go_on(&p->results);
}

/* ---- the join */

/* An operand: the directory of an index, or a file. */
typedef struct join_operand {
    nd_hamming_index *index; /* NULL: a file */
    nd_fingerprint_source source;
    nd_hamming_side side;
} join_operand;

/* Opens operand number `i`. An index also sets *bits, unless --bits was given. */
static nd_status open_operand(const command_job *j, int i, join_operand *o, uint32_t *bits,
                              nd_error *error) {
    const hamming_join_settings *s = j->call->settings;
    const char *path = j->inputs[i];
    nd_hamming_info info = {.struct_size = sizeof info};
    o->source = hamming_source(&s->fingerprint, path);
    o->side = (nd_hamming_side){.source = &o->source};
    if (!is_directory(path)) return ND_OK;
    nd_status status = nd_hamming_open(path, ND_INDEX_READ, NULL, &o->index, error);
    if (status != ND_OK) return status;
    o->side = (nd_hamming_side){.index = o->index};
    status = nd_hamming_describe(o->index, &info, error);
    if (status == ND_OK && !flag_is_given(j->call->given, "bits")) *bits = info.options->bits;
    return status;
}

static nd_status join_operands(const command_job *j, join_operand operands[2], printer *p,
                               nd_job_summary *summary, nd_error *error) {
    const hamming_join_settings *s = j->call->settings;
    bool files = false;
    nd_hamming_join_options options;
    nd_hamming_join_options_init(&options, sizeof options);
    options.bits = s->fingerprint.bits;
    options.k = fingerprint_k(&s->fingerprint, options.k);
    options.kind = s->group.groups ? ND_JOIN_GROUPS : ND_JOIN_PAIRS;
    options.resources = &j->resources;
    for (int i = 0; i < j->input_count; i++) {
        nd_status status = open_operand(j, i, &operands[i], &options.bits, error);
        if (status != ND_OK) return status;
        files |= !operands[i].index;
    }
    if (!files && flag_is_given(j->call->given, "format")) {
        snprintf(error->message, sizeof error->message,
                 "--format: only with files; the operands are indexes");
        return ND_ERR_ARGUMENT;
    }
    return nd_hamming_join(&operands[0].side, j->input_count > 1 ? &operands[1].side : NULL,
                           &options, print_pair, p, summary, error);
}

/* job_fn */
static nd_status join(command_job *j, nd_job_summary *summary, nd_error *error) {
    const hamming_join_settings *s = j->call->settings;
    join_operand operands[2] = {{.index = NULL}, {.index = NULL}};
    printer p = {.print = printer_of(s)};
    nd_status status = results_open(&p.results, j->output, header_of(s), error);
    if (status != ND_OK) return status;
    status = join_operands(j, operands, &p, summary, error);
    for (int i = 0; i < 2; i++) nd_hamming_close(operands[i].index);
    return results_close(&p.results, status, error);
}

static int run(const invocation *call) {
    const hamming_join_settings *s = call->settings;
    if (s->group.groups && call->count > 1) {
        complain("--groups: only with one set, not with two");
        return EXIT_USAGE;
    }
    if (call->count > 1 && strcmp(call->operands[0], "-") == 0 &&
        strcmp(call->operands[1], "-") == 0) {
        complain("%s: standard input is only one set", call->self->name);
        return EXIT_USAGE;
    }
    if (!binary_agrees(&s->binary, s->result.json)) return EXIT_USAGE;
    command_job j = {.call = call,
                     .run = join,
                     .report = &s->report,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .output = s->result.output ? s->result.output : "-",
                     .result_file = true};
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "A and B are files of fingerprints or directories of indexes. With A alone, each pair within K "
    "bits is listed once, the earlier fingerprint first. With A and B, each pair has one "
    "fingerprint of A and one of B. Equal fingerprints are pairs, too. The table has the columns "
    "id_a, id_b, distance; with --json each line is an object with these members. The order of the "
    "lines depends on the sets alone. The fingerprints are sorted and compared part by part, which "
    "takes less time than a query for each. Data that does not fit in memory goes to temporary "
    "files.\n\n"
    "A thousand equal or close fingerprints make half a million pairs. With --groups they have one "
    "line for each member except the first: a group is all fingerprints that pairs connect, "
    "directly or through others. Most of its pairs are then not computed at all.";

static const chapter chapters[] = {{"FINGERPRINTS", fingerprint_file_chapter},
                                   {"RESULT", result_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {NULL, NULL}};

const command hamming_join_command = {
    .name = "hamming join",
    .operands = "A [B]",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = 2,
    .missing = "no fingerprints; name a file or the directory of an index, or - for standard input",
    .summary = "all near pairs in one set of fingerprints, or between two",
    .description = "Finds all pairs of fingerprints that differ in at most K bits.",
    .examples = "neardup simhash articles.jsonl | neardup hamming join - -k 6 > pairs.tsv\n"
                "neardup hamming join today.tsv prints --json\n"
                "neardup hamming join crawl.u64 --format u64 --groups --memory 8G > groups.tsv\n",
    .chapters = chapters,
    .summary_of = SUMMARY_JOIN,
    .groups = groups,
    .settings_size = sizeof(hamming_join_settings),
    .init = init,
    .run = run,
};
