/* The flags of fingerprints: their length, their files, and the distance within which they are
 * near. */
#ifndef CLI_FINGERPRINT_FLAGS_H
#define CLI_FINGERPRINT_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

/* No -k was given: each command has its own rule for that. */
enum { K_UNSET = UINT32_MAX };

/* The members that a flag of fingerprints needs; every struct that has such flags begins with it.
 */
typedef struct fingerprint_settings {
    unsigned bits;                   /* 16, 32, 64 or 128 */
    uint32_t k;                      /* or K_UNSET */
    nd_fingerprint_file file_format; /* ND_FINGERPRINTS_HEX ... */
    uint64_t tables;                 /* bytes that the tables of a query may take; 0: no limit */
} fingerprint_settings;

extern const flag_table bits_flags;   /* --bits, of the title "Fingerprints" */
extern const flag_table format_flags; /* --format */
extern const flag_table tables_flags; /* --tables */

extern const unsigned fingerprint_lengths[];
#define BITS_FLAG(more)                                                                            \
    {                                                                                              \
        .name = "bits", .kind = FLAG_CHOICE, .choices = "16|32|64|128",                            \
        .values = fingerprint_lengths, .offset = offsetof(fingerprint_settings, bits),             \
        .help = "length of a fingerprint" more                                                     \
    }
#define K_FLAG(fallback_, more)                                                                    \
    {                                                                                              \
        .name = "k", .letter = 'k', .kind = FLAG_COUNT, .argument = "K", .high = 32,               \
        .offset = offsetof(fingerprint_settings, k), .fallback = (fallback_),                      \
        .help = "largest Hamming distance of near fingerprints; at most a quarter of their "       \
                "bits" more                                                                        \
    }

void fingerprint_settings_init(fingerprint_settings *s);

/* The -k that was given, or else `usual`. */
uint32_t fingerprint_k(const fingerprint_settings *s, uint32_t usual);
/* Whether k is at most a quarter of the bits. False: reported. */
bool fingerprint_k_fits(uint32_t k, uint32_t bits);

#endif
