#include "manual/find_command.h"

#include "manual/suggest.h"
#include "output/complain.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HINT = 400 };

/* Words of earlier versions, and flags that one might expect. */
static const struct {
    const char *word, *hint;
} known_words[] = {
    {"build", "neardup hamming create DIR FINGERPRINTS makes an index from a file"},
    {"--idf", "a table of weights goes to --weights tfidf:FILE"},
    {"--work-dir", "the directory for temporary files goes to --work"},
    {"--output", "redirect standard output to a file"},
};

static const char *known_word(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof known_words / sizeof *known_words; i++)
        if (strlen(known_words[i].word) == length && memcmp(known_words[i].word, word, length) == 0)
            return known_words[i].hint;
    return NULL;
}

/* Appends to a text that is cut at HINT bytes. */
static void append(char text[static HINT], const char *format, const char *name) {
    size_t used = strlen(text);
    snprintf(text + used, HINT - used, format, name);
}

/* Calls fn for each command that is no family. */
static void for_each_command(const command *const *commands,
                             void fn(void *context, const command *c), void *context) {
    for (const command *const *c = commands; *c; c++) {
        if (!(*c)->members) fn(context, *c);
        for (const command *const *member = (*c)->members; member && *member; member++)
            fn(context, *member);
    }
}

/* ---- commands */

typedef struct word_search {
    const char *word;
    char hint[HINT]; /* the members of families with that word */
} word_search;

static void note_member(void *context, const command *c) {
    word_search *s = context;
    if (command_word(c) == c->name || strcmp(command_word(c), s->word) != 0) return;
    append(s->hint, *s->hint ? " or neardup %s" : "did you mean neardup %s", c->name);
}

/* A hint for a word that names no command of a list, into `hint`. */
static void hint_at_command(const command *const *commands, const command *family, const char *word,
                            char hint[static HINT]) {
    suggestion best = {.typed = word, .length = strlen(word)};
    word_search search = {.word = word};
    const char *known = known_word(word, strlen(word)), *name = family ? family->name : "",
               *space = family ? " " : "";
    for (const command *const *c = family ? family->members : commands; *c; c++)
        suggestion_offer(&best, command_word(*c));
    if (!family) for_each_command(commands, note_member, &search);
    if (known) snprintf(hint, HINT, "%s", known);
    else if (*search.hint) snprintf(hint, HINT, "%.*s?", HINT - 2, search.hint);
    else if (best.word)
        snprintf(hint, HINT, "did you mean neardup %s%s%s?", name, space, best.word);
    else if (!family && access(word, F_OK) == 0)
        snprintf(hint, HINT, "it is a file; did you mean neardup dedup %s?", word);
    else snprintf(hint, HINT, "neardup help%s%s lists the commands", space, name);
}

/* The member of a family, or of the program (NULL), that a word names; NULL: none, and reported. */
static const command *find_member(const command *const *commands, const command *family,
                                  const char *word) {
    char hint[HINT] = "";
    for (const command *const *c = family ? family->members : commands; *c; c++)
        if (strcmp(command_word(*c), word) == 0) return *c;
    hint_at_command(commands, family, word, hint);
    complain("%s%s%s: unknown %s; %s", family ? family->name : "", family ? " " : "", word,
             word[0] == '-' ? "option" : "command", hint);
    return NULL;
}

const command *command_find(const command *const *commands, int count, char *const *words,
                            int *used) {
    const command *c = find_member(commands, NULL, words[0]);
    for (*used = 1; c && c->members && *used < count && words[*used][0] != '-'; ++*used)
        c = find_member(commands, c, words[*used]);
    return c;
}

bool command_named(const invocation *call, const command **out) {
    int used = 0;
    *out = call->count ? command_find(call->commands, call->count, call->operands, &used) : NULL;
    if (call->count && !*out) return false;
    if (used < call->count)
        complain("%s: unexpected argument %s", call->self->name, call->operands[used]);
    return used == call->count;
}

/* ---- flags */

typedef struct flag_search {
    const char *name; /* without dashes */
    size_t length;
    int found;
    char hint[HINT];
} flag_search;

enum { NAMED_MOST = 3 };

static void note_owner(void *context, const command *c) {
    flag_search *s = context;
    if (!flag_by_name(c->groups, s->name, s->length)) return;
    s->found++;
    if (s->found == 1) append(s->hint, "it belongs to neardup %s", c->name);
    else if (s->found <= NAMED_MOST) append(s->hint, ", neardup %s", c->name);
    else if (s->found == NAMED_MOST + 1) append(s->hint, "%s", " and others");
}

void report_unknown_flag(const command *const *commands, const command *c, const char *argument) {
    size_t dashes = strspn(argument, "-"), length = strcspn(argument + dashes, "=");
    const char *name = argument + dashes;
    suggestion best = {.typed = name, .length = length};
    flag_search owners = {.name = name, .length = length};
    FOR_EACH_FLAG(c->groups, group, f) suggestion_offer(&best, f->name);
    if (dashes == 2) for_each_command(commands, note_owner, &owners);
    const char *known = dashes == 2 ? known_word(argument, dashes + length) : NULL;
    char hint[HINT];
    /* The summary was --json once; a flag of results is not what such a command has. */
    if (length == 4 && memcmp(name, "json", 4) == 0 && c->summary_of != SUMMARY_NONE)
        snprintf(hint, HINT, "the summary goes as JSON to --summary FILE");
    else if (known) snprintf(hint, HINT, "%s", known);
    else if (best.word && best.distance <= 1) snprintf(hint, HINT, "did you mean --%s?", best.word);
    else if (owners.found) snprintf(hint, HINT, "%s", owners.hint);
    else if (best.word) snprintf(hint, HINT, "did you mean --%s?", best.word);
    else snprintf(hint, HINT, "neardup help %s lists the options", c->name);
    complain("%.*s: unknown option; %s", (int)(dashes + length), argument, hint);
}
