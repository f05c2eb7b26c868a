/* Presets: the values with which duplicates of a kind of text are found. They were tuned by
 * bench/quality --part presets on seeds 1 and 3; doc/guide/presets.md has the quality on seeds 2
 * and 4. */
#include "base/argument.h"
#include "base/options.h"
#include "text/analyzer.h"

#include <string.h>

typedef struct preset {
    const char *name;
    nd_analyzer_kind kind;
    uint32_t ngram;
    double threshold, recall;
    uint32_t perms;
} preset;

/* Copies of news, and noisy ones, have so little in common that only a low recall at the threshold
 * leaves bands of three rows. Most pairs of copies are more similar than the threshold, and a copy
 * that one of them does not find is found by another one. */
static const preset presets[] = {
    {"web", ND_WORDS, 5, .8, .999, 128},   {"news", ND_WORDS, 3, .2, .8, 256},
    {"noisy", ND_CHARS, 5, .19, .65, 512}, {"short", ND_CHARS, 4, .7, .999, 128},
    {"code", ND_CHARS, 5, .75, .999, 128},
};
enum { PRESETS = sizeof presets / sizeof *presets };

nd_status nd_preset(const char *name, nd_analyzer_options *analyzer,
                    nd_similarity_options *similarity, nd_error *error) {
    ND_TRY(nd_need(name, "name", error));
    ND_TRY(nd_need(analyzer, "analyzer", error));
    ND_TRY(nd_need(similarity, "similarity", error));
    nd_analyzer_options whole_analyzer;
    nd_similarity_options whole;
    ND_TRY(nd_analyzer_options_read(analyzer, &whole_analyzer, error));
    ND_TRY(ND_READ_OPTIONS(similarity, &whole, "nd_similarity_options", error));
    for (const preset *p = presets; p < presets + PRESETS; p++) {
        if (strcmp(p->name, name) != 0) continue;
        analyzer->kind = p->kind;
        analyzer->ngram = p->ngram;
        similarity->threshold = p->threshold;
        similarity->recall = p->recall;
        similarity->perms = p->perms;
        return ND_OK;
    }
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "preset must be web, news, noisy, short or code, not \"%s\"", name);
}

const char *nd_preset_name(size_t index) { return index < PRESETS ? presets[index].name : NULL; }
