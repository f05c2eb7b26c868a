#include "output/difference_print.h"

#include "output/excerpt.h"
#include "output/numbers.h"

static const char *const colours[] = {"\033[31m", "\033[32m"};

void print_difference_count(FILE *out, const nd_difference_list *list) {
    char count[32];
    if (list->count == 0) {
        fprintf(out, "no differences: %s",
                list->a_tokens > 0 ? "all tokens are the same" : "the texts have no tokens");
        return;
    }
    /* Rounded down: only equal texts have 100 %. */
    uint64_t thousandths = UINT64_C(2000) * list->same_tokens / (list->a_tokens + list->b_tokens);
    fprintf(out, "%s difference%s%s, %u.%u %% of the tokens are the same",
            number_grouped(list->count, count), list->count == 1 ? "" : "s",
            list->shortest ? "" : " or fewer", (unsigned)(thousandths / 10),
            (unsigned)(thousandths % 10));
}

static bool is_empty(piece p) { return p.begin == p.end; }

/* Prints the words of one text. */
static void print_hunk(FILE *out, const differing *texts, const difference_hunk *hunk, int side,
                       bool colour) {
    const char *text = texts->texts[side];
    piece where = hunk->places[side];
    bool begins = where.begin == 0, ends = where.end == texts->lengths[side];
    where = trimmed_piece(text, where);
    fprintf(out, "  %s%s", side == 0 ? "- " : "+ ", begins ? "" : "... ");
    for (size_t i = hunk->first; i < hunk->first + hunk->count; i++) {
        piece differs = difference_piece(&texts->list->differences[i], side);
        if (is_empty(differs)) continue;
        print_line(out, text, (piece){where.begin, differs.begin});
        fprintf(out, "%s[", colour ? colours[side] : "");
        print_excerpt(out, text, differs);
        fprintf(out, "]%s", colour ? "\033[0m" : "");
        where.begin = differs.end;
    }
    print_line(out, text, where);
    fputs(ends ? "\n" : " ...\n", out);
}

static bool has_tokens(const differing *texts, const difference_hunk *hunk, int side) {
    bool has = false;
    for (size_t i = hunk->first; i < hunk->first + hunk->count; i++)
        has |= !is_empty(difference_piece(&texts->list->differences[i], side));
    return has;
}

bool print_differences(FILE *out, const differing *texts, const difference_form *form) {
    difference_hunks hunks;
    difference_hunk hunk;
    char number[32];
    if (!difference_hunks_open(&hunks, texts, form->words, form->most)) return false;
    while (difference_hunks_next(&hunks, &hunk))
        for (int side = 0; side < 2; side++)
            if (has_tokens(texts, &hunk, side)) print_hunk(out, texts, &hunk, side, form->colour);
    difference_hunks_close(&hunks);
    size_t rest = texts->list->count - hunks.most;
    if (rest > 0) fprintf(out, "  and %s more\n", number_grouped(rest, number));
    return true;
}
