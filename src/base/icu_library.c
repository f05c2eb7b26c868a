#include "base/icu_library.h"

#include <stddef.h>

#ifdef ND_WITH_ICU

const nd_icu *nd_icu_library(void) {
    static const nd_icu linked = {.u_getVersion = u_getVersion,
                                  .u_errorName = u_errorName,
                                  .ubrk_open = ubrk_open,
                                  .ubrk_setText = ubrk_setText,
                                  .ubrk_next = ubrk_next,
                                  .ubrk_close = ubrk_close,
                                  .udata_openChoice = udata_openChoice,
                                  .udata_getMemory = udata_getMemory,
                                  .udata_close = udata_close};
    return &linked;
}

#else

const nd_icu *nd_icu_library(void) { return NULL; }

#endif
