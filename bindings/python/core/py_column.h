/* Values of an Arrow column: texts, ids and numbers, read where they are. */
#ifndef ND_PYTHON_COLUMN_H
#define ND_PYTHON_COLUMN_H

#include "arrow_structures.h"

#include <stdbool.h>
#include <stddef.h>

/* How the values of a column are stored. */
typedef enum layout {
    LAYOUT_NONE,       /* of a type that is not read here */
    LAYOUT_NULL,       /* all null */
    LAYOUT_TEXT,       /* 32-bit offsets and bytes */
    LAYOUT_LARGE_TEXT, /* 64-bit offsets and bytes */
    LAYOUT_TEXT_VIEW,  /* 16 bytes a value: a short text, or where it is in further buffers */
    LAYOUT_INT8,
    LAYOUT_INT16,
    LAYOUT_INT32,
    LAYOUT_INT64,
    LAYOUT_UINT8,
    LAYOUT_UINT16,
    LAYOUT_UINT32,
    LAYOUT_UINT64,
    LAYOUT_FLOAT,
    LAYOUT_DOUBLE
} layout;

/* The layout of a type by its format string; binary values count as texts, dates and times as whole
 * numbers. */
layout layout_of(const char *format);
bool layout_is_text(layout l);
bool layout_is_integer(layout l);

/* A column of one batch. With a dictionary, `indices` are the layout of the array itself. */
typedef struct column {
    const struct ArrowArray *array;
    int64_t offset; /* of the first value, with that of the batch */
    layout layout;  /* of the values */
    layout indices; /* LAYOUT_NONE: no dictionary */
} column;

/* Whether the value of a row is null, also through a dictionary. */
bool column_is_null(const column *c, int64_t row);
/* REQUIRES: the layout is a text, the value is not null. */
const char *column_text(const column *c, int64_t row, size_t *length);
/* REQUIRES: the layout is an integer, the value is not null. *negative: it is below 0, and the
 * value is its two's complement. */
uint64_t column_integer(const column *c, int64_t row, bool *negative);
/* REQUIRES: the layout is a number, the value is not null. */
double column_number(const column *c, int64_t row);

#endif
