#include "corpus/iso_date.h"

#include <stdint.h>

typedef struct scanner {
    const char *at, *end;
} scanner;

static bool take(scanner *s, char wanted) {
    if (s->at == s->end || *s->at != wanted) return false;
    s->at++;
    return true;
}

/* Exactly `digits` digits as a number in [low, high]. */
static bool take_number(scanner *s, int digits, int low, int high, int *out) {
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

/* Days since 1970-01-01 in the proleptic Gregorian calendar: years begin in March, so that the leap
 * day is the last (the method of Hinnant's "chrono-compatible low-level date algorithms", 2013).
 * year >= 0. */
static int64_t days_since_epoch(int year, int month, int day) {
    int y = year - (month <= 2) + 400; /* one era of 400 years more keeps it positive */
    int era = y / 400, year_of_era = y % 400;
    int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return (int64_t)(era - 1) * 146097 + day_of_era - 719468;
}

static bool take_fraction(scanner *s, double *fraction) {
    double value = 0, unit = 1;
    const char *first = s->at;
    /* 17 digits are more than a double holds; the rest is read over. */
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
        if (s->at - first < 17) {
            value = value * 10 + (*s->at - '0');
            unit *= 10;
        }
    *fraction = value / unit;
    return s->at > first;
}

/* HH:MM[:SS[.fraction]] */
static bool take_time(scanner *s, double *seconds) {
    int hour, minute, second = 0;
    double fraction = 0;
    if (!take_number(s, 2, 0, 23, &hour) || !take(s, ':') || !take_number(s, 2, 0, 59, &minute))
        return false;
    if (take(s, ':')) {
        if (!take_number(s, 2, 0, 60, &second)) return false;
        if ((take(s, '.') || take(s, ',')) && !take_fraction(s, &fraction)) return false;
    }
    *seconds = hour * 3600 + minute * 60 + second + fraction;
    return true;
}

/* Nothing, Z, or an offset from UTC: seconds to subtract. */
static bool take_zone(scanner *s, double *seconds) {
    *seconds = 0;
    if (s->at == s->end || take(s, 'Z')) return true;
    bool west = take(s, '-');
    if (!west && !take(s, '+')) return false;
    int hours, minutes = 0;
    if (!take_number(s, 2, 0, 23, &hours)) return false;
    bool colon = take(s, ':');
    if ((colon || s->at < s->end) && !take_number(s, 2, 0, 59, &minutes)) return false;
    *seconds = (west ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

bool nd_iso_date_parse(const char *text, size_t length, double *seconds) {
    scanner s = {text, text + length};
    int year, month = 1, day = 1;
    double time = 0, zone = 0;
    if (!take_number(&s, 4, 0, 9999, &year)) return false;
    if (take(&s, '-')) {
        if (!take_number(&s, 2, 1, 12, &month)) return false;
        if (take(&s, '-')) {
            if (!take_number(&s, 2, 1, days_of_month(year, month), &day)) return false;
            if ((take(&s, 'T') || take(&s, ' ')) &&
                (!take_time(&s, &time) || !take_zone(&s, &zone)))
                return false;
        }
    }
    if (s.at != s.end) return false;
    *seconds = (double)(days_since_epoch(year, month, day) * 86400) + time - zone;
    return true;
}
