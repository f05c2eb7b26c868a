/* neardup.h: near-duplicate text detection. This header and the headers that it includes are the
 * whole interface of libneardup.
 *
 * The way of a document:
 *
 *     text -> nd_analyze -> shingle set -> nd_minhash_sign -> signature -> bands -> candidates
 *          -> exact Jaccard similarity -> decision
 *
 * Each step is a call of its own. nd_dedup() and nd_pairs() do all steps over any number of
 * documents in bounded memory.
 *
 *     neardup/base.h           status, error, allocator, version
 *     neardup/text.h           text to tokens, shingles and sentences
 *     neardup/terms.h          weights of words, stop words
 *     neardup/sketch.h         MinHash, bottom-k, SimHash, longest sentences, LSH bands
 *     neardup/tlsh.h           TLSH digests and their distance
 *     neardup/similarity.h     sets and exact similarity; comparison of two texts
 *     neardup/hamming.h        planner of the tables of an exact Hamming search
 *     neardup/job.h            jobs over any number of documents: input, resources, summary
 *     neardup/extract.h        jobs that return texts, fingerprints, signatures, words, keywords
 *     neardup/dedup.h          jobs that find duplicates: nd_dedup, nd_pairs
 *     neardup/exact.h          the job that finds identical documents: nd_exact
 *     neardup/audit.h          the job that checks them on a sample: nd_audit
 *     neardup/tune.h           the job that helps to choose a threshold: nd_tune
 *     neardup/passages.h       the job that finds shared passages
 *     neardup/repeats.h        the job that finds what repeats inside documents
 *     neardup/index.h          an index of documents that grows
 *     neardup/hamming_index.h  an index of fingerprints that grows, and joins
 *     neardup/stream.h         a stream that is clustered as it arrives
 *
 * Errors. A function that can fail returns nd_status and fills the caller's nd_error (NULL: no
 * message wanted). After a failure the outputs are unchanged, unless the comment says otherwise.
 * Every function that allocates may return ND_ERR_MEMORY; comments list the other errors. The
 * library never prints and never exits.
 *
 * Arguments. A value out of its range is ND_ERR_ARGUMENT: a number (also NaN and infinity), an
 * unknown constant of an enum, a pointer that is NULL where the comment does not allow NULL. A
 * text, an id or an array may be NULL if its length is 0. A function without a status needs valid
 * pointers; its comment says what numbers out of range do. X_free and X_close accept NULL.
 *
 * Options. A structure of options begins with `struct_size`. nd_X_options_init(&options, sizeof
 * options) sets it and all defaults. A structure without such a function is all 0 except
 * struct_size: nd_dedup_options o = {.struct_size = sizeof o}. Options point to other options; NULL
 * means the defaults. The library reads options during the call and copies all that it keeps.
 * Strings, callbacks, dictionaries, tables and stop words that options point to must stay valid
 * during the call, or longer if the comment says so.
 *
 * Growth. A later version may append members to a structure with struct_size. A program that was
 * compiled with another version stays valid: members that the program does not know have their
 * defaults; members that the library does not know must be 0, else ND_ERR_ARGUMENT. The caller also
 * sets struct_size of a structure for results; the library fills it no further. A structure that
 * the library returns by pointer may grow, too, but an element of an array may not. Other
 * structures never change.
 *
 * Memory. nd_X_create makes a handle, and nd_X_free frees it. Pointers inside a structure belong to
 * the handle that filled it, and stay valid as long as the comment says. The library takes all heap
 * memory from the nd_allocator that it is given, and copies that structure (NULL, or a function
 * without one: malloc, realloc, free). Exceptions: simdjson, zstd, isa-l, libdeflate, zlib,
 * libcrypto, ICU and libstemmer take memory themselves; so does the C library to read directories,
 * to sort (qsort), to load ICU, DuckDB and what DuckDB needs, and to start threads.
 *
 * Threads. "Thread-safe": any number of threads may use one handle at once. "Thread-compatible":
 * one thread at a time may use a handle; different threads may use different handles at once.
 * "REQUIRES:" begins a condition that the caller must meet and that the call does not check. Every
 * call works on a stack of 128 KiB, and leaves 16 KiB of it to a callback. Threads that the library
 * starts have stacks of the system's default size.
 *
 * Text is UTF-8. Its length is given in bytes. It may contain NUL, and needs no terminator.
 *
 * Sameness. Equal arguments give equal results on every processor, instruction set and byte order,
 * and at any number of threads. The host program's locale, rounding mode and treatment of subnormal
 * numbers change nothing: the library formats as the C locale does, and computes, and calls back,
 * in the default floating-point environment. It restores the host's environment when it returns. */
#ifndef NEARDUP_H
#define NEARDUP_H

#include "neardup/audit.h"
#include "neardup/base.h"
#include "neardup/dedup.h"
#include "neardup/distributed.h"
#include "neardup/exact.h"
#include "neardup/extract.h"
#include "neardup/hamming.h"
#include "neardup/hamming_index.h"
#include "neardup/index.h"
#include "neardup/job.h"
#include "neardup/passages.h"
#include "neardup/repeats.h"
#include "neardup/similarity.h"
#include "neardup/sketch.h"
#include "neardup/stream.h"
#include "neardup/terms.h"
#include "neardup/text.h"
#include "neardup/tlsh.h"
#include "neardup/tune.h"

#endif
