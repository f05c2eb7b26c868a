/* neardup hamming join: all pairs within k in a set of fingerprints, or between two. */
#include "output/answers.h"
#include "output/complain.h"
#include "output/escape.h"
#include "commands/hamming_command.h"

#include <string.h>
#include <sys/stat.h>

static const flag output_flags[] = {
    {.name = "groups",
     .kind = FLAG_SWITCH,
     .offset = SETTING(groups),
     .help = "of one set; instead of all pairs the groups that they make; a line for each member "
             "of a group: id, and group, which is the id of its first member"},
    {.name = "binary",
     .kind = FLAG_SWITCH,
     .offset = SETTING(binary),
     .help = "three numbers of 8 bytes a pair, little-endian, without a header: the ids, where "
             "they are numbers, else the places in the files, from 0, and the "
             "distance"},
};

static const flag search_flags[] = {
    BITS_FLAG("64, or that of the index"),
    K_FLAG("3", "the largest distance; at most a quarter of the bits"),
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group search_group = FLAG_GROUP("Search", search_flags);
static const flag_group *const groups[] = {&output_group,         &report_group, &quiet_group,
                                           &hamming_format_group, &search_group, &space_group,
                                           &threads_group,        &help_group,   NULL};

typedef struct teller {
    const settings *given;
    answers table;
} teller;

static void print_two(const char *a, size_t a_length, const char *b, size_t b_length, char end) {
    print_table_text(stdout, a, a_length);
    putchar('\t');
    print_table_text(stdout, b, b_length);
    putchar(end);
}

/* nd_join_pair_fn; `context` is the teller. */
static bool tell(void *context, const nd_join_pair *pair) {
    teller *t = context;
    answers_begin(&t->table);
    if (t->given->binary)
        hamming_put_binary((const uint64_t[]){pair->number_a, pair->number_b, pair->distance}, 3);
    else if (t->given->groups)
        print_two(pair->id_b, pair->id_b_length, pair->id_a, pair->id_a_length, '\n');
    else {
        print_two(pair->id_a, pair->id_a_length, pair->id_b, pair->id_b_length, '\t');
        printf("%u\n", (unsigned)pair->distance);
    }
    return answers_go_on(&t->table);
}

/* An operand: the directory of an index, or a file. */
typedef struct operand {
    nd_index *index;
    nd_fingerprint_source source;
    nd_hamming_side side;
} operand;

static nd_status open_operand(operand *o, const char *path, const settings *given, uint32_t *bits,
                              nd_error *error) {
    struct stat s;
    nd_index_info info;
    o->source = (nd_fingerprint_source){.path = path, .format = given->fingerprints.format};
    o->side = (nd_hamming_side){.source = &o->source};
    if (strcmp(path, "-") == 0 || stat(path, &s) != 0 || !S_ISDIR(s.st_mode)) return ND_OK;
    nd_status status = nd_index_open(path, ND_INDEX_READ, NULL, &o->index, error);
    if (status != ND_OK) return status;
    o->side = (nd_hamming_side){.index = o->index};
    nd_index_describe(o->index, &info);
    if (info.hamming.bits && !flag_is_given(&given->flags, "bits")) *bits = info.hamming.bits;
    return ND_OK;
}

static nd_status run(const settings *given, teller *t, operand operands[2], nd_job_summary *summary,
                     nd_error *error) {
    nd_join_options options;
    nd_join_options_init(&options);
    options.bits = 16u << given->bits;
    if (given->k != UINT32_MAX) options.k = given->k;
    options.groups = given->groups;
    options.memory = given->job.memory;
    options.threads = given->job.threads;
    options.work = given->job.work;
    options.on_progress = given->job.on_progress;
    options.notice_context = given->job.notice_context;
    nd_status status = open_operand(&operands[0], given->fingerprints.path, given, &options.bits,
                                    error);
    if (status == ND_OK && given->other)
        status = open_operand(&operands[1], given->other, given, &options.bits, error);
    if (status != ND_OK) return status;
    bool files = operands[0].side.source || (given->other && operands[1].side.source);
    if (!files && flag_is_given(&given->flags, "format")) {
        snprintf(error->message, sizeof error->message,
                 "--format: of files; what is joined is an index");
        return ND_ERR_ARGUMENT;
    }
    return nd_join(&operands[0].side, given->other ? &operands[1].side : NULL, &options, tell, t,
                   summary, error);
}

static nd_status join(const settings *given, nd_job_summary *summary, nd_error *error) {
    operand operands[2] = {{NULL, {0}, {0}}, {NULL, {0}, {0}}};
    teller t = {.given = given};
    if (!given->binary) t.table.header = given->groups ? "id\tgroup\n" : "id_a\tid_b\tdistance\n";
    nd_status status = run(given, &t, operands, summary, error);
    for (int i = 0; i < 2; i++) nd_index_close(operands[i].index);
    return answers_end(&t.table, status, error);
}

static int join_run(const command *self, settings *given, int count, char **operands) {
    if (given->groups && count > 1) {
        complain("--groups: of one set, not of two");
        return EXIT_USAGE;
    }
    if (count > 1 && strcmp(operands[0], "-") == 0 && strcmp(operands[1], "-") == 0) {
        complain("%s: standard input is only one set", self->name);
        return EXIT_USAGE;
    }
    hamming_take_file(given, operands[0]);
    given->other = count > 1 ? operands[1] : NULL;
    return job_run(self, given, count, operands, "-", join);
}

static const char result_chapter[] =
    "A and B are files of fingerprints or directories of indexes. The table has a line for each "
    "pair within k bits: id_a, id_b, distance; of A alone each pair once, the earlier one "
    "first, or of A and B each with one of A and one of B. Equal fingerprints are pairs, too. The "
    "order of the lines is always the same. All is sorted and compared part by "
    "part, which takes less time than a query for each; what memory does not hold goes to "
    "temporary files.\n\n"
    "A thousand equal or close fingerprints make half a million pairs. With --groups such a lot is "
    "a line for each member but the first: whatever is connected by pairs, directly or by others, "
    "is "
    "a group, and most of its pairs need not be looked at.";

static const char join_exit_chapter[] =
    "0: done. 1: it failed, and the message says why; the lines written until then stand. 2: the "
    "command line is wrong.";

static const char example_chapter[] =
    "  neardup simhash articles.jsonl | neardup hamming join - --k 6 > pairs.tsv\n"
    "  neardup hamming join today.tsv seen\n"
    "  neardup hamming join crawl.u64 --format u64 --groups --memory 8G > groups.tsv";

static const chapter chapters[] = {{"FINGERPRINTS", hamming_file_chapter},
                                   {"RESULT", result_chapter},
                                   {"EXIT STATUS", join_exit_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command hamming_join_command = {
    .name = "hamming join",
    .operands = "A [B]",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = 2,
    .missing = "no fingerprints; name a file or the directory of an index, or - for standard input",
    .summary = "all pairs within k bits, in one set or between two",
    .description = "Finds all pairs of fingerprints that differ in at most k bits.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_JOIN,
    .run = join_run,
};
