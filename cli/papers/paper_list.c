#include "papers/paper_list.h"

#include "papers/paper_html.h"

#include <stdlib.h>
#include <string.h>

/* Both counts are below 2^32. */
static bool has_larger_share(const nd_query_share *a, const nd_query_share *b) {
    return a->found * b->tokens > b->found * a->tokens;
}

static void free_listed(listed_paper *p) {
    free(p->id);
    free(p->html);
}

/* Writes the current paper. */
static bool write_current(paper_list *list, listed_paper *out) {
    const paper *p = &list->current;
    *out = (listed_paper){.share = p->share, .id = malloc(p->name.id_length + 1)};
    FILE *html = open_memstream(&out->html, &out->size);
    bool good = html && out->id && paper_put(html, p, p->share.query + 1, list->language);
    if (html) good = fclose(html) == 0 && good;
    if (good) memcpy(out->id, p->name.id, p->name.id_length + 1);
    else free_listed(out);
    return good;
}

/* Puts the current paper into its place, and drops the last one of a full list. */
static bool list_current(paper_list *list) {
    listed_paper written;
    if (!list->taken) return true;
    list->taken = false;
    if (!write_current(list, &written)) return false;
    if (list->count == PAPERS_LISTED) free_listed(&list->papers[--list->count]);
    size_t at = list->count++;
    for (; at > 0 && has_larger_share(&written.share, &list->papers[at - 1].share); at--)
        list->papers[at] = list->papers[at - 1];
    list->papers[at] = written;
    return true;
}

static bool note(paper_list *list, bool done) {
    list->no_memory |= !done;
    return done;
}

bool paper_list_query(paper_list *list, const nd_query_share *share) {
    if (!note(list, list_current(list))) return false;
    const nd_query_share *last = &list->papers[PAPERS_LISTED - 1].share;
    list->taken = share->found > 0 &&
                  (list->count < PAPERS_LISTED || has_larger_share(share, last));
    return note(list, !list->taken || paper_begin(&list->current, share));
}

bool paper_list_source(paper_list *list, const nd_source_share *share) {
    return note(list, !list->taken || paper_add_source(&list->current, share));
}

bool paper_list_passage(paper_list *list, const nd_found_passage *found) {
    return note(list, !list->taken || paper_add_passage(&list->current, found));
}

bool paper_list_end(paper_list *list) { return note(list, list_current(list)); }

void paper_list_free(paper_list *list) {
    for (size_t i = 0; i < list->count; i++) free_listed(&list->papers[i]);
    paper_free(&list->current);
    list->count = 0;
}
