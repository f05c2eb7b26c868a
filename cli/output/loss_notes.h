/* Where the documents of a job were lost, noted for the summary. */
#ifndef CLI_LOSS_NOTES_H
#define CLI_LOSS_NOTES_H

#include "neardup.h"

#include <stdio.h>

typedef struct loss_note {
    char *text; /* NULL: none */
    size_t size;
} loss_note;

/* Zeros at first. */
typedef struct loss_notes {
    loss_note groups, sizes, classes, alarms; /* JSON */
    loss_note lines;                          /* for people */
} loss_notes;

/* nd_losses_fn; `context` is the notes. Where memory is missing it cancels the job. */
bool loss_notes_take(void *context, const nd_losses *losses);
void loss_notes_free(loss_notes *notes);

#endif
