#include "stream/stream_settings.h"

#include "base/argument.h"
#include "base/format.h"
#include "base/options.h"
#include "sketch/text_simhash.h"
#include "terms/weight_table.h"
#include "text/analyzer.h"
#include "text/dictionary.h"
#include "text/stop_words.h"
#include "unicode/icu_word_breaks.h"

#include <string.h>

/* ---- from options */

static const nd_stream_options defaults = {
    .struct_size = sizeof defaults, .threshold = 0.8, .recall = 0.999, .perms = 128, .k = 3};

void nd_stream_options_init(nd_stream_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

nd_status nd_stream_options_read(const nd_stream_options *given, nd_stream_parts *out,
                                 nd_error *error) {
    nd_stream_options *o = &out->options;
    *o = defaults;
    ND_TRY(ND_READ_OPTIONS(given, o, "nd_stream_options", error));
    ND_TRY(nd_analyzer_options_read(o->analyzer, &out->analyzer, error));
    if (!o->analyzer && o->sketch == ND_SKETCH_SIMHASH) out->analyzer.ngram = 1;
    ND_TRY(nd_simhash_options_read(o->simhash, &out->simhash, error));
    o->analyzer = &out->analyzer;
    o->simhash = &out->simhash;
    return ND_OK;
}

static nd_status check_simhash(const nd_stream_parts *parts, nd_error *error) {
    const nd_stream_options *o = &parts->options;
    ND_TRY(nd_simhash_options_check(&parts->simhash, &parts->analyzer, error));
    if (o->simhash->weighting == ND_WEIGHTING_LEVELS)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "a stream has texts, not lists of words with levels");
    if (o->k > o->simhash->bits / 4)
        return nd_fail(error, ND_ERR_ARGUMENT, "k must be 0 to %u for %u bits, not %u",
                       o->simhash->bits / 4, o->simhash->bits, o->k);
    return ND_OK;
}

/* The settings that say what the words are. REQUIRES: the analyzer's options are checked. */
static void set_words(const nd_stream_options *o, nd_stream_settings *s) {
    const nd_simhash_options *simhash = o->simhash;
    if (o->analyzer->kind == ND_SEGMENT) s->icu = nd_word_breaks_version();
    if (o->analyzer->dictionary) s->dictionary = nd_dictionary_hash(o->analyzer->dictionary);
    if (!nd_stream_has_fingerprints(s)) return;
    if (o->analyzer->stem) nd_format(s->stem, sizeof s->stem, "%s", o->analyzer->stem);
    if (simhash->stop) s->stop = nd_stop_words_hash(simhash->stop);
    if (simhash->weighting == ND_WEIGHTING_TABLE) s->table = nd_weights_hash(simhash->table);
}

static nd_status set_minhash(const nd_stream_options *o, nd_stream_settings *s, nd_error *error) {
    nd_plan plan;
    if (o->analyzer->stem)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "stem is for ND_SKETCH_SIMHASH: ND_SKETCH_MINHASH compares words as they are");
    s->perms = o->perms;
    s->threshold = o->threshold;
    s->recall = o->recall;
    return nd_plan_choose(o->threshold, o->recall, o->perms, &plan, error);
}

nd_status nd_stream_settings_make(const nd_stream_parts *parts, nd_stream_settings *s,
                                  nd_error *error) {
    const nd_stream_options *o = &parts->options;
    ND_CHECK_ENUM(o->sketch, "sketch", ND_SKETCH_MINHASH, ND_SKETCH_SIMHASH, error);
    ND_CHECK_ENUM(o->mode, "mode", ND_STREAM_LEADER, ND_STREAM_FOLLOW, error);
    if (!(o->expire >= 0 && o->expire < 1e15))
        return nd_fail(error, ND_ERR_ARGUMENT, "expire must be 0 to 10^15 seconds, not %g",
                       o->expire);
    bool simhash = o->sketch == ND_SKETCH_SIMHASH;
    if (!simhash && o->mode == ND_STREAM_FOLLOW)
        return nd_fail(error, ND_ERR_ARGUMENT, "centres follow with ND_SKETCH_SIMHASH only");
    *s = (nd_stream_settings){.sketch = o->sketch,
                              .mode = o->mode,
                              .analyzer = parts->analyzer.kind,
                              .ngram = parts->analyzer.ngram,
                              .seed = parts->analyzer.seed,
                              .expire = o->expire};
    ND_TRY(nd_analyzer_options_check_transient(&parts->analyzer, error));
    if (simhash) ND_TRY(check_simhash(parts, error));
    set_words(o, s);
    if (!simhash) return set_minhash(o, s, error);
    s->k = o->k;
    s->bits = o->simhash->bits;
    s->weighting = o->simhash->weighting;
    return ND_OK;
}

/* ---- from a file */

nd_status nd_stream_settings_check(const char *path, const nd_stream_settings *s, nd_error *error) {
    const nd_analyzer_options analyzer = {
        .kind = (nd_analyzer_kind)s->analyzer, .ngram = s->ngram, .seed = s->seed};
    bool bits = s->bits == 16 || s->bits == 32 || s->bits == 64 || s->bits == 128;
    bool fits = s->sketch <= ND_SKETCH_SIMHASH && s->mode <= ND_STREAM_FOLLOW && s->expire >= 0 &&
                nd_analyzer_options_check_transient(&analyzer, NULL) == ND_OK &&
                memchr(s->stem, 0, sizeof s->stem);
    if (nd_stream_has_fingerprints(s))
        fits = fits && bits && s->k <= s->bits / 4 &&
               (s->weighting <= ND_WEIGHTING_TF || s->weighting == ND_WEIGHTING_TABLE);
    else fits = fits && s->bits == 0 && s->mode == ND_STREAM_LEADER;
    return fits ? ND_OK
                : nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: its settings do not fit each other",
                          path);
}

void nd_stream_settings_to_options(const nd_stream_settings *s, const nd_stream_parts *given,
                                   nd_stream_parts *out) {
    bool simhash = nd_stream_has_fingerprints(s);
    out->analyzer = (nd_analyzer_options){.struct_size = sizeof out->analyzer,
                                          .kind = (nd_analyzer_kind)s->analyzer,
                                          .ngram = s->ngram,
                                          .seed = s->seed,
                                          .stem = s->stem[0] ? s->stem : NULL,
                                          .dictionary = given ? given->analyzer.dictionary : NULL};
    (void)nd_simhash_options_read(NULL, &out->simhash, NULL);
    if (simhash) {
        out->simhash.bits = s->bits;
        out->simhash.weighting = (nd_weighting)s->weighting;
    }
    if (simhash && given) {
        out->simhash.table = given->simhash.table;
        out->simhash.stop = given->simhash.stop;
    }
    out->options = defaults;
    out->options.sketch = (nd_sketch)s->sketch;
    out->options.mode = (nd_stream_mode)s->mode;
    out->options.analyzer = &out->analyzer;
    out->options.simhash = &out->simhash;
    out->options.expire = s->expire;
    if (simhash) {
        out->options.k = s->k;
        return;
    }
    out->options.threshold = s->threshold;
    out->options.recall = s->recall;
    out->options.perms = s->perms;
}

/* ---- comparing */

static void name_icu(uint32_t version, char *out, size_t size) {
    if (version) nd_format(out, size, "ICU %u.%u", version >> 16, version & 0xffff);
    else nd_format(out, size, "no ICU");
}

static nd_status compare_icu(const char *path, uint32_t was, uint32_t is, nd_error *error) {
    char made[24], found[24];
    if (was == is) return ND_OK;
    name_icu(was, made, sizeof made);
    name_icu(is, found, sizeof found);
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s: this stream was made with %s, not with %s: the words would be others", path,
                   made, found);
}

/* Compares seed and stem first: the hashes of stop words and table depend on both. */
static nd_status compare_words(const char *path, const nd_stream_settings *a,
                               const nd_stream_settings *b, nd_error *error) {
    if (a->seed != b->seed)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with another seed", path);
    if (strcmp(a->stem, b->stem) != 0)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with %s%s, not with %s%s",
                       path, a->stem[0] ? "stem " : "no stem", a->stem,
                       b->stem[0] ? "stem " : "no stem", b->stem);
    ND_TRY(compare_icu(path, a->icu, b->icu, error));
    const struct {
        const char *name;
        uint64_t was, is;
    } list[] = {{"dictionary", a->dictionary, b->dictionary},
                {"list of stop words", a->stop, b->stop},
                {"table of weights", a->table, b->table}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i].was == list[i].is) continue;
        if (list[i].is == 0)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: the %s with which this stream was made is needed", path,
                           list[i].name);
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with %s %s", path,
                       list[i].was ? "another" : "no", list[i].name);
    }
    return ND_OK;
}

nd_status nd_stream_settings_compare(const char *path, const nd_stream_settings *a,
                                     const nd_stream_settings *b, nd_error *error) {
    static const char *const sketches[] = {"MinHash", "SimHash"};
    static const char *const modes[] = {"leaders", "centres that follow"};
    if (a->sketch != b->sketch)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with %s, not with %s",
                       path, sketches[a->sketch == 1], sketches[b->sketch]);
    if (a->mode != b->mode)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with %s, not with %s",
                       path, modes[a->mode == 1], modes[b->mode]);
    if (a->analyzer != b->analyzer)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: this stream was made with the analyzer %s, not with %s", path,
                       nd_analyzer_name((nd_analyzer_kind)a->analyzer),
                       nd_analyzer_name((nd_analyzer_kind)b->analyzer));
    const struct {
        const char *name;
        double was, is;
    } list[] = {{"ngram", a->ngram, b->ngram},
                {"perms", a->perms, b->perms},
                {"threshold", a->threshold, b->threshold},
                {"recall", a->recall, b->recall},
                {"k", a->k, b->k},
                {"bits", a->bits, b->bits},
                {"weights", a->weighting, b->weighting},
                {"expire", a->expire, b->expire}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].was != list[i].is)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: this stream was made with another %s: %g, not %g", path,
                           list[i].name, list[i].was, list[i].is);
    return compare_words(path, a, b, error);
}
