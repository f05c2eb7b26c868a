/* The header of a WARC record or of an HTTP message: lines "Name: value" up to an empty line. A
 * line ends with LF, with or without CR before it. A line that begins with a blank goes on with
 * the value before it. */
#ifndef ND_WARC_HEADER_FIELDS_H
#define ND_WARC_HEADER_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A part of a text that its owner keeps. */
typedef struct nd_span {
    const char *bytes; /* NULL only if `length` is 0 */
    size_t length;
} nd_span;

/* Most bytes of a header. */
enum { ND_HEADER_BYTES = 64 << 10 };

/* Returns the place behind the empty line that ends the header at bytes[from, stop); SIZE_MAX: it
 * is not there. mark: a line that begins with it is the beginning of another header (*another),
 * which is not read over; NULL: none. */
size_t nd_header_end(const char *bytes, size_t from, size_t stop, const char *mark, bool *another);

/* Reads the field at *at and moves *at behind it. A line without a colon is passed over. The value
 * has no blanks around it; one of several lines has the line breaks in it. False: no field is left
 * before `stop` or the empty line. */
bool nd_header_next(const char *bytes, size_t *at, size_t stop, nd_span *name, nd_span *value);

/* Whether the text is `name`, which is in lower case, in upper or lower case letters. */
bool nd_span_begins(nd_span text, const char *name);
static inline bool nd_span_is(nd_span text, const char *name) {
    return text.length == strlen(name) && nd_span_begins(text, name);
}

/* Whether the text is `name`, in upper or lower case letters. */
bool nd_span_same(nd_span text, const char *name);

/* Without the blanks and line breaks around it. */
nd_span nd_span_trim(nd_span text);

/* The text before the first `separator`; *rest is what is behind it, empty if there is none. */
nd_span nd_span_split(nd_span text, char separator, nd_span *rest);

#endif
