/* The format of an output of records. It is chosen before anything is read, as far as the formats
 * of the inputs are known by then, so that a run of hours does not fail at its end. */
#ifndef ND_DEDUP_OUTPUT_FORMAT_H
#define ND_DEDUP_OUTPUT_FORMAT_H

#include "base/status.h"

#include <stdbool.h>

/* The name of an output in messages. */
static inline const char *nd_output_title(const char *name) {
    return name[0] == '-' && name[1] == '\0' ? "standard output" : name;
}

typedef struct nd_output_name {
    const char *name;
    bool is_directory; /* its ending says nothing */
} nd_output_name;

/* Chooses the format: as asked, unless that is ND_FORMAT_AUTO; else as the name's ending says; else
 * the format of the input. `input` ND_FORMAT_AUTO: not known yet, or records of a callback; *out
 * may then be ND_FORMAT_AUTO, too. ND_ERR_ARGUMENT: the name says otherwise, or records of the
 * input are not written in this format. */
nd_status nd_output_format_choose(const nd_output_name *name, nd_input_format asked,
                                  nd_input_format input, nd_input_format *out, nd_error *error);

/* The ending of a name of this format, such as ".jsonl"; "" if it has none. */
const char *nd_output_format_ending(nd_input_format format);

#endif
