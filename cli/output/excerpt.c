#include "output/excerpt.h"

#include "output/escape.h"

/* Characters of a long piece that are shown before and behind the cut. */
enum { SHOWN = 70 };

static bool is_blank(char c) { return (unsigned char)c <= ' ' || c == 0x7f; }

static bool goes_on(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

void print_line(FILE *out, const char *text, piece where) {
    for (size_t i = where.begin, next; i < where.end; i = next) {
        bool blank = is_blank(text[i]);
        for (next = i + 1; next < where.end && is_blank(text[next]) == blank;) next++;
        if (blank) putc(' ', out);
        else print_shown_text(out, text + i, next - i);
    }
}

/* The offset behind `characters` characters from `at` on, at most `end`. */
static size_t forward(const char *text, size_t at, size_t end, size_t characters) {
    while (at < end && (characters > 0 || goes_on(text[at]))) characters -= !goes_on(text[at++]);
    return at;
}

/* The offset of the first of `characters` characters before `at`, at least `begin`. */
static size_t backward(const char *text, size_t begin, size_t at, size_t characters) {
    while (at > begin && characters > 0) characters -= !goes_on(text[--at]);
    return at;
}

void excerpt_parts(const char *text, piece where, size_t characters, piece *head, piece *tail) {
    *head = (piece){where.begin, forward(text, where.begin, where.end, characters)};
    *tail = (piece){backward(text, head->end, where.end, characters), where.end};
    if (tail->begin > head->end) return;
    *head = where;
    *tail = (piece){where.end, where.end};
}

void print_excerpt(FILE *out, const char *text, piece where) {
    piece head, tail;
    excerpt_parts(text, where, SHOWN, &head, &tail);
    print_line(out, text, head);
    if (tail.end > tail.begin) fputs(" ... ", out);
    print_line(out, text, tail);
}

void print_beginning(FILE *out, const char *text, piece where, size_t characters) {
    size_t end = forward(text, where.begin, where.end, characters);
    print_line(out, text, (piece){where.begin, end});
    if (end < where.end) fputs(" ...", out);
}

piece trimmed_piece(const char *text, piece where) {
    while (where.begin < where.end && is_blank(text[where.begin])) where.begin++;
    while (where.begin < where.end && is_blank(text[where.end - 1])) where.end--;
    return where;
}

size_t character_begin(const char *text, size_t at) {
    while (at > 0 && goes_on(text[at])) at--;
    return at;
}
