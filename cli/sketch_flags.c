#include "sketch_flags.h"

#include "complain.h"
#include "numbers.h"

#include <string.h>

/* In the order of the choices; tfidf is the default. */
enum { WEIGHTS_COUNTED, WEIGHTS_TABLE, WEIGHTS_TF, WEIGHTS_NONE };

static const flag sketch_flags[] = {
    {.name = "sketch",
     .kind = FLAG_CHOICE,
     .choices = "minhash|simhash",
     .offset = SETTING(job.sketch),
     .help = "how candidates are found; minhash: by bands of signatures; simhash: all pairs of documents whose fingerprints differ in few bits"},
    {.name = "k",
     .kind = FLAG_COUNT,
     .argument = "K",
     .high = 32,
     .offset = SETTING(job.k),
     .help = "bits in which fingerprints may differ, at most a quarter of them; --sketch simhash"},
    {.name = "bits", .kind = FLAG_CHOICE, .choices = "16|32|64|128", .offset = SETTING(bits), .help = "length of a fingerprint; --sketch simhash"},
    {.name = "weights",
     .kind = FLAG_CHOICE,
     .choices = "tfidf|tfidf:FILE|tf|none",
     .offset = SETTING(weights),
     .detail = SETTING(weight_table),
     .help =
         "how much a feature of a fingerprint counts; tfidf: single words, rare ones more, counted in the input, which is read twice, or by a table; tf: shingles, each time "
         "that they occur; none: shingles, once; --sketch simhash"},
};

const flag_group sketch_group = FLAG_GROUP("Similarity", sketch_flags);

const char simhash_chapter[] =
    "With --sketch simhash each document has a fingerprint (neardup-simhash(1)), and all pairs that differ in at most --k bits are candidates, exactly. --verify decides about them: exact by "
    "the Jaccard similarity of the shingle sets, cosine by the cosine of the vectors of which the fingerprints are made (--threshold is then that of the cosine), none takes them as they are. "
    "In the tables cosine or distance then stands in the place of jaccard.\n\n"
    "With --weights tfidf fingerprints are of single words, and rare ones decide. Where the input is small, or most of it duplicates, counts of it say little about rarity: give a table that "
    "neardup-idf(1) has made of more (tfidf:FILE), or --weights tf.\n\n"
    "A document with more than --max-compare others before it within reach, as a page of a template may be, is compared with the first of them only; such documents are counted. An index is not "
    "of fingerprints: --index goes with --sketch minhash alone.";

/* The first flag that is not at its default and has no meaning with the sketch; NULL: there is none. */
static const char *flag_of_other_sketch(const settings *given) {
    settings initial;
    settings_init(&initial);
    const nd_job_options *job = &given->job, *usual = &initial.job;
    const struct {
        const char *name;
        nd_sketch sketch;
        bool given;
    } flags[] = {
        {"--recall", ND_SKETCH_MINHASH, job->recall < usual->recall || job->recall > usual->recall},
        {"--perms", ND_SKETCH_MINHASH, job->perms != usual->perms},
        {"--index", ND_SKETCH_MINHASH, job->index != NULL},
        {"--k", ND_SKETCH_SIMHASH, job->k != usual->k},
        {"--bits", ND_SKETCH_SIMHASH, given->bits != initial.bits},
        {"--weights", ND_SKETCH_SIMHASH, given->weights != initial.weights},
        {"--verify cosine", ND_SKETCH_SIMHASH, job->verify == ND_VERIFY_COSINE},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].given && flags[i].sketch != job->sketch) return flags[i].name;
    return NULL;
}

/* What fingerprints of single words, or of whatever is not compared on the texts, have no use for. */
static bool flags_have_use(const settings *given) {
    settings initial;
    settings_init(&initial);
    const nd_job_options *job = &given->job, *usual = &initial.job;
    bool words = given->weights == WEIGHTS_COUNTED || given->weights == WEIGHTS_TABLE;
    if (job->verify == ND_VERIFY_NONE && (job->threshold < usual->threshold || job->threshold > usual->threshold)) {
        complain("--threshold: not with --sketch simhash --verify none: --k decides");
        return false;
    }
    if (words && job->analyzer == ND_CHARS) {
        complain("--analyzer chars: not with --weights tfidf, which weighs words; --weights tf or none go with it");
        return false;
    }
    if (words && job->verify != ND_VERIFY_EXACT && job->ngram != usual->ngram) {
        complain("--ngram: not with --weights tfidf, which weighs single words, but with --verify exact");
        return false;
    }
    return true;
}

bool sketch_flags_agree(const settings *given) {
    static const char *const names[] = {[ND_SKETCH_MINHASH] = "minhash", [ND_SKETCH_SIMHASH] = "simhash"};
    const nd_job_options *job = &given->job;
    const char *foreign = flag_of_other_sketch(given);
    if (foreign) {
        complain("%s: not with --sketch %s", foreign, names[job->sketch]);
        return false;
    }
    if (job->sketch == ND_SKETCH_MINHASH) return true;
    uint32_t bits = 16u << given->bits;
    if (job->k > bits / 4) {
        complain("--k %u: must be a whole number from 0 to %u with --bits %u", (unsigned)job->k, (unsigned)(bits / 4), (unsigned)bits);
        return false;
    }
    return flags_have_use(given);
}

/* Where Debian's package python3-jieba has its table. */
static const char jieba_table[] = "/usr/lib/python3/dist-packages/jieba/analyse/idf.txt";

nd_status weight_table_read(const settings *given, nd_weights **out, nd_error *error) {
    nd_weights_info info;
    char left_out[32], terms[32];
    bool is_jieba = strcmp(given->weight_table, "jieba") == 0;
    nd_status status = nd_weights_read(is_jieba ? jieba_table : given->weight_table, given->job.seed, NULL, out, error);
    if (status == ND_ERR_IO && is_jieba)
        snprintf(error->message, sizeof error->message, "jieba: there is no %s, which Debian's package python3-jieba brings", jieba_table);
    if (status != ND_OK) return status;
    nd_weights_describe(*out, &info);
    if (info.left_out)
        complain("warning: %s: %s of %s terms are not one word and are never met", given->weight_table, number_grouped(info.left_out, left_out),
                 number_grouped(info.words + info.left_out, terms));
    return ND_OK;
}

nd_status sketch_options_take(const settings *given, nd_job_options *job, nd_weights **table, nd_error *error) {
    static const nd_weighting weightings[] = {[WEIGHTS_COUNTED] = ND_WEIGHTING_COUNTED,
                                              [WEIGHTS_TABLE] = ND_WEIGHTING_TABLE,
                                              [WEIGHTS_TF] = ND_WEIGHTING_TF,
                                              [WEIGHTS_NONE] = ND_WEIGHTING_NONE};
    *table = NULL;
    nd_status status = given->weight_table ? weight_table_read(given, table, error) : ND_OK;
    job->simhash = (nd_simhash_options){.bits = 16u << given->bits, .weighting = weightings[given->weights], .table = *table};
    return status;
}
