/* Rounding to 1/4096 needs the multiple of 1/8192, half a unit, at or below the number. Such a
 * multiple has at most 13 decimals, so the first 13 decimals of a fraction decide which one it is,
 * and no later digit can change that. */
#include "base/decimal.h"

enum { DECIMALS = 13 };
#define TEN_TO_DECIMALS UINT64_C(10000000000000)

/* Whole parts from LARGE on, and exponents from EXPONENT_LIMIT on, are out of every range. */
#define LARGE UINT64_C(1000000000000)
enum { EXPONENT_LIMIT = 1000000 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool nd_whole_number_read(const char *text, size_t length, uint64_t most, uint64_t *out) {
    uint64_t number = 0;
    if (length == 0) return false;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i])) return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (number > (UINT64_MAX - digit) / 10) return false;
        number = number * 10 + digit;
    }
    if (number > most) return false;
    *out = number;
    return true;
}

/* Reads an exponent such as "e-12", which must be the whole text; none at all is 0. */
static bool read_exponent(const char *text, size_t length, int64_t *out) {
    size_t at = 1;
    bool negative = false;
    if (length == 0) return true;
    if (length > 1 && (text[1] == '+' || text[1] == '-')) negative = text[at++] == '-';
    int64_t exponent = 0;
    if (at == length) return false;
    for (; at < length; at++) {
        if (!is_digit(text[at])) return false;
        if (exponent < EXPONENT_LIMIT) exponent = exponent * 10 + (text[at] - '0');
    }
    *out = negative ? -exponent : exponent;
    return true;
}

bool nd_decimal_read(const char *text, size_t length, uint32_t most, uint32_t *units) {
    size_t mantissa = 0, digits = 0, before_point = SIZE_MAX;
    for (; mantissa < length &&
           (is_digit(text[mantissa]) || (text[mantissa] == '.' && before_point == SIZE_MAX));
         mantissa++) {
        if (text[mantissa] == '.') before_point = digits;
        else digits++;
    }
    int64_t exponent = 0;
    if (digits == 0 || (mantissa < length && text[mantissa] != 'e' && text[mantissa] != 'E'))
        return false;
    if (!read_exponent(text + mantissa, length - mantissa, &exponent)) return false;
    /* `power` is the power of ten of the current digit: 0 and above belong to the whole part,
     * -1 to -DECIMALS to the fraction, and lower ones do not matter. */
    int64_t power = (int64_t)(before_point == SIZE_MAX ? digits : before_point) + exponent;
    uint64_t whole = 0, fraction = 0;
    for (size_t i = 0; i < mantissa; i++) {
        if (text[i] == '.') continue;
        power--;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (power >= 0 && whole < LARGE) whole = whole * 10 + digit;
        if (power < 0 && power >= -DECIMALS) fraction = fraction * 10 + digit;
    }
    for (; power > 0 && whole > 0 && whole < LARGE; power--) whole *= 10;
    for (int64_t missing = (power < 0 ? power : 0) + DECIMALS; missing > 0 && fraction > 0;
         missing--)
        fraction *= 10;
    uint64_t halves = whole * 8192 + fraction * 8192 / TEN_TO_DECIMALS;
    if (whole >= LARGE || (halves + 1) / 2 > most) return false;
    *units = (uint32_t)((halves + 1) / 2);
    return true;
}
