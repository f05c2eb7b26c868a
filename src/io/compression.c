#include "io/compression.h"

#include <string.h>

/* gzip: 1f 8b (RFC 1952). Zstandard: a frame 28 b5 2f fd, a skippable one 5? 2a 4d 18 (RFC 8878).
 */
nd_compression nd_compression_of_bytes(const unsigned char *first, size_t known) {
    if (known >= 2 && first[0] == 0x1f && first[1] == 0x8b) return ND_COMPRESSION_GZIP;
    if (known < ND_MAGIC_SIZE) return ND_COMPRESSION_NONE;
    if (memcmp(first, "\x28\xb5\x2f\xfd", 4) == 0) return ND_COMPRESSION_ZSTD;
    if ((first[0] & 0xf0) == 0x50 && memcmp(first + 1, "\x2a\x4d\x18", 3) == 0)
        return ND_COMPRESSION_ZSTD;
    return ND_COMPRESSION_NONE;
}

nd_compression nd_compression_of_name(const char *path) {
    size_t length = strlen(path);
    if (length >= 3 && strcmp(path + length - 3, ".gz") == 0) return ND_COMPRESSION_GZIP;
    if (length >= 4 && strcmp(path + length - 4, ".zst") == 0) return ND_COMPRESSION_ZSTD;
    return ND_COMPRESSION_NONE;
}
