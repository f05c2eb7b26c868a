/* What the commands of neardup hamming share. */
#ifndef CLI_HAMMING_COMMAND_H
#define CLI_HAMMING_COMMAND_H

#include "flags/fingerprint_flags.h"
#include "neardup.h"

#include <stdio.h>

extern const char hamming_missing[];

/* A file of fingerprints in the format of the flags. */
nd_fingerprint_source hamming_source(const fingerprint_settings *s, const char *path);

/* --binary */
typedef struct binary_settings {
    bool binary;
} binary_settings;

/* Whether --binary and --json are not both given. False: reported. */
bool binary_agrees(const binary_settings *s, bool json);

/* Writes numbers as 8 bytes each, little-endian. */
void hamming_put_binary(FILE *out, const uint64_t *numbers, int count);

#endif
