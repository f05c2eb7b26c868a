/* The version and the optional parts of this build; public. */
#include "neardup.h"

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *nd_version(void) {
    return VERSION(ND_VERSION_MAJOR, ND_VERSION_MINOR, ND_VERSION_PATCH);
}

const char *nd_features(void) {
    static const char features[] = ""
#ifdef ND_WITH_SIMDJSON
                                   " simdjson"
#endif
#ifdef ND_WITH_ISAL
                                   " isa-l"
#endif
#ifdef ND_WITH_ICU
                                   " icu"
#endif
#ifdef ND_WITH_STEMMER
                                   " libstemmer"
#endif
#ifdef ND_WITH_ZLIB
                                   " zlib"
#endif
#ifdef ND_WITH_ZSTD
                                   " zstd"
#endif
        ;
    return sizeof features > 1 ? features + 1 : features;
}
