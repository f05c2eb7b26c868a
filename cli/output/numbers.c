#include "output/numbers.h"

#include <stddef.h>
#include <stdlib.h>

const char *number_grouped(uint64_t number, char text[static 32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    char *at = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) *at++ = ',';
        *at++ = digits[i];
    }
    *at = 0;
    return text;
}

const char *number_volume(uint64_t bytes, char text[static 32]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double amount = (double)bytes;
    size_t unit = 0;
    for (; amount >= 999.5 && unit < 5; unit++) amount /= 1000;
    int decimals = unit == 0 || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
    snprintf(text, 32, "%.*f %s", decimals, amount, units[unit]);
    return text;
}

void print_exact(FILE *out, double value) {
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, out);
}
