#include "py_column.h"

#include <string.h>

layout layout_of(const char *format) {
    static const struct {
        const char *format;
        layout layout;
    } known[] = {
        {"n", LAYOUT_NULL},       {"u", LAYOUT_TEXT},   {"U", LAYOUT_LARGE_TEXT},
        {"vu", LAYOUT_TEXT_VIEW}, {"z", LAYOUT_TEXT},   {"Z", LAYOUT_LARGE_TEXT},
        {"vz", LAYOUT_TEXT_VIEW}, {"c", LAYOUT_INT8},   {"s", LAYOUT_INT16},
        {"i", LAYOUT_INT32},      {"l", LAYOUT_INT64},  {"C", LAYOUT_UINT8},
        {"S", LAYOUT_UINT16},     {"I", LAYOUT_UINT32}, {"L", LAYOUT_UINT64},
        {"f", LAYOUT_FLOAT},      {"g", LAYOUT_DOUBLE},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(format, known[i].format) == 0) return known[i].layout;
    /* Days, and seconds or milliseconds of a day, have 32 bits; all other times have 64. */
    if (strcmp(format, "tdD") == 0 || strcmp(format, "tts") == 0 || strcmp(format, "ttm") == 0)
        return LAYOUT_INT32;
    bool time = strcmp(format, "tdm") == 0 || strncmp(format, "tt", 2) == 0 ||
                strncmp(format, "ts", 2) == 0 || strncmp(format, "tD", 2) == 0;
    return time ? LAYOUT_INT64 : LAYOUT_NONE;
}

bool layout_is_text(layout l) { return l >= LAYOUT_TEXT && l <= LAYOUT_TEXT_VIEW; }
bool layout_is_integer(layout l) { return l >= LAYOUT_INT8 && l <= LAYOUT_UINT64; }

static bool is_valid(const struct ArrowArray *a, int64_t i) {
    const unsigned char *bits = a->n_buffers > 0 ? a->buffers[0] : NULL;
    return a->null_count == 0 || !bits || bits[i >> 3] >> (i & 7) & 1;
}

static uint64_t integer_at(const struct ArrowArray *a, layout l, int64_t i, bool *negative) {
    const void *values = a->buffers[1];
    int64_t value = 0;
    *negative = false;
    switch (l) {
    case LAYOUT_INT8: value = ((const int8_t *)values)[i]; break;
    case LAYOUT_INT16: value = ((const int16_t *)values)[i]; break;
    case LAYOUT_INT32: value = ((const int32_t *)values)[i]; break;
    case LAYOUT_INT64: value = ((const int64_t *)values)[i]; break;
    case LAYOUT_UINT8: return ((const uint8_t *)values)[i];
    case LAYOUT_UINT16: return ((const uint16_t *)values)[i];
    case LAYOUT_UINT32: return ((const uint32_t *)values)[i];
    default: return ((const uint64_t *)values)[i];
    }
    *negative = value < 0;
    return (uint64_t)value;
}

/* Moves to the values of the dictionary, if there is one: the array, and the position in it. False:
 * the value is null. */
static bool locate(const column *c, int64_t row, const struct ArrowArray **array, int64_t *at) {
    bool negative;
    *array = c->array;
    *at = c->offset + row;
    if (c->layout == LAYOUT_NULL || !is_valid(c->array, *at)) return false;
    if (c->indices == LAYOUT_NONE) return true;
    *at = (int64_t)integer_at(c->array, c->indices, *at, &negative);
    *array = c->array->dictionary;
    *at += (*array)->offset;
    return is_valid(*array, *at);
}

bool column_is_null(const column *c, int64_t row) {
    const struct ArrowArray *array;
    int64_t at;
    return !locate(c, row, &array, &at);
}

/* A value of 16 bytes: the length; then up to 12 bytes of text, or 4 of them, the number of a
 * buffer and the offset in it. */
static const char *view_at(const struct ArrowArray *a, int64_t i, size_t *length) {
    const unsigned char *view = (const unsigned char *)a->buffers[1] + 16 * i;
    int32_t size, buffer, offset;
    memcpy(&size, view, sizeof size);
    memcpy(&buffer, view + 8, sizeof buffer);
    memcpy(&offset, view + 12, sizeof offset);
    *length = (size_t)size;
    return size <= 12 ? (const char *)view + 4 : (const char *)a->buffers[2 + buffer] + offset;
}

const char *column_text(const column *c, int64_t row, size_t *length) {
    const struct ArrowArray *array;
    int64_t at, begin, end;
    locate(c, row, &array, &at);
    if (c->layout == LAYOUT_TEXT_VIEW) return view_at(array, at, length);
    if (c->layout == LAYOUT_TEXT) {
        const int32_t *offsets = array->buffers[1];
        begin = offsets[at];
        end = offsets[at + 1];
    } else {
        const int64_t *offsets = array->buffers[1];
        begin = offsets[at];
        end = offsets[at + 1];
    }
    *length = (size_t)(end - begin);
    return end == begin ? "" : (const char *)array->buffers[2] + begin;
}

uint64_t column_integer(const column *c, int64_t row, bool *negative) {
    const struct ArrowArray *array;
    int64_t at;
    locate(c, row, &array, &at);
    return integer_at(array, c->layout, at, negative);
}

double column_number(const column *c, int64_t row) {
    const struct ArrowArray *array;
    int64_t at;
    bool negative;
    locate(c, row, &array, &at);
    if (c->layout == LAYOUT_FLOAT) return (double)((const float *)array->buffers[1])[at];
    if (c->layout == LAYOUT_DOUBLE) return ((const double *)array->buffers[1])[at];
    uint64_t value = integer_at(array, c->layout, at, &negative);
    return negative ? (double)(int64_t)value : (double)value;
}
