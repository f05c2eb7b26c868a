/* The flag that sets the values for a kind of text. */
#ifndef CLI_PRESET_FLAGS_H
#define CLI_PRESET_FLAGS_H

#include "flags/similarity_flags.h"
#include "flags/text_flags.h"

typedef struct preset_settings {
    unsigned number; /* from 1; 0: none */
    char line[160];  /* says what it set; "" without one */
} preset_settings;

extern const flag_table preset_flags; /* --preset */

/* Whether the preset goes with the measure and the sketch. False: reported. */
bool preset_agrees(const preset_settings *s, nd_measure measure, nd_sketch sketch);

/* Sets the values of the preset, except those that a flag gives. `text` NULL: the command has no
 * words. */
void preset_apply(preset_settings *s, const flags_given *given, similarity_settings *similarity,
                  text_settings *text);

#endif
