#include "corpus/iso_date.h"

#include <stdint.h>

typedef struct scanner {
    const char *at, *end;
} scanner;

static bool skip(scanner *s, char wanted) {
    if (s->at == s->end || *s->at != wanted) return false;
    s->at++;
    return true;
}

/* Reads exactly `digits` digits, a number in [low, high]. */
static bool read_number(scanner *s, int digits, int low, int high, int *out) {
    if (s->end - s->at < digits) return false;
    int value = 0;
    for (int i = 0; i < digits; i++) {
        char c = s->at[i];
        if (c < '0' || c > '9') return false;
        value = value * 10 + (c - '0');
    }
    if (value < low || value > high) return false;
    s->at += digits;
    *out = value;
    return true;
}

static int days_of_month(int year, int month) {
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* Days since 1970-01-01 in the proleptic Gregorian calendar; year >= 0. Years are counted from
 * March, so that the leap day is the last day of a year (Hinnant, "chrono-compatible low-level date
 * algorithms", 2013). */
static int64_t days_since_epoch(int year, int month, int day) {
    int y = year - (month <= 2) + 400; /* an era of 400 years is added to keep it positive */
    int era = y / 400, year_of_era = y % 400;
    int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return (int64_t)(era - 1) * 146097 + day_of_era - 719468;
}

static bool read_fraction(scanner *s, double *fraction) {
    double value = 0, unit = 1;
    const char *first = s->at;
    /* 17 digits are more than a double holds; further digits are skipped. */
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
        if (s->at - first < 17) {
            value = value * 10 + (*s->at - '0');
            unit *= 10;
        }
    *fraction = value / unit;
    return s->at > first;
}

/* HH:MM[:SS[.fraction]] */
static bool read_time(scanner *s, double *seconds) {
    int hour, minute, second = 0;
    double fraction = 0;
    if (!read_number(s, 2, 0, 23, &hour) || !skip(s, ':') || !read_number(s, 2, 0, 59, &minute))
        return false;
    if (skip(s, ':')) {
        if (!read_number(s, 2, 0, 60, &second)) return false;
        if ((skip(s, '.') || skip(s, ',')) && !read_fraction(s, &fraction)) return false;
    }
    *seconds = hour * 3600 + minute * 60 + second + fraction;
    return true;
}

/* Reads no zone, "Z", or an offset from UTC: the seconds to subtract. */
static bool read_zone(scanner *s, double *seconds) {
    *seconds = 0;
    if (s->at == s->end || skip(s, 'Z')) return true;
    bool west = skip(s, '-');
    if (!west && !skip(s, '+')) return false;
    int hours, minutes = 0;
    if (!read_number(s, 2, 0, 23, &hours)) return false;
    bool colon = skip(s, ':');
    if ((colon || s->at < s->end) && !read_number(s, 2, 0, 59, &minutes)) return false;
    *seconds = (west ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

bool nd_iso_date_parse(const char *text, size_t length, double *seconds) {
    scanner s = {text, text + length};
    int year, month = 1, day = 1;
    double time = 0, zone = 0;
    if (!read_number(&s, 4, 0, 9999, &year)) return false;
    if (skip(&s, '-')) {
        if (!read_number(&s, 2, 1, 12, &month)) return false;
        if (skip(&s, '-')) {
            if (!read_number(&s, 2, 1, days_of_month(year, month), &day)) return false;
            if ((skip(&s, 'T') || skip(&s, ' ')) &&
                (!read_time(&s, &time) || !read_zone(&s, &zone)))
                return false;
        }
    }
    if (s.at != s.end) return false;
    *seconds = (double)(days_since_epoch(year, month, day) * 86400) + time - zone;
    return true;
}
