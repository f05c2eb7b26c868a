#include "flags/preset_flags.h"

#include "output/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const unsigned numbers[] = {1, 2, 3, 4, 5};

static const flag flags[] = {
    {.name = "preset",
     .kind = FLAG_CHOICE,
     .choices = "web|news|noisy|short|code",
     .values = numbers,
     .offset = offsetof(preset_settings, number),
     .fallback = "none",
     .help =
         "set the flags below for a kind of text; web: pages, the defaults; news: articles that "
         "were abridged; noisy: texts read by OCR; short: titles and messages; code: source "
         "code; a flag that you give yourself wins"},
};

const flag_table preset_flags = FLAG_TABLE("Similarity", flags);

/* Appends to the line. */
__attribute__((format(printf, 2, 3))) static void tell(preset_settings *s, const char *format,
                                                       ...) {
    size_t used = strlen(s->line);
    va_list list;
    va_start(list, format);
    vsnprintf(s->line + used, sizeof s->line - used, format, list);
    va_end(list);
}

static void apply_to_text(preset_settings *s, const flags_given *given,
                          const nd_analyzer_options *a, text_settings *text) {
    static const char *const kinds[] = {"words", "chars", "segment"};
    if (!flag_is_given(given, "analyzer")) {
        text->analyzer = a->kind;
        tell(s, " --analyzer %s", kinds[a->kind]);
    }
    if (!flag_is_given(given, "ngram")) {
        text->ngram = a->ngram;
        tell(s, " --ngram %u", (unsigned)a->ngram);
    }
}

static void apply_to_similarity(preset_settings *s, const flags_given *given,
                                const nd_similarity_options *o, similarity_settings *similarity) {
    if (!flag_is_given(given, "threshold")) {
        similarity->threshold = o->threshold;
        tell(s, " --threshold %g", o->threshold);
    }
    if (!flag_is_given(given, "recall")) {
        similarity->recall = o->recall;
        tell(s, " --recall %g", o->recall);
    }
    if (!flag_is_given(given, "perms")) {
        similarity->perms = o->perms;
        tell(s, " --perms %u", (unsigned)o->perms);
    }
}

void preset_apply(preset_settings *s, const flags_given *given, similarity_settings *similarity,
                  text_settings *text) {
    nd_analyzer_options a;
    nd_similarity_options o;
    nd_error error;
    if (s->number == 0) return;
    const char *name = nd_preset_name(s->number - 1);
    nd_analyzer_options_init(&a, sizeof a);
    nd_similarity_options_init(&o, sizeof o);
    if (!name || nd_preset(name, &a, &o, &error) != ND_OK) return;
    tell(s, "preset          %s:", name);
    if (text) apply_to_text(s, given, &a, text);
    apply_to_similarity(s, given, &o, similarity);
}

bool preset_agrees(const preset_settings *s, nd_measure measure, nd_sketch sketch) {
    const char *other = measure != ND_MEASURE_JACCARD ? "--measure containment"
                        : sketch != ND_SKETCH_MINHASH ? "another --sketch"
                                                      : NULL;
    if (s->number == 0 || !other) return true;
    complain("--preset %s: not with %s: its values are for MinHash and the Jaccard similarity",
             nd_preset_name(s->number - 1), other);
    return false;
}
