/* The version and the optional libraries; public. */
#include "neardup.h"

#include "base/icu_library.h"

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *nd_version(void) {
    return VERSION(ND_VERSION_MAJOR, ND_VERSION_MINOR, ND_VERSION_PATCH);
}

/* The libraries of the build, each behind a space. */
#ifdef ND_WITH_BZIP2
#define BZIP2 " bzip2"
#else
#define BZIP2 ""
#endif
#ifdef ND_WITH_LZ4
#define LZ4 " lz4"
#else
#define LZ4 ""
#endif
#ifdef ND_WITH_LZMA
#define LZMA " xz"
#else
#define LZMA ""
#endif
#ifdef ND_WITH_SIMDJSON
#define SIMDJSON " simdjson"
#else
#define SIMDJSON ""
#endif
#ifdef ND_WITH_ISAL
#define ISAL " isa-l"
#else
#define ISAL ""
#endif
#ifdef ND_WITH_BROTLI
#define BROTLI " brotli"
#else
#define BROTLI ""
#endif
#ifdef ND_WITH_CRYPTO
#define CRYPTO " libcrypto"
#else
#define CRYPTO ""
#endif
#ifdef ND_WITH_DEFLATE
#define DEFLATE " libdeflate"
#else
#define DEFLATE ""
#endif
#ifdef ND_WITH_STEMMER
#define STEMMER " libstemmer"
#else
#define STEMMER ""
#endif
#ifdef ND_WITH_UCHARDET
#define UCHARDET " uchardet"
#else
#define UCHARDET ""
#endif
#ifdef ND_WITH_ZLIB
#define ZLIB " zlib"
#else
#define ZLIB ""
#endif
#ifdef ND_WITH_ZSTD
#define ZSTD " zstd"
#else
#define ZSTD ""
#endif

const char *nd_features(void) {
    static const char with_icu[] = SIMDJSON BZIP2 ISAL LZ4 BROTLI
        " icu" CRYPTO DEFLATE STEMMER UCHARDET LZMA ZLIB ZSTD;
    static const char without_icu[] =
        SIMDJSON BZIP2 ISAL LZ4 BROTLI CRYPTO DEFLATE STEMMER UCHARDET LZMA ZLIB ZSTD;
    /* Asked here, because ICU may be one that is loaded at run time. */
    const char *features = nd_icu_library() ? with_icu : without_icu;
    return *features ? features + 1 : features;
}
