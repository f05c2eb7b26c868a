/* Foreign text in messages: how much of it is shown. (nd_printable, which makes any bytes one
 * printable line, is public: neardup.h.) */
#ifndef ND_BASE_PRINTABLE_H
#define ND_BASE_PRINTABLE_H

#include <stddef.h>

/* How many bytes of a foreign text a message shows, for the precision of "%.*s": whole characters,
 * at most `most` bytes. A longer text would push the rest of the message out of its buffer. */
int nd_shown_length(const char *text, size_t length, size_t most);

/* `most` for an id, and for a term or a number. */
enum { ND_SHOWN_ID = 200, ND_SHOWN_TERM = 40 };

#endif
