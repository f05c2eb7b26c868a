/* A document that arrives in a stream: the part that clustering needs, and its record in the
 * stream's log (doc/internals/formats.md). */
#ifndef ND_STREAM_ARRIVAL_H
#define ND_STREAM_ARRIVAL_H

#include "neardup.h"

/* How its cluster is found. */
typedef enum nd_arrival_kind {
    ND_ARRIVAL_NEAREST = 0, /* by the fingerprint: the nearest centre within k, or a new cluster */
    ND_ARRIVAL_FOUNDS,      /* decided by the texts: it founds a cluster */
    ND_ARRIVAL_JOINS        /* decided by the texts: it joins the cluster of `leader` */
} nd_arrival_kind;

/* Pointers are not owned. */
typedef struct nd_arrival {
    nd_arrival_kind kind;
    const char *id;
    size_t id_length;
    double time;                /* seconds; NaN: none */
    nd_fingerprint fingerprint; /* 0 where clusters have none */
    const char *leader;         /* id of the cluster's first document */
    size_t leader_length;
    double similarity;          /* with that document */
    const unsigned char *words; /* for each distinct word: length (1 byte, at least 1), occurrences
                                   (16 bits), bytes */
    size_t word_bytes;
    const uint64_t *hashes; /* nd_hash_token of each word; NULL: not computed, as in the log */
    size_t word_count;      /* hashes */
} nd_arrival;

/* Bytes of the record. Ids are shorter than 2^32. */
size_t nd_arrival_size(const nd_arrival *arrival);
void nd_arrival_store(const nd_arrival *arrival, unsigned char *record);
/* *out points into the record. False: the bytes are not a record. */
bool nd_arrival_load(const unsigned char *record, size_t size, nd_arrival *out);

typedef struct nd_arrival_word {
    const unsigned char *bytes;
    uint32_t length, times;
} nd_arrival_word;
/* The next word; call with *at 0 first. False: there are no more. */
static inline bool nd_arrival_next_word(const nd_arrival *a, size_t *at, nd_arrival_word *out) {
    enum { HEAD = 3 };
    if (a->word_bytes - *at < HEAD) return false;
    const unsigned char *p = a->words + *at;
    uint32_t length = p[0];
    if (length == 0 || length > a->word_bytes - *at - HEAD) return false;
    *out = (nd_arrival_word){p + HEAD, length, p[1] | (uint32_t)p[2] << 8};
    *at += HEAD + length;
    return true;
}

#endif
