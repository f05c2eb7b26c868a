#include "flags/sketch_flags.h"

#include "output/complain.h"
#include "flags/text_flags.h"

#include <stdlib.h>
#include <string.h>

static const flag sketch_flags[] = {
    {.name = "sketch",
     .kind = FLAG_CHOICE,
     .choices = "minhash|simhash|sentences:N",
     .offset = SETTING(job.sketch),
     .detail = SETTING(sentences),
     .help = "how candidates are found; minhash: by bands of signatures; simhash: all pairs of "
             "documents whose fingerprints differ in few bits; sentences:N: all that share one of "
             "their N longest sentences"},
    {.name = "k",
     .kind = FLAG_COUNT,
     .argument = "K",
     .high = 32,
     .offset = SETTING(job.k),
     .help = "bits in which fingerprints may differ, at most a quarter of them; --sketch simhash"},
    {.name = "bits",
     .kind = FLAG_CHOICE,
     .choices = "16|32|64|128",
     .offset = SETTING(bits),
     .help = "length of a fingerprint; --sketch simhash"},
    WEIGHTS_FLAG("tfidf|tfidf:FILE|tf|none", WEIGHTS_COUNTED_HELP
                 "; " WEIGHTS_TABLE_HELP "; " WEIGHTS_TF_HELP "; " WEIGHTS_NONE_HELP
                 "; tfidf is of single words, the others of shingles; --sketch simhash"),
};

const flag_group sketch_group = FLAG_GROUP("Similarity", sketch_flags);

const char simhash_chapter[] =
    "With --sketch simhash each document has a fingerprint (neardup-simhash(1)), and all pairs "
    "that differ in at most --k bits are candidates, exactly. --verify decides about them: exact "
    "by "
    "the Jaccard similarity of the shingle sets, cosine by the cosine of the vectors of which the "
    "fingerprints are made (--threshold is then that of the cosine), none takes them as they are. "
    "In the tables cosine or distance then stands in the place of jaccard.\n\n"
    "With --weights tfidf fingerprints are of single words, and rare ones decide. Where the input "
    "is small, or most of it duplicates, counts of it say little about rarity: give a table that "
    "neardup-idf(1) has made of more (tfidf:FILE), or --weights tf.\n\n"
    "A document with more than --max-compare others before it within reach, as a page of a "
    "template may be, is compared with the first of them only; such documents are counted. An "
    "index is not "
    "of fingerprints: --index goes with --sketch minhash alone.";

const char sentences_chapter[] =
    "With --sketch sentences:N (1 to 64; 3 is usual) the candidates are all pairs of documents of "
    "which a sentence among the N longest is the same but for case, spacing and punctuation. The "
    "texts then decide as ever. It finds an "
    "article again that stands among other things, or whose paragraphs were moved, if --threshold "
    "is low enough for what differs; and not one of which all long sentences were changed, or "
    "whose lines are broken elsewhere, since a line "
    "break ends a sentence. Sentences of fewer than 6 words are left out; a text without longer "
    "ones has no candidates but exact copies. A long sentence that many documents share, such as a "
    "notice, makes "
    "candidates of them all, of which --max-compare are compared.";

enum {
    OF_MINHASH = 1 << ND_SKETCH_MINHASH,
    OF_SIMHASH = 1 << ND_SKETCH_SIMHASH,
    OF_SENTENCES = 1 << ND_SKETCH_SENTENCES
};

/* The first flag that has no meaning with the sketch; NULL: there is none. */
static const char *flag_of_other_sketch(const settings *given) {
    static const struct {
        const char *name;
        unsigned sketches; /* bits: those that it is for */
    } flags[] = {
        {"recall", OF_MINHASH}, {"perms", OF_MINHASH | OF_SENTENCES},
        {"index", OF_MINHASH},  {"k", OF_SIMHASH},
        {"bits", OF_SIMHASH},   {"weights", OF_SIMHASH},
    };
    unsigned sketch = given->job.sketch;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flag_is_given(&given->flags, flags[i].name) && !(flags[i].sketches >> sketch & 1))
            return flags[i].name;
    return given->job.verify == ND_VERIFY_COSINE && sketch != ND_SKETCH_SIMHASH ? "verify cosine"
                                                                                : NULL;
}

/* What fingerprints of single words, or of whatever is not compared on the texts, have no use for.
 */
static bool flags_have_use(const settings *given) {
    const nd_job_options *job = &given->job;
    nd_weighting weighting = counted_weightings[given->weights];
    bool words = weighting == ND_WEIGHTING_COUNTED || weighting == ND_WEIGHTING_TABLE;
    if (job->verify == ND_VERIFY_NONE && flag_is_given(&given->flags, "threshold")) {
        complain("--threshold: not with --sketch simhash --verify none: --k decides");
        return false;
    }
    if (words && job->analyzer == ND_CHARS) {
        complain("--analyzer chars: not with --weights tfidf, which weighs words; --weights tf or "
                 "none go with it");
        return false;
    }
    if (words && job->verify != ND_VERIFY_EXACT && flag_is_given(&given->flags, "ngram")) {
        complain("--ngram: not with --weights tfidf, which weighs single words, but with --verify "
                 "exact");
        return false;
    }
    return true;
}

/* False: no number in range, and told. */
static bool sentences_read(const char *text, uint32_t *out) {
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    *out = (uint32_t)number;
    if (text[0] >= '0' && text[0] <= '9' && !*end && number >= 1 && number <= 64) return true;
    complain("--sketch sentences:%s: must be a whole number from 1 to 64", text);
    return false;
}

bool sketch_flags_agree(const settings *given) {
    static const char *const names[] = {[ND_SKETCH_MINHASH] = "minhash",
                                        [ND_SKETCH_SIMHASH] = "simhash",
                                        [ND_SKETCH_SENTENCES] = "sentences"};
    const nd_job_options *job = &given->job;
    const char *foreign = flag_of_other_sketch(given);
    if (foreign) {
        complain("--%s: not with --sketch %s", foreign, names[job->sketch]);
        return false;
    }
    uint32_t sentences;
    if (job->sketch == ND_SKETCH_SENTENCES) return sentences_read(given->sentences, &sentences);
    if (job->sketch == ND_SKETCH_MINHASH) return true;
    uint32_t bits = 16u << given->bits;
    if (job->k > bits / 4) {
        complain("--k %u: must be a whole number from 0 to %u with --bits %u", (unsigned)job->k,
                 (unsigned)(bits / 4), (unsigned)bits);
        return false;
    }
    return flags_have_use(given);
}

void sketch_options_take(const settings *given, nd_job_options *job) {
    if (given->sentences) (void)sentences_read(given->sentences, &job->sentences);
    job->simhash = (nd_simhash_options){.bits = 16u << given->bits,
                                        .weighting = counted_weightings[given->weights],
                                        .table = given->words.table};
}
