/* A glob is read into a list of steps: braces become several lists. The steps are the states of a
 * nondeterministic automaton. All states that are reached are kept at once while the path is read,
 * so that no path is read twice. */
#include "corpus/glob.h"

#include "io/file.h"

#include <stdint.h>
#include <string.h>

typedef enum step_kind {
    CHARACTER, /* this one */
    ANY,       /* one character but '/' */
    SET,       /* one character of a set, not '/' */
    STAR,      /* any number of characters but '/' */
    PARTS,     /* any number of whole parts with the '/' behind each */
    INSIDE     /* any characters, at least one */
} step_kind;

typedef struct step {
    step_kind kind;
    uint32_t character;
    const char *set; /* the text between the brackets */
    size_t set_size;
} step;

/* The states of a match, and so the steps of a glob. */
enum { MOST_STEPS = 511, MOST_PATTERNS = 1000 };

typedef struct glob {
    step *steps;
    size_t count, capacity;
    bool excludes, directories_only;
} glob;

struct nd_globs {
    nd_allocator allocator;
    glob *globs;
    size_t count, capacity;
    char **texts; /* patterns without braces; the steps point into them */
    size_t text_count, text_capacity;
    bool includes; /* one of the globs does not exclude */
};

/* Reads a character of UTF-8. A byte that is not UTF-8 is a character of its own. */
static uint32_t next_character(const char **at, const char *end) {
    const unsigned char *bytes = (const unsigned char *)*at;
    size_t length = bytes[0] < 0xC0 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
    uint32_t character = bytes[0];
    bool whole = length > 1 && (size_t)(end - *at) >= length;
    for (size_t i = 1; whole && i < length; i++) whole = (bytes[i] & 0xC0) == 0x80;
    if (!whole) {
        (*at)++;
        return character < 0x80 ? character : 0xDC00 + character;
    }
    character &= 0xFFU >> (length + 1);
    for (size_t i = 1; i < length; i++) character = character << 6 | (bytes[i] & 0x3F);
    *at += length;
    return character;
}

/* ---- reading a glob */

/* Returns the place of the bracket that closes a set, whose text begins at `at`; NULL: none. */
static const char *set_end(const char *at, const char *end) {
    if (at < end && (*at == '!' || *at == '^')) at++;
    for (bool first = true; at < end && (*at != ']' || first); first = false)
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at : NULL;
}

/* Whether `**` at `at` is a whole part of the pattern. */
static bool is_whole_part(const char *pattern, const char *at, const char *end) {
    return (at == pattern || at[-1] == '/') && at + 1 < end && at[1] == '*' &&
           (at + 2 == end || at[2] == '/');
}

/* Reads the next step. False: the glob is malformed. */
static bool read_step(const char *pattern, const char **at, const char *end, step *out) {
    const char *from = *at;
    *out = (step){.kind = CHARACTER};
    if (*from == '*' && is_whole_part(pattern, from, end)) {
        out->kind = from + 2 == end ? INSIDE : PARTS;
        *at += from + 2 == end ? 2 : 3;
    } else if (*from == '*') {
        out->kind = STAR;
        while (*at < end && **at == '*') (*at)++;
    } else if (*from == '?') {
        out->kind = ANY;
        *at += 1;
    } else if (*from == '[') {
        const char *close = set_end(from + 1, end);
        if (!close) return false;
        *out = (step){.kind = SET, .set = from + 1, .set_size = (size_t)(close - from) - 1};
        *at = close + 1;
    } else {
        *at += *from == '\\';
        if (*at == end) return false;
        out->character = next_character(at, end);
    }
    return true;
}

static nd_status add_step(const nd_allocator *a, glob *g, step next, nd_error *error) {
    if (!nd_reserve(a, &g->steps, &g->capacity, g->count + 1))
        return nd_fail_memory(error, sizeof next, "a glob");
    g->steps[g->count++] = next;
    return ND_OK;
}

/* Reads a pattern without braces into *g. */
static nd_status read_steps(const nd_allocator *a, const char *pattern, glob *g, nd_error *error) {
    const char *at = pattern, *end = pattern + strlen(pattern);
    if (end > at && end[-1] == '/') {
        g->directories_only = true;
        end--;
    }
    bool anchored = end > at && memchr(at, '/', (size_t)(end - at)) != NULL;
    if (!anchored) ND_TRY(add_step(a, g, (step){.kind = PARTS}, error));
    pattern = at += *at == '/';
    while (at < end) {
        step next;
        if (!read_step(pattern, &at, end, &next) || g->count >= MOST_STEPS)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "the glob %s: a bracket is not closed, it ends with a backslash, or it "
                           "has more than %d steps",
                           pattern, MOST_STEPS);
        ND_TRY(add_step(a, g, next, error));
    }
    return ND_OK;
}

/* Keeps a text: the steps point into it. *out: the copy. */
static nd_status keep_text(nd_globs *globs, const char *text, char **out, nd_error *error) {
    const nd_allocator *a = &globs->allocator;
    if (globs->text_count >= MOST_PATTERNS)
        return nd_fail(error, ND_ERR_ARGUMENT, "the globs stand for more than %d patterns",
                       MOST_PATTERNS);
    *out = nd_string_join(a, text, "", "");
    if (!*out || !nd_reserve(a, &globs->texts, &globs->text_capacity, globs->text_count + 1)) {
        nd_release(a, *out);
        return nd_fail_memory(error, strlen(text), "a glob");
    }
    globs->texts[globs->text_count++] = *out;
    return ND_OK;
}

/* Finds the first braces of a pattern. False: it has none. *close NULL: they are not closed. */
static bool find_braces(const char *pattern, const char **open, const char **close) {
    size_t depth = 0;
    *open = *close = NULL;
    for (const char *at = pattern; *at; at++) {
        if (*at == '\\' && at[1]) at++;
        else if (*at == '[' && set_end(at + 1, at + strlen(at)))
            at = set_end(at + 1, at + strlen(at));
        else if (*at == '{' && depth++ == 0) *open = at;
        else if (*at == '}' && depth > 0 && --depth == 0) {
            *close = at;
            break;
        }
    }
    return *open != NULL;
}

/* Returns the end of an alternative inside braces: a comma, or the closing brace. */
static const char *alternative_end(const char *at, const char *close) {
    for (size_t depth = 0; at < close; at++) {
        if (*at == '\\') at++;
        else if (*at == '{') depth++;
        else if (*at == '}') depth--;
        else if (*at == ',' && depth == 0) break;
    }
    return at < close ? at : close;
}

/* Queues the patterns that the first braces of `pattern` stand for. */
static nd_status open_braces(nd_globs *globs, const char *pattern, const char *open,
                             const char *close, nd_error *error) {
    for (const char *at = open + 1; at <= close; at++) {
        const char *end = alternative_end(at, close);
        char *text = nd_string_join(&globs->allocator, pattern, "", "");
        char *kept = NULL;
        if (!text) return nd_fail_memory(error, strlen(pattern), "a glob");
        size_t size = (size_t)(open - pattern);
        memmove(text + size, at, (size_t)(end - at));
        size += (size_t)(end - at);
        memcpy(text + size, close + 1, strlen(close + 1) + 1);
        nd_status status = keep_text(globs, text, &kept, error);
        nd_release(&globs->allocator, text);
        ND_TRY(status);
        at = end;
    }
    return ND_OK;
}

/* Adds one glob: all patterns that its braces stand for. */
static nd_status add_glob(nd_globs *globs, const char *text, nd_error *error) {
    const nd_allocator *a = &globs->allocator;
    bool excludes = text[0] == '!';
    size_t next = globs->text_count;
    char *kept = NULL;
    globs->includes = globs->includes || !excludes;
    ND_TRY(keep_text(globs, text + excludes, &kept, error));
    for (; next < globs->text_count; next++) {
        const char *pattern = globs->texts[next], *open, *close;
        if (find_braces(pattern, &open, &close)) {
            if (!close)
                return nd_fail(error, ND_ERR_ARGUMENT, "the glob %s: a brace is not closed", text);
            ND_TRY(open_braces(globs, pattern, open, close, error));
            continue;
        }
        if (!nd_reserve(a, &globs->globs, &globs->capacity, globs->count + 1))
            return nd_fail_memory(error, sizeof(glob), "a glob");
        globs->globs[globs->count] = (glob){.excludes = excludes};
        ND_TRY(read_steps(a, pattern, &globs->globs[globs->count++], error));
    }
    return ND_OK;
}

nd_status nd_globs_read(const char *const *texts, size_t count, const nd_allocator *allocator,
                        nd_globs **out, nd_error *error) {
    *out = NULL;
    if (count == 0) return ND_OK;
    nd_globs *globs = nd_allocate_zero(allocator, 1, sizeof *globs);
    if (!globs) return nd_fail_memory(error, sizeof *globs, "globs");
    globs->allocator = *allocator;
    nd_status status = ND_OK;
    for (size_t i = 0; i < count && status == ND_OK; i++) status = add_glob(globs, texts[i], error);
    if (status == ND_OK) *out = globs;
    else nd_globs_free(globs);
    return status;
}

void nd_globs_free(nd_globs *globs) {
    if (!globs) return;
    const nd_allocator allocator = globs->allocator, *a = &allocator;
    for (size_t i = 0; i < globs->count; i++) nd_release(a, globs->globs[i].steps);
    for (size_t i = 0; i < globs->text_count; i++) nd_release(a, globs->texts[i]);
    nd_release(a, globs->globs);
    nd_release(a, globs->texts);
    nd_release(a, globs);
}

/* ---- matching */

static bool is_in_set(const step *s, uint32_t character) {
    const char *at = s->set, *end = at + s->set_size;
    bool negated = at < end && (*at == '!' || *at == '^'), found = false;
    at += negated;
    while (at < end) {
        at += *at == '\\' && at + 1 < end;
        uint32_t low = next_character(&at, end), high = low;
        if (at + 1 < end && *at == '-') {
            at++;
            at += *at == '\\' && at + 1 < end;
            high = next_character(&at, end);
        }
        found = found || (low <= character && character <= high);
    }
    return found != negated;
}

/* Whether `character` takes the step, and *stays: may be followed by more of the same step. */
static bool takes(const step *s, uint32_t character, bool *stays) {
    *stays = s->kind == PARTS || s->kind == INSIDE || (s->kind == STAR && character != '/');
    switch (s->kind) {
    case CHARACTER: return character == s->character;
    case ANY: return character != '/';
    case SET: return character != '/' && is_in_set(s, character);
    case INSIDE: return true;
    default: return false; /* STAR, PARTS: left without a character */
    }
}

/* Adds the states that are reached from those that are, without a character. A step PARTS is left
 * only where a part begins. */
static void leave_freely(const glob *g, bool *states, bool part_begins) {
    for (size_t i = 0; i < g->count; i++) {
        step_kind kind = g->steps[i].kind;
        if (states[i] && (kind == STAR || (kind == PARTS && part_begins))) states[i + 1] = true;
    }
}

typedef bool match_states[MOST_STEPS + 2];

/* Goes from all states to those behind a character. `literally`: only a step that is the character
 * itself takes it. */
static void take_character(const glob *g, bool *states, uint32_t character, bool literally) {
    bool reached = false; /* by the step before */
    for (size_t i = 0; i < g->count; i++) {
        bool here = states[i] && (!literally || g->steps[i].kind == CHARACTER), stays = false;
        bool onward = here && takes(&g->steps[i], character, &stays);
        states[i] = reached || (here && stays);
        reached = onward;
    }
    states[g->count] = reached;
    leave_freely(g, states, character == '/');
}

/* Finds the states behind a path. `dot` at the beginning of a part is taken literally; 0: none is.
 */
static void read_path(const glob *g, const char *path, char dot, match_states states) {
    const char *at = path, *end = path + strlen(path);
    memset(states, 0, sizeof(match_states));
    states[0] = true;
    leave_freely(g, states, true);
    while (at < end) {
        bool begins = at == path || at[-1] == '/', literally = dot && begins && *at == dot;
        take_character(g, states, next_character(&at, end), literally);
    }
}

static bool matches(const glob *g, const char *path) {
    match_states states;
    read_path(g, path, 0, states);
    return states[g->count];
}

bool nd_globs_accept(const nd_globs *globs, const char *path, bool directory) {
    if (!globs) return true;
    for (size_t i = globs->count; i-- > 0;) {
        const glob *g = &globs->globs[i];
        if ((directory || !g->directories_only) && matches(g, path)) return !g->excludes;
    }
    return directory || !globs->includes;
}

/* Whether a glob names a file, or may name one in a directory. */
static bool names_path(const glob *g, char dot, const char *path, bool directory) {
    match_states states;
    read_path(g, path, dot, states);
    if (!directory) return !g->directories_only && states[g->count];
    take_character(g, states, '/', false);
    return memchr(states, true, g->count) != NULL;
}

bool nd_globs_name(const nd_globs *globs, char dot, const char *path, bool directory) {
    for (size_t i = 0; globs && i < globs->count; i++)
        if (!globs->globs[i].excludes && names_path(&globs->globs[i], dot, path, directory))
            return true;
    return false;
}

bool nd_is_glob(const char *name) { return strpbrk(name, "*?[{") != NULL; }
