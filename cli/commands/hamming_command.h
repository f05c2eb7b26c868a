/* What the commands of `neardup hamming` share. */
#ifndef CLI_HAMMING_COMMAND_H
#define CLI_HAMMING_COMMAND_H

#include "commands/index_command.h"

#define BITS_FLAG(usual)                                                                           \
    {                                                                                              \
        .name = "bits", .kind = FLAG_CHOICE, .choices = "16|32|64|128", .offset = SETTING(bits),   \
        .fallback = usual, .help = "length of a fingerprint"                                       \
    }
#define K_FLAG(usual, meaning)                                                                     \
    {                                                                                              \
        .name = "k", .letter = 'k', .kind = FLAG_COUNT, .argument = "K", .high = 32,               \
        .offset = SETTING(k), .fallback = usual, .help = meaning                                   \
    }

extern const flag_group hamming_format_group; /* Input */
extern const char hamming_missing[];
extern const char hamming_file_chapter[]; /* prose */

/* The file of fingerprints, in the format given. */
void hamming_take_file(settings *given, const char *path);

/* Three numbers, or the first `count` of them, as 8 bytes each, little-endian. */
void hamming_put_binary(const uint64_t *numbers, int count);

/* Reads what neardup hamming calibrate writes. False: it cannot, and told. */
bool hamming_read_costs(const char *path, nd_hamming_costs *costs);

#endif
