#include "base/floats.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* A few instructions only, because functions that take nanoseconds call this. fegetround alone is
 * not enough: it does not report subnormals and traps. */
static bool is_default(void) {
#if defined(__x86_64__)
    enum { FLAGS = 0x3f, DEFAULT = 0x1f80 };
    if ((_mm_getcsr() & ~(unsigned)FLAGS) != DEFAULT) return false;
#elif defined(__aarch64__)
    unsigned long control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    if (control != 0) return false;
#endif
    return fegetround() == FE_TONEAREST;
}

nd_floats nd_floats_begin(void) {
    nd_floats floats = {.changed = !is_default()};
    if (floats.changed) {
        fegetenv(&floats.host);
        fesetenv(FE_DFL_ENV);
    }
    return floats;
}

void nd_floats_end(nd_floats *floats) {
    if (floats->changed) fesetenv(&floats->host);
}
