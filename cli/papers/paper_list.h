/* The papers with the largest shares. Each is written for the page as soon as all its passages are
 * known, so that the passages of one paper are in memory at a time. */
#ifndef CLI_PAPER_LIST_H
#define CLI_PAPER_LIST_H

#include "papers/paper.h"
#include "report/report_words.h"

enum { PAPERS_LISTED = 100 };

typedef struct listed_paper {
    nd_query_share share; /* its pointers are not valid */
    char *id;
    char *html; /* the paper beside its sources, `size` bytes */
    size_t size;
} listed_paper;

/* Zeros at first, but for `language`. */
typedef struct paper_list {
    page_language language;
    listed_paper papers[PAPERS_LISTED]; /* the largest share first; equal ones in their order */
    size_t count;
    paper current; /* the one whose passages come */
    bool taken;    /* it will be in the list */
    bool no_memory;
} paper_list;

/* The bodies of the callbacks of nd_passages. False: out of memory. */
bool paper_list_query(paper_list *list, const nd_query_share *share);
bool paper_list_source(paper_list *list, const nd_source_share *share);
bool paper_list_passage(paper_list *list, const nd_found_passage *found);
/* After the last passage. */
bool paper_list_end(paper_list *list);
void paper_list_free(paper_list *list);

#endif
