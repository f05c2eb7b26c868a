/* The functions of ICU's library libicuuc that neardup calls, as a table: those of the library that
 * is linked, or of the system's library, loaded at run time.
 *
 * ICU and its data take 33 MB, which are too many for a package such as a wheel of Python. A build
 * with ND_WITH_ICU=LOAD needs neither ICU nor its headers: the declarations below are the part of
 * ICU's stable C interface that is called. A build that links ICU has them from ICU's headers, so
 * the compiler compares the types of the table with ICU's own. */
#ifndef ND_BASE_ICU_LIBRARY_H
#define ND_BASE_ICU_LIBRARY_H

#include <stdint.h>

#ifdef ND_WITH_ICU

#include <unicode/ubrk.h>
#include <unicode/ucnv.h>
#include <unicode/udata.h>
#include <unicode/uversion.h>

#else

typedef int8_t UBool;
typedef uint16_t UChar;
typedef int UErrorCode;
typedef uint8_t UVersionInfo[4];
typedef enum UBreakIteratorType { UBRK_WORD = 1 } UBreakIteratorType;
typedef struct UBreakIterator UBreakIterator;
typedef struct UDataMemory UDataMemory;
typedef struct UConverter UConverter;

/* ICU's description of an item of its data. */
typedef struct UDataInfo {
    uint16_t size, reservedWord;
    uint8_t isBigEndian, charsetFamily, sizeofUChar, reservedByte;
    uint8_t dataFormat[4], formatVersion[4], dataVersion[4];
} UDataInfo;

typedef UBool UDataMemoryIsAcceptable(void *context, const char *type, const char *name,
                                      const UDataInfo *info);

enum {
    U_ZERO_ERROR = 0,
    U_MEMORY_ALLOCATION_ERROR = 7,
    U_BUFFER_OVERFLOW_ERROR = 15,
    UBRK_DONE = -1
};

#define U_FAILURE(code) ((code) > U_ZERO_ERROR)
#define U_ICUDATA_ALIAS "ICUDATA" /* the data of the library itself */

#endif

/* Each member is the function of ICU that has its name. */
typedef struct nd_icu {
    void (*u_getVersion)(UVersionInfo version);
    const char *(*u_errorName)(UErrorCode code);
    UBreakIterator *(*ubrk_open)(UBreakIteratorType type, const char *locale, const UChar *text,
                                 int32_t length, UErrorCode *code);
    void (*ubrk_setText)(UBreakIterator *iterator, const UChar *text, int32_t length,
                         UErrorCode *code);
    int32_t (*ubrk_next)(UBreakIterator *iterator);
    void (*ubrk_close)(UBreakIterator *iterator);
    UDataMemory *(*udata_openChoice)(const char *path, const char *type, const char *name,
                                     UDataMemoryIsAcceptable *is_acceptable, void *context,
                                     UErrorCode *code);
    const void *(*udata_getMemory)(UDataMemory *data);
    void (*udata_close)(UDataMemory *data);
    UConverter *(*ucnv_open)(const char *name, UErrorCode *code);
    void (*ucnv_reset)(UConverter *converter);
    void (*ucnv_toUnicode)(UConverter *converter, UChar **target, const UChar *target_end,
                           const char **source, const char *source_end, int32_t *offsets,
                           UBool flush, UErrorCode *code);
    void (*ucnv_close)(UConverter *converter);
} nd_icu;

/* NULL: this build has no ICU, or (ND_WITH_ICU=LOAD) none could be loaded. The first call loads it;
 * it stays loaded until the process ends. Thread-safe. */
const nd_icu *nd_icu_library(void);

#endif
