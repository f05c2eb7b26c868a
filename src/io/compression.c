#include "io/compression.h"

#include "base/name_ending.h"

#include <string.h>
#include <strings.h>

const char *nd_compression_title(nd_compression compression) {
    static const char *const titles[] = {
        "uncompressed files", "gzip", "Zstandard", "bzip2", "xz", "LZ4"};
    return titles[compression];
}

const char *nd_compression_library(nd_compression compression) {
    static const char *const libraries[] = {"", "zlib", "libzstd", "libbz2", "liblzma", "liblz4"};
    return libraries[compression];
}

/* gzip: RFC 1952. Zstandard: a frame, or a skippable one, which LZ4 has, too (RFC 8878). bzip2: the
 * size of its blocks, and the beginning of a block or the end. */
static const struct magic {
    const char *bytes, *mask; /* a bit of 0 in the mask is free */
    size_t size;
    nd_compression compression;
} magics[] = {{"\x1F\x8B", "\xFF\xFF", 2, ND_COMPRESSION_GZIP},
              {"\x28\xB5\x2F\xFD", "\xFF\xFF\xFF\xFF", 4, ND_COMPRESSION_ZSTD},
              {"\x50\x2A\x4D\x18", "\xF0\xFF\xFF\xFF", 4, ND_COMPRESSION_ZSTD},
              {"BZh01AY&SY", "\xFF\xFF\xFF\xF0\xFF\xFF\xFF\xFF\xFF\xFF", 10, ND_COMPRESSION_BZIP2},
              {"BZh0\x17\x72\x45\x38\x50\x90", "\xFF\xFF\xFF\xF0\xFF\xFF\xFF\xFF\xFF\xFF", 10,
               ND_COMPRESSION_BZIP2},
              {"\xFD"
               "7zXZ\0",
               "\xFF\xFF\xFF\xFF\xFF\xFF", 6, ND_COMPRESSION_XZ},
              {"\x04\x22\x4D\x18", "\xFF\xFF\xFF\xFF", 4, ND_COMPRESSION_LZ4}};

nd_compression nd_compression_of_bytes(const unsigned char *first, size_t known, bool *enough) {
    *enough = true;
    for (const struct magic *m = magics; m < magics + sizeof magics / sizeof *magics; m++) {
        size_t same = 0;
        while (same < m->size && same < known &&
               (first[same] & (unsigned char)m->mask[same]) == (unsigned char)m->bytes[same])
            same++;
        if (same == m->size) return m->compression;
        if (same == known) *enough = false;
    }
    return ND_COMPRESSION_NONE;
}

nd_compression nd_compression_of_name(const char *path) {
    size_t length = strlen(path);
    if (nd_name_ends(path, length, ".gz")) return ND_COMPRESSION_GZIP;
    if (nd_name_ends(path, length, ".zst")) return ND_COMPRESSION_ZSTD;
    return ND_COMPRESSION_NONE;
}

nd_status nd_compression_check_name(const char *name, nd_error *error) {
    static const char *const others[] = {"tgz", "zstd", "tzst", "bz2", "xz", "lzma", "lz", "lz4",
                                         "lzo", "sz",   "br",   "z",   "7z", "zip",  "rar"};
    const char *dot = strrchr(name, '.');
    if (!dot || nd_compression_of_name(name) != ND_COMPRESSION_NONE) return ND_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(dot + 1, others[i]) == 0)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: %s is not written: neardup writes .gz and .zst", name, dot);
    return ND_OK;
}
