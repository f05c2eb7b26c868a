/* A document that arrives in a stream: what clustering needs of it, as a record of the stream's log
 * (doc/formats.md). */
#ifndef ND_STREAM_ARRIVAL_H
#define ND_STREAM_ARRIVAL_H

#include "neardup.h"

/* Where it goes. */
typedef enum nd_arrival_kind {
    ND_ARRIVAL_NEAREST = 0, /* to the nearest centre within k, or it founds a cluster */
    ND_ARRIVAL_FOUNDS,      /* decided by the texts: it founds one, */
    ND_ARRIVAL_JOINS        /* or joins that of `leader` */
} nd_arrival_kind;

typedef struct nd_arrival {
    nd_arrival_kind kind;
    const char *id;
    size_t id_length;
    double time; /* seconds; NaN: it has none */
    nd_fingerprint fingerprint;
    const char *leader; /* id of the cluster's first document */
    size_t leader_length;
    double similarity;
    const unsigned char *
        words; /* each distinct word: length (1 byte, at least 1), how often (16 bits), its bytes */
    size_t word_bytes;
} nd_arrival;

/* Bytes of the record; ids are shorter than 2^32. */
size_t nd_arrival_size(const nd_arrival *arrival);
void nd_arrival_store(const nd_arrival *arrival, unsigned char *record);
/* What it points to lies in the record. False: this is none. */
bool nd_arrival_load(const unsigned char *record, size_t size, nd_arrival *out);

/* The next word; at begins as 0. False: there are no more. */
typedef struct nd_arrival_word {
    const unsigned char *bytes;
    uint32_t length, times;
} nd_arrival_word;
bool nd_arrival_next_word(const nd_arrival *arrival, size_t *at, nd_arrival_word *out);

#endif
