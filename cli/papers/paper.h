/* A paper (a query of neardup passages) with its passages, kept until its part of the page is
 * written. Of long texts, and of very many passages, only the beginning is kept. */
#ifndef CLI_PAPER_H
#define CLI_PAPER_H

#include "neardup.h"
#include "output/pair.h"

/* Bytes of the paper's text; passages; sources that have a number. */
enum { PAPER_TEXT = 1 << 20, PAPER_PASSAGES = 4000, PAPER_SOURCES = 500 };

/* NUL-terminated copies of a document's id and file. */
typedef struct paper_name {
    char *id, *file;
    size_t id_length;
    uint64_t line;
} paper_name;

typedef struct paper_source {
    paper_name name;
    uint64_t source; /* its number in the run */
    uint64_t found;
} paper_source;

/* A passage. Of a long text of its source the middle is left out. */
typedef struct paper_passage {
    paper_name name;
    piece where;          /* in the paper */
    size_t number;        /* of its source, from 1: the first has most of the paper; 0: none */
    uint64_t tokens;      /* in common */
    char *text;           /* NULL: the source is an index */
    size_t length, whole; /* bytes that are kept, and of all */
    size_t head;          /* bytes before the part that is left out; length: nothing is */
} paper_passage;

/* Zeros at first. */
typedef struct paper {
    nd_query_share share; /* its pointers are not valid; `name` and `text` are instead of them */
    paper_name name;
    char *text;
    size_t length; /* of the text that is kept */
    paper_source sources[PAPER_SOURCES];
    size_t source_count;
    paper_passage *passages; /* in the order of the paper */
    size_t passage_count, passage_capacity;
} paper;

/* Each is the body of a callback of nd_passages. False: out of memory. */
bool paper_begin(paper *p, const nd_query_share *share);
bool paper_add_source(paper *p, const nd_source_share *share);
bool paper_add_passage(paper *p, const nd_found_passage *found);
void paper_free(paper *p);

/* The parts of a long text that are shown: *head, and *tail, which is empty for a short one. */
void paper_parts(const char *text, piece where, piece *head, piece *tail);

#endif
