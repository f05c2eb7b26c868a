/* What is in a file: found in its first bytes, else in its name. */
#ifndef ND_CORPUS_RECOGNISE_H
#define ND_CORPUS_RECOGNISE_H

#include "corpus/record_cut.h"

/* So many bytes from the beginning of a file, after decompression, are enough, unless the format
 * goes on behind them. */
enum { ND_RECOGNISE_BYTES = 1 << 16 };

/* What is known of a file whose format goes on. Zero-initialised for each file. */
typedef struct nd_format_search {
    nd_record_cutter line, value;
} nd_format_search;

/* Whether further bytes may tell another format: the first line that is not blank does not end in
 * these, and they are fewer than ND_RECOGNISE_BYTES, or an object in it goes on. The next call has
 * the same bytes and more. Time of all calls: linear in the bytes. */
bool nd_format_goes_on(nd_format_search *search, const char *bytes, size_t size);

/* JSON begins with '{' or '[' and what may follow it. It is JSON Lines if its first line is one
 * object, or if it begins with '{' and its name says so. WARC, ARC and Parquet begin with their own
 * marks. All else is decided by the ending of the name, in front of .gz or .zst: .jsonl, .ndjson,
 * .json, .csv, .tsv, .warc, .wet, .arc, .parquet, also in capitals. A file with another ending is a
 * text. ND_FORMAT_AUTO: that of standard input ("-"), and of a blank file with another ending,
 * which has what the others have, is not known. */
nd_input_format nd_recognise(const char *name, const char *bytes, size_t size);

/* The name of a kind of file that is not read, such as "PDF", by its first bytes; NULL: it is
 * none of those that are known. */
const char *nd_unread_kind(const char *bytes, size_t size);
/* The name of a format in messages: "JSON Lines"; of ND_FORMAT_TEXT and ND_FORMAT_AUTO: "a text".
 */
const char *nd_format_title(nd_input_format format);

/* The place behind a byte order mark and white space; `size`: there is nothing else. */
size_t nd_skip_blank(const char *bytes, size_t size);
/* By the content alone: JSON Lines, JSON, WARC, Parquet, or ND_FORMAT_AUTO: it is another one.
 */
nd_input_format nd_format_of_content(const char *bytes, size_t size);
/* By the ending of the name alone. */
nd_input_format nd_format_of_name(const char *name);

#endif
