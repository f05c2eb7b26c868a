/* neardup tlsh: a TLSH digest for each document. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/results.h"

#include <inttypes.h>
#include <limits.h>

typedef struct digest_settings {
    unsigned buckets, checksum; /* 128 or 256; 1 or 3 bytes */
} digest_settings;

typedef struct tlsh_settings {
    result_settings result;
    report_settings report;
    input_settings input;
    digest_settings digest;
    resource_settings resources;
} tlsh_settings;

static const unsigned bucket_counts[] = {128, 256}, checksum_sizes[] = {1, 3};
static const flag digest_list[] = {
    {.name = "buckets",
     .kind = FLAG_CHOICE,
     .choices = "128|256",
     .values = bucket_counts,
     .offset = offsetof(digest_settings, buckets),
     .help = "buckets that count triples of bytes; each takes 2 bits of a digest"},
    {.name = "checksum",
     .kind = FLAG_CHOICE,
     .choices = "1|3",
     .values = checksum_sizes,
     .offset = offsetof(digest_settings, checksum),
     .help = "bytes of the checksum"},
};
static const flag_table digest_flags = FLAG_TABLE("Digests", digest_list);

static const flag_group groups[] = {FLAG_GROUP(tlsh_settings, result, result_file_flags),
                                    FLAG_GROUP(tlsh_settings, report, report_flags),
                                    FLAG_GROUP(tlsh_settings, input, input_flags),
                                    FLAG_GROUP(tlsh_settings, digest, digest_flags),
                                    FLAG_GROUP(tlsh_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    tlsh_settings *s = settings;
    input_settings_init(&s->input);
    resource_settings_init(&s->resources);
    s->digest = (digest_settings){.buckets = 128, .checksum = 1};
}

static nd_tlsh_variant variant_of(const digest_settings *s) {
    if (s->buckets == 128) return s->checksum == 1 ? ND_TLSH_128_1 : ND_TLSH_128_3;
    return s->checksum == 1 ? ND_TLSH_256_1 : ND_TLSH_256_3;
}

/* nd_digest_fn; `context` is the results. */
static bool print_digest(void *context, const nd_digested *document) {
    results *r = context;
    char digits[ND_TLSH_TEXT_ROOM] = "TNULL";
    if (document->has_digest) nd_tlsh_format(&document->digest, digits);
    results_begin(r);
    print_table_text(r->out, document->id, document->id_length);
    fprintf(r->out, "\t%s\n", digits);
    return results_go_on(r);
}

/* job_fn */
static nd_status print_digests(command_job *j, nd_job_summary *summary, nd_error *error) {
    const tlsh_settings *s = j->call->settings;
    const nd_digests_options options = {.struct_size = sizeof options,
                                        .input = &j->input,
                                        .resources = &j->resources,
                                        .variant = variant_of(&s->digest)};
    results r;
    nd_status status = results_open(&r, j->output, NULL, error);
    if (status != ND_OK) return status;
    status = results_close(&r, nd_digests(&options, print_digest, &r, summary, error), error);
    if (status == ND_OK && summary->without_digest && !s->report.quiet)
        complain("%" PRIu64 " of %" PRIu64 " documents have no digest (TNULL): they are shorter "
                 "than %d bytes, or vary too little",
                 summary->without_digest, summary->documents, ND_TLSH_LEAST_BYTES);
    return status;
}

static int run(const invocation *call) {
    const tlsh_settings *s = call->settings;
    command_job j = {.call = call,
                     .run = print_digests,
                     .report = &s->report,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .output = s->result.output ? s->result.output : "-",
                     .result_file = true};
    j.input = input_options_of(&s->input);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

static const char result_chapter[] =
    "A line is the id, a tab, and the digest: T1 and 70 hexadecimal digits, or with other "
    "--buckets "
    "or --checksum 74, 134 or 138. Lines are in the order of input; there is no header. The digest "
    "(TLSH, Oliver, Cheng, Chen 2013) is of the text's bytes as neardup text shows the text: case, "
    "spacing and punctuation count. It equals the digest that other TLSH programs make of these "
    "bytes. A text of fewer than 50 bytes, or with too little variety, has no digest: TNULL.\n\n"
    "In ids a tab is written \\t, a newline \\n, a carriage return \\r and a backslash \\\\.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command tlsh_command = {
    .name = "tlsh",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "a TLSH digest for each document, as other TLSH programs make it",
    .description = "Reads the same inputs as neardup dedup and writes the TLSH digest of the bytes "
                   "of each document's text.",
    .examples = "neardup tlsh articles.jsonl > digests.tsv\n"
                "neardup tlsh notes --buckets 256 --checksum 3 -o digests.tsv\n",
    .chapters = chapters,
    .summary_of = SUMMARY_TEXT,
    .groups = groups,
    .settings_size = sizeof(tlsh_settings),
    .init = init,
    .run = run,
};
