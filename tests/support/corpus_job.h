/* A job on a small corpus. */
#ifndef ND_TESTS_CORPUS_JOB_H
#define ND_TESTS_CORPUS_JOB_H

#include "job_parts.h"
#include "small_corpus.h"

/* The default options, with the corpus as the input, from its first document on. */
static inline job_parts corpus_job(corpus *c, uint32_t threads) {
    job_parts o;
    job_parts_init(&o);
    c->next = 0;
    o.input.records = give;
    o.input.records_context = c;
    o.resources.threads = threads;
    return o;
}

#endif
