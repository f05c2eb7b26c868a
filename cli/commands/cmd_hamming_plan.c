/* neardup hamming plan: the possible designs of tables, with their sizes and times. */
#include "commands/command_names.h"
#include "commands/hamming_costs.h"
#include "commands/hamming_command.h"
#include "commands/result_command.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/numbers.h"

typedef struct plan_settings {
    double n;
    const char *costs; /* a file; NULL: the built-in costs */
} plan_settings;

typedef struct hamming_plan_settings {
    plan_settings plan;
    fingerprint_settings fingerprint;
    result_settings result;
} hamming_plan_settings;

static const flag plan_list[] = {
    {.name = "n",
     .letter = 'n',
     .kind = FLAG_AMOUNT,
     .argument = "N",
     .low = 1,
     .high = UINT64_C(1000000000000000),
     .offset = offsetof(plan_settings, n),
     .fallback = "none, it must be given",
     .help = "number of fingerprints, such as 8e9"},
};
static const flag costs_list[] = {
    {.name = "costs",
     .kind = FLAG_INPUT,
     .argument = "FILE",
     .offset = offsetof(plan_settings, costs),
     .fallback = "the costs of a server of 2025",
     .help = "costs that neardup hamming calibrate has measured"},
};
static const flag k_list[] = {K_FLAG("3", "")};

static const flag_table plan_flags = FLAG_TABLE("Fingerprints", plan_list);
static const flag_table costs_flags = FLAG_TABLE("Fingerprints", costs_list);
static const flag_table k_flags = FLAG_TABLE("Fingerprints", k_list);

static const flag_group groups[] = {FLAG_GROUP(hamming_plan_settings, plan, plan_flags),
                                    FLAG_GROUP(hamming_plan_settings, fingerprint, bits_flags),
                                    FLAG_GROUP(hamming_plan_settings, fingerprint, k_flags),
                                    FLAG_GROUP(hamming_plan_settings, fingerprint, tables_flags),
                                    FLAG_GROUP(hamming_plan_settings, plan, costs_flags),
                                    FLAG_GROUP(hamming_plan_settings, result, result_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    hamming_plan_settings *s = settings;
    fingerprint_settings_init(&s->fingerprint);
}

/* What the designs are for. */
typedef struct plan_request {
    double count;
    uint32_t bits, k;
    uint64_t tables; /* bytes; 0: no limit */
} plan_request;

/* "1" or "0-1". */
static const char *errors_text(const nd_hamming_estimate *e, char text[static 32]) {
    if (e->least_errors == e->most_errors) snprintf(text, 32, "%u", (unsigned)e->most_errors);
    else snprintf(text, 32, "%u-%u", (unsigned)e->least_errors, (unsigned)e->most_errors);
    return text;
}

/* Extremes can be larger than any memory. */
static const char *volume_text(double bytes, char text[static 32]) {
    if (bytes < 1e18) return number_volume((uint64_t)bytes, text);
    snprintf(text, 32, "%.3g B", bytes);
    return text;
}

/* Looks are whole numbers. */
static const char *looks_text(double looks, char text[static 32]) {
    snprintf(text, 32, looks < 1e10 ? "%.0f" : "%.4g", looks);
    return text;
}

static const char *mark_of(const nd_hamming_estimate *e) {
    return e->chosen    ? "  <- chosen"
           : e->extreme ? "  to compare with"
           : !e->fits   ? "  does not fit"
           : !e->few    ? "  many tables"
                        : "";
}

static void print_row(FILE *out, const nd_hamming_estimate *e, double n) {
    char errors[32], volume[32], each[32], looks[32];
    double of_one = e->bytes / n;
    snprintf(each, sizeof each, of_one < 1e6 ? "%.2f" : "%.3g", of_one);
    fprintf(out, "%-20s%7u%8s%12s%10s%12s%14.5g%12.4g%s\n", e->name, (unsigned)e->tables,
            errors_text(e, errors), volume_text(e->bytes, volume), each,
            looks_text(e->looks, looks), e->candidates, e->microseconds, mark_of(e));
}

static void print_table(FILE *out, const plan_request *p, const nd_hamming_estimate *list,
                        size_t count) {
    fprintf(out, "%.15g fingerprints of %u bits, k = %u\n\n", p->count, (unsigned)p->bits,
            (unsigned)p->k);
    fprintf(out, "%-20s%7s%8s%12s%10s%12s%14s%12s\n", "design", "tables", "errors", "bytes", "each",
            "looks", "candidates", "us/query");
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        print_row(out, &list[i], p->count);
        if (list[i].chosen) chosen = i;
    }
    fprintf(out, "\nchosen: the %s\n",
            list[chosen].fits && list[chosen].few
                ? "fastest design that fits and does not have many tables"
                : "smallest design, since none fits");
}

static void print_json(FILE *out, const plan_request *p, const nd_hamming_estimate *list,
                       size_t count) {
    fprintf(out,
            "{\"version\":\"%s\",\"command\":\"hamming "
            "plan\",\"n\":%.15g,\"bits\":%u,\"k\":%u,\"memory\":%llu,\"designs\":[",
            nd_version(), p->count, (unsigned)p->bits, (unsigned)p->k,
            (unsigned long long)p->tables);
    for (size_t i = 0; i < count; i++) {
        const nd_hamming_estimate *e = &list[i];
        fprintf(
            out,
            "%s{\"name\":\"%s\",\"tables\":%u,\"least_errors\":%u,\"most_errors\":%u,\"bytes\":%"
            ".0f,\"looks\":%.15g,\"candidates\":%.9g,",
            i ? "," : "", e->name, (unsigned)e->tables, (unsigned)e->least_errors,
            (unsigned)e->most_errors, e->bytes, e->looks, e->candidates);
        fprintf(out, "\"microseconds\":%.6g,\"fits\":%s,\"few\":%s,\"chosen\":%s,\"extreme\":%s}",
                e->microseconds, e->fits ? "true" : "false", e->few ? "true" : "false",
                e->chosen ? "true" : "false", e->extreme ? "true" : "false");
    }
    fprintf(out, "]}\n");
}

static int run(const invocation *call) {
    const hamming_plan_settings *s = call->settings;
    nd_hamming_estimate list[ND_HAMMING_ESTIMATES];
    size_t designs;
    nd_hamming_options usual;
    nd_hamming_costs costs;
    nd_error error;
    results r;
    nd_hamming_options_init(&usual, sizeof usual);
    nd_hamming_costs_init(&costs);
    const plan_request p = {.count = s->plan.n,
                            .bits = s->fingerprint.bits,
                            .k = fingerprint_k(&s->fingerprint, usual.k),
                            .tables = s->fingerprint.tables};
    if (p.count < 1) {
        complain("%s: give the number of fingerprints with --n", call->self->name);
        return EXIT_USAGE;
    }
    if (s->plan.costs && !hamming_costs_read(s->plan.costs, &costs)) return EXIT_FAILED;
    const nd_hamming_plan_options options = {.struct_size = sizeof options,
                                             .fingerprints = p.count,
                                             .bits = p.bits,
                                             .k = p.k,
                                             .memory = (double)p.tables,
                                             .costs = &costs};
    if (nd_hamming_plan(&options, list, &designs, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_USAGE;
    }
    if (!result_open(&r, &s->result)) return EXIT_FAILED;
    (s->result.json ? print_json : print_table)(r.out, &p, list, designs);
    return result_close(&r);
}

static const char result_chapter[] =
    "The table has a line for each design, the fastest first. tables: how many tables; each holds "
    "all fingerprints, in an order of its own. errors: in how many bits of a table's window a slot "
    "may differ from the query, for the query to visit it. bytes: size of all tables, packed, "
    "without ids. each: the same per fingerprint. looks: slots that a query visits. candidates: "
    "fingerprints that it then compares. us/query: the time of one thread for that by measured "
    "costs, in microseconds.\n\n"
    "The fastest design is chosen, except those that do not fit into --tables or have many tables, "
    "since each table takes as many bytes as the first. Many are: more than max(2, (k + 1) / 2) or "
    "more than 4; where all tables together take up to 32 MiB and have wide windows, more than "
    "4.\n\n"
    "The designs are: windows: the bits are cut into so many windows, and each has a table that is "
    "searched with a few errors. blocks: c of b blocks, a table for each choice of c blocks, "
    "searched without errors; c of b blocks twice: the rest of one choice is cut again. scan: all "
    "fingerprints are compared.\n\n"
    "Two rows are the extremes between which the designs lie (Manku, Jain, Das Sarma 2007, section "
    "3). They are marked \"to compare with\": no index is made so, and they are never chosen. "
    "neighbours probed: a query looks for itself and for all its neighbours in one table; with 64 "
    "bits and k = 3 that is 1 + 64 + 2,016 + 41,664 = 43,745 looks (the article counts the last "
    "term alone). neighbours stored: one table holds all neighbours of all fingerprints, 43,745 "
    "times as many, and a query looks once. Their times follow from the same costs.\n\n"
    "--json has n, bits, k, memory (the limit of --tables) and designs, a list of objects with "
    "name, tables, least_errors, most_errors, bytes, looks, candidates, microseconds, fits, few "
    "(not many tables), chosen and extreme.";

static const char plan_exit_chapter[] =
    "0: done. 1: the file of costs cannot be read. 2: the command line is wrong.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", plan_exit_chapter}, {NULL, NULL}};

const command hamming_plan_command = {
    .name = "hamming plan",
    .summary = "the possible designs of tables, their sizes and times, and the chosen one",
    .description = "Shows the designs that the tables of an index of N fingerprints can have, "
                   "their costs, and the one that would be chosen.",
    .examples = "neardup hamming plan --n 8e9 -k 3\n"
                "neardup hamming plan --n 1e9 -k 6 --tables 16G --json\n",
    .chapters = chapters,
    .groups = groups,
    .settings_size = sizeof(hamming_plan_settings),
    .init = init,
    .run = run,
};
