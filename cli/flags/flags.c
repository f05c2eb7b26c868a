#include "flags/flags.h"

#include "output/complain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const flag help_flag_list[] = {
    {.name = "help", .letter = 'h', .kind = FLAG_HELP, .help = "this text"},
};

const flag_table help_flags = FLAG_TABLE("Help", help_flag_list);

/* ---- values */

static bool parse_number(const char *text, uint64_t *out) {
    uint64_t value = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}

/* Bytes of a unit: "" is 1, K and KiB are 1024, KB is 1000, and so on with M, G and T; 0: not a
 * unit. */
static uint64_t unit_bytes(const char *unit) {
    static const char letters[] = "KMGT";
    if (!*unit) return 1;
    const char *at = strchr(letters, *unit >= 'a' ? *unit - 'a' + 'A' : *unit);
    bool binary = !unit[1] || strcmp(unit + 1, "iB") == 0;
    if (!at || (!binary && strcmp(unit + 1, "B") != 0)) return 0;
    uint64_t bytes = 1;
    for (const char *letter = letters; letter <= at; letter++) bytes *= binary ? 1024 : 1000;
    return bytes;
}

static bool parse_size(const char *text, uint64_t *out) {
    size_t whole = strspn(text, "0123456789"), length = whole;
    if (text[length] == '.') length += 1 + strspn(text + length + 1, "0123456789");
    uint64_t unit = unit_bytes(text + length);
    if (whole == 0 || text[length - 1] == '.' || (length > whole && unit == 1) || unit == 0)
        return false;
    long double bytes = strtold(text, NULL) * (long double)unit;
    if (bytes >= 18446744073709551616.0L) return false;
    *out = (uint64_t)bytes;
    return true;
}

static bool parse_real(const char *text, double *out) {
    if (text[strspn(text, "0123456789.eE+-")]) return false; /* no hexadecimal, infinity or NaN */
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end;
}

static bool parse_duration(const char *text, double *out) {
    static const char letters[] = "smhdw";
    static const double seconds[] = {1, 60, 3600, 86400, 7 * 86400};
    uint64_t number;
    char digits[24];
    size_t length = strspn(text, "0123456789");
    const char *unit = text[length] ? strchr(letters, text[length]) : letters;
    if (length == 0 || length >= 10 || !unit || (text[length] && text[length + 1])) return false;
    memcpy(digits, text, length);
    digits[length] = 0;
    if (!parse_number(digits, &number)) return false;
    *out = (double)number * seconds[unit - letters];
    return true;
}

size_t choice_next(const char **cursor, const char **word) {
    *word = *cursor;
    size_t length = strcspn(*cursor, "|");
    *cursor += length + ((*cursor)[length] == '|');
    return length;
}

static unsigned choice_value(const flag *f, unsigned index) {
    return f->values ? f->values[index] : index;
}

static bool parse_choice(const flag *f, const char *text, char *part) {
    const char *cursor = f->choices, *word;
    size_t length;
    for (unsigned index = 0; (length = choice_next(&cursor, &word)); index++) {
        const char *colon = memchr(word, ':', length);
        size_t fixed = colon ? (size_t)(colon - word) + 1 : length;
        if (strncmp(text, word, fixed) != 0 || (text[fixed] != 0) != (colon != NULL)) continue;
        unsigned value = choice_value(f, index);
        memcpy(part + f->offset, &value, sizeof value);
        if (f->detail) {
            const char *detail = colon ? text + fixed : NULL;
            memcpy(part + f->detail, &detail, sizeof detail);
        }
        return true;
    }
    return false;
}

/* A text that lasts as long as the process. */
static const char *with_prefix(const char *prefix, const char *text) {
    static char *kept[NAMES_MOST];
    static size_t count;
    if (!prefix || count == NAMES_MOST) return text;
    size_t size = strlen(prefix) + strlen(text) + 1;
    char *joined = kept[count++] = malloc(size);
    if (joined) snprintf(joined, size, "%s%s", prefix, text);
    return joined;
}

/* False: there are too many, or memory is missing. */
static bool add_name(name_list *list, const char *name) {
    if (!list->given) list->count = 0;
    list->given = true;
    if (list->count == NAMES_MOST || !name) return false;
    list->names[list->count++] = name;
    return true;
}

/* False: outside the range. */
static bool flag_store(const flag *f, const char *text, char *part) {
    uint64_t number = 0;
    double real = 0;
    void *value = part + f->offset;
    switch (f->kind) {
    case FLAG_HELP: return true;
    case FLAG_SWITCH: *(bool *)value = true; return true;
    case FLAG_COUNT:
        if (!parse_number(text, &number) || number < f->low || number > f->high) return false;
        *(uint32_t *)value = (uint32_t)number;
        return true;
    case FLAG_NUMBER:
        if (!parse_number(text, &number) || number < f->low || number > f->high) return false;
        *(uint64_t *)value = number;
        return true;
    case FLAG_SIZE:
        if (!parse_size(text, &number) || number < f->low || (f->high && number > f->high))
            return false;
        *(uint64_t *)value = number;
        return true;
    case FLAG_AMOUNT:
        if (!parse_real(text, &real) || !(real >= (double)f->low && real <= (double)f->high))
            return false;
        *(double *)value = real;
        return true;
    case FLAG_DURATION:
        if (!parse_duration(text, &real)) return false;
        *(double *)value = real;
        return true;
    case FLAG_SHARE:
        if (!parse_real(text, &real) || !(real > 0 && real <= 1) || (real == 1 && !f->one))
            return false;
        *(double *)value = real;
        return true;
    case FLAG_CHOICE: return parse_choice(f, text, part);
    case FLAG_FIELDS:
    case FLAG_INPUTS:
    case FLAG_LISTS: return *text && add_name(value, text);
    case FLAG_VALUES: return *text != '=' && strchr(text, '=') && add_name(value, text);
    case FLAG_GLOBS: return *text && add_name(value, with_prefix(f->prefix, text));
    case FLAG_FILE:
        if (strcmp(text, "-") == 0) return false;
        break;
    case FLAG_FIELD:
    case FLAG_NAME:
    case FLAG_OUTPUT:
    case FLAG_INPUT:
    case FLAG_DIRECTORY: break;
    }
    if (!*text) return false;
    *(const char **)value = text;
    return true;
}

/* ---- words about a flag */

static void size_text(uint64_t bytes, char *text, size_t size) {
    int unit = 0;
    for (; unit < 4 && bytes && bytes % 1024 == 0; unit++) bytes /= 1024;
    snprintf(text, size, "%llu%.*s", (unsigned long long)bytes, unit > 0, &" KMGT"[unit]);
}

static void choices_text(const char *choices, char *text, size_t size) {
    const char *cursor = choices, *word;
    size_t length, used = 0;
    for (text[0] = 0; used < size && (length = choice_next(&cursor, &word));) {
        const char *joint = used == 0 ? "" : *cursor ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", joint, (int)length, word);
    }
}

/* The bare limits, for help: "" where there are none worth a word. */
static void limits_text(const flag *f, char *text, size_t size) {
    char low[32], high[32] = "";
    text[0] = 0;
    if (f->kind == FLAG_COUNT && f->high < UINT32_MAX) {
        snprintf(text, size, "%llu to %llu", (unsigned long long)f->low,
                 (unsigned long long)f->high);
    } else if (f->kind == FLAG_SIZE) {
        size_text(f->low, low, sizeof low);
        size_text(f->high, high, sizeof high);
        snprintf(text, size, "at least %s%s%s", low, f->high ? " and at most " : "",
                 f->high ? high : "");
    } else if (f->kind == FLAG_SHARE) {
        snprintf(text, size, "above 0 and %s 1", f->one ? "at most" : "below");
    }
}

void flag_range(const flag *f, char *text, size_t size) {
    char limits[120];
    limits_text(f, limits, sizeof limits);
    switch (f->kind) {
    case FLAG_HELP:
    case FLAG_SWITCH: snprintf(text, size, "given without a value"); break;
    case FLAG_COUNT:
    case FLAG_NUMBER:
        snprintf(text, size, "a whole number from %llu to %llu", (unsigned long long)f->low,
                 (unsigned long long)f->high);
        break;
    case FLAG_SIZE:
        snprintf(text, size, "a size of %s, such as 512M or 1.5G (2^30) or 2GB (10^9)", limits);
        break;
    case FLAG_AMOUNT:
        snprintf(text, size, "a number from %g to %g, such as 1000000 or 8e9", (double)f->low,
                 (double)f->high);
        break;
    case FLAG_DURATION: snprintf(text, size, "a time such as 45s, 15m, 36h, 30d or 4w"); break;
    case FLAG_SHARE: snprintf(text, size, "%s", limits); break;
    case FLAG_CHOICE: choices_text(f->choices, text, size); break;
    case FLAG_FIELD:
    case FLAG_FIELDS: snprintf(text, size, "a field's name, or a JSON Pointer"); break;
    case FLAG_VALUES:
        snprintf(text, size, "%s; at most %d of them", f->argument,
                 f->high > 0 ? (int)f->high : NAMES_MOST);
        break;
    case FLAG_LISTS:
        snprintf(text, size, "words with commas between them; at most %d lists", NAMES_MOST);
        break;
    case FLAG_GLOBS: snprintf(text, size, "a glob; at most %d of them", NAMES_MOST); break;
    case FLAG_INPUTS:
        snprintf(text, size, "the name of a file, or - for standard input; at most %d of them",
                 NAMES_MOST);
        break;
    case FLAG_NAME: snprintf(text, size, "a name"); break;
    case FLAG_FILE: snprintf(text, size, "the name of a file"); break;
    case FLAG_OUTPUT: snprintf(text, size, "the name of a file, or - for standard output"); break;
    case FLAG_INPUT: snprintf(text, size, "the name of a file, or - for standard input"); break;
    case FLAG_DIRECTORY: snprintf(text, size, "the name of a directory"); break;
    }
}

static void choice_text(const flag *f, unsigned value, char *text, size_t size) {
    const char *cursor = f->choices, *word;
    size_t length;
    for (unsigned index = 0; (length = choice_next(&cursor, &word)); index++)
        if (choice_value(f, index) == value) snprintf(text, size, "%.*s", (int)length, word);
}

void flag_default(const flag *f, const void *part, char *text, size_t size) {
    const void *value = (const char *)part + f->offset;
    const char *string;
    text[0] = 0;
    if (f->fallback) {
        snprintf(text, size, "%s", f->fallback);
        return;
    }
    switch (f->kind) {
    case FLAG_HELP:
    case FLAG_VALUES:
    case FLAG_LISTS:
    case FLAG_GLOBS:
    case FLAG_INPUTS:
    case FLAG_SWITCH: break;
    case FLAG_COUNT: snprintf(text, size, "%u", (unsigned)*(const uint32_t *)value); break;
    case FLAG_NUMBER:
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)value);
        break;
    case FLAG_SIZE: size_text(*(const uint64_t *)value, text, size); break;
    case FLAG_AMOUNT:
    case FLAG_DURATION:
    case FLAG_SHARE: snprintf(text, size, "%.15g", *(const double *)value); break;
    case FLAG_CHOICE: choice_text(f, *(const unsigned *)value, text, size); break;
    case FLAG_FIELDS: snprintf(text, size, "%s", ((const name_list *)value)->names[0]); break;
    case FLAG_FIELD:
    case FLAG_NAME:
    case FLAG_FILE:
    case FLAG_OUTPUT:
    case FLAG_INPUT:
    case FLAG_DIRECTORY:
        string = *(const char *const *)value;
        if (string) snprintf(text, size, "%s", string);
        break;
    }
}

void flag_explain(const flag *f, const void *part, char *text, size_t size) {
    char limits[120], value[120];
    limits_text(f, limits, sizeof limits);
    flag_default(f, part, value, sizeof value);
    size_t used = (size_t)snprintf(text, size, "%s", f->help);
    const char *units = f->kind == FLAG_SIZE ? "; G: 2^30, GB: 10^9" : "";
    if (used >= size || (!*limits && !*value)) return;
    snprintf(text + used, size - used, " (%s%s%s%s%s)", limits, *limits && *value ? "; " : "",
             *value ? "default: " : "", value, units);
}

bool flag_group_opens(const flag_group *groups, const flag_group *group) {
    return group == groups || strcmp(group[-1].table->title, group->table->title) != 0;
}

size_t flag_brief(const flag *f) { return strcspn(f->help, ".;"); }

const char *flag_argument(const flag *f) {
    return f->kind == FLAG_CHOICE ? f->choices : f->argument;
}

/* ---- checks of a list */

/* Bytes of a value of this kind. */
static size_t value_size(flag_kind kind) {
    switch (kind) {
    case FLAG_HELP: return 0;
    case FLAG_SWITCH: return sizeof(bool);
    case FLAG_COUNT: return sizeof(uint32_t);
    case FLAG_NUMBER:
    case FLAG_SIZE: return sizeof(uint64_t);
    case FLAG_AMOUNT:
    case FLAG_DURATION:
    case FLAG_SHARE: return sizeof(double);
    case FLAG_CHOICE: return sizeof(unsigned);
    case FLAG_FIELDS:
    case FLAG_VALUES:
    case FLAG_LISTS:
    case FLAG_GLOBS:
    case FLAG_INPUTS: return sizeof(name_list);
    case FLAG_FIELD:
    case FLAG_NAME:
    case FLAG_FILE:
    case FLAG_OUTPUT:
    case FLAG_INPUT:
    case FLAG_DIRECTORY: break;
    }
    return sizeof(const char *);
}

/* Whether a flag before this one has its name or its letter. */
static bool is_repeated(const flag_group *groups, const flag_group *own_group, const flag *own) {
    FOR_EACH_FLAG(groups, group, f) {
        if (group == own_group && f == own) return false;
        if (strcmp(f->name, own->name) == 0 || (own->letter && f->letter == own->letter))
            return true;
    }
    return false;
}

static bool lies_in(const flag_group *group, const flag *f, size_t size) {
    return f->kind == FLAG_HELP ||
           (group->part + f->offset + value_size(f->kind) <= size &&
            (!f->detail || group->part + f->detail + sizeof(const char *) <= size));
}

const char *flags_wrong(const flag_group *groups, size_t size) {
    FOR_EACH_FLAG(groups, group, f) {
        if (is_repeated(groups, group, f) || !lies_in(group, f, size)) return f->name;
    }
    return NULL;
}

/* ---- the parser */

const flag *flag_by_name(const flag_group *groups, const char *name, size_t length) {
    FOR_EACH_FLAG(groups, group, f) {
        if (strlen(f->name) == length && memcmp(f->name, name, length) == 0) return f;
    }
    return NULL;
}

static const flag *flag_by_letter(const flag_group *groups, const char *argument) {
    FOR_EACH_FLAG(groups, group, f) {
        if (f->letter == argument[1] && (!argument[2] || !flag_is_bare(f))) return f;
    }
    return NULL;
}

/* The flag that an argument names; *value is the text behind '=' or the letter, else NULL. */
static const flag *flag_find(const flag_group *groups, const char *argument, const char **value) {
    *value = NULL;
    if (argument[1] != '-') {
        if (argument[2]) *value = argument + 2;
        return flag_by_letter(groups, argument);
    }
    const char *name = argument + 2;
    size_t length = strcspn(name, "=");
    if (name[length]) *value = name + length + 1;
    return flag_by_name(groups, name, length);
}

/* Where the settings have the part of a flag. */
static char *part_of(const flag_group *groups, const flag *wanted, void *settings) {
    FOR_EACH_FLAG(groups, group, f) {
        if (f == wanted) return (char *)settings + group->part;
    }
    return settings;
}

bool flag_is_given(const flags_given *given, const char *name) {
    for (size_t i = 0; i < given->count; i++)
        if (strcmp(given->list[i]->name, name) == 0) return true;
    return false;
}

const char *flag_first_given(const flags_given *given, const char *const *names) {
    while (*names && !flag_is_given(given, *names)) names++;
    return *names;
}

/* False: it was given before, and that is reported. */
static bool flag_note(flags_given *given, const flag *f) {
    bool again = flag_is_given(given, f->name);
    if (again && value_size(f->kind) != sizeof(name_list)) {
        complain("--%s: given twice", f->name);
        return false;
    }
    if (!again && given->count < FLAGS_MOST) given->list[given->count++] = f;
    return true;
}

/* Stores the flag's value, which is `value` or else `next`, the next argument (NULL: there is
 * none). *used: whether it was the next one. False: reported. */
static bool flag_take(const flag *f, const char *value, const char *next, char *part, bool *used) {
    char range[160];
    flag_range(f, range, sizeof range);
    *used = !flag_is_bare(f) && !value;
    /* In "--removed --json" a name was forgotten; "--removed=--json" is a file of that name. */
    if (*used && (!next || strncmp(next, "--", 2) == 0)) {
        complain("--%s: a value is missing: must be %s", f->name, range);
        return false;
    }
    if (*used) value = next;
    if ((!flag_is_bare(f) || !value) && flag_store(f, value, part)) return true;
    complain("--%s %s: must be %s", f->name, *value ? value : "\"\"", range);
    return false;
}

bool flags_parse(const flag_group *groups, int count, char **arguments, void *settings,
                 flags_given *given) {
    bool ended = false;
    given->count = 0;
    given->operands = 0;
    given->unknown = NULL;
    for (int i = 0; i < count; i++) {
        char *argument = arguments[i];
        const char *value, *next = i + 1 < count ? arguments[i + 1] : NULL;
        bool used;
        if (ended || argument[0] != '-' || !argument[1]) {
            arguments[given->operands++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            ended = true;
            continue;
        }
        const flag *f = flag_find(groups, argument, &value);
        if (!f) {
            given->unknown = argument;
            return false;
        }
        if (!flag_note(given, f) || !flag_take(f, value, next, part_of(groups, f, settings), &used))
            return false;
        i += used;
    }
    return true;
}
