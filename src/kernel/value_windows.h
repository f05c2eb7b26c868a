/* The body of the mark_values kernel. The file of an instruction set includes this once, after it
 * has defined, with value_windows_scalar.h or with vectors:
 *
 *   equal_in_window(window, value)
 *       Returns a bit for each of the ND_WINDOW_VALUES values of a window: whether it is the value.
 */

/* Searches the values from ND_WINDOW_VALUES on and before `end` for one, which is at least the
 * first of them. Returns its index, or 0. */
static size_t search_values(const uint64_t *values, size_t end, uint64_t value) {
    size_t low = ND_WINDOW_VALUES;
    while (end - low > 1) {
        size_t middle = low + (end - low) / 2;
        if (values[middle] <= value) low = middle;
        else end = middle;
    }
    return values[low] == value ? low : 0;
}

static size_t mark_values(const nd_value_windows *set, const uint64_t *shingles, size_t count,
                          uint8_t *restrict marks, uint64_t *restrict others) {
    const nd_value_windows s = *set;
    size_t alone = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = shingles[i] & s.mask;
        value += !value;
        size_t window = s.windows[value >> s.shift];
        unsigned equal = equal_in_window(s.values + window, value);
        bool longer = s.values[window] >> s.shift == value >> s.shift; /* more may stand before */
        if (longer & !equal) {
            size_t place = search_values(s.values, window + ND_WINDOW_VALUES, value);
            if (place) window = place - (ND_WINDOW_VALUES - 1);
            equal = place ? 1u << (ND_WINDOW_VALUES - 1) : 0;
        }
        marks[window] |= (uint8_t)equal;
        others[alone] = value;
        alone += !equal;
    }
    return alone;
}
