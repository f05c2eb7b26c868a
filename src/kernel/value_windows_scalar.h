/* Compares the values of a window for value_windows.h, one after the other. */
static inline unsigned equal_in_window(const uint64_t *window, uint64_t value) {
    unsigned equal = 0;
    for (unsigned i = 0; i < ND_WINDOW_VALUES; i++) equal |= (unsigned)(window[i] == value) << i;
    return equal;
}
