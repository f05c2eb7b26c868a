/* All words of the page that shows a run, in each of its languages. */
#ifndef CLI_REPORT_WORDS_H
#define CLI_REPORT_WORDS_H

#include "flags/output_flags.h"

#include <stdio.h>

typedef enum report_word {
    SAY_LANGUAGE, /* its code, for the attribute lang */
    SAY_TITLE,
    SAY_VERDICT,
    SAY_BASIS,
    SAY_PARTS,
    SAY_COMMAND,
    SAY_VERSION,
    SAY_NUMBERS,
    SAY_WARNINGS,
    SAY_NO_WARNINGS,
    SAY_ALARM_MOST,
    SAY_ALARM_GROUP,
    SAY_ALARM_CLASS,
    SAY_ALARM_EXAMPLE,
    SAY_STEPS,
    SAY_STEPS_NOTE,
    SAY_STEP,
    SAY_COUNT,
    SAY_UNIT,
    SAY_SHARE,
    SAY_OF_DOCUMENTS,
    SAY_OF_PAIRS,
    SAY_DOCUMENTS,
    SAY_EXACT_COPIES,
    SAY_CANDIDATES,
    SAY_VERIFIED,
    SAY_REJECTED,
    SAY_REMOVED,
    SAY_KEPT,
    SAY_SKIPPED,
    SAY_DUPLICATE_IDS,
    SAY_WITHOUT_VALUE,
    SAY_SPARED,
    SAY_BOUNDED,
    SAY_SIMILARITIES,
    SAY_SIMILARITIES_NOTE,
    SAY_SIMILARITIES_PICTURE,
    SAY_NOTHING_COMPARED,
    SAY_SIMILARITY,
    SAY_SIMILARITY_AXIS,
    SAY_PAIRS_AXIS,
    SAY_DUPLICATES,
    SAY_REJECTED_PAIRS,
    SAY_THRESHOLD,
    SAY_CURVE,
    SAY_CURVE_NOTE,
    SAY_CURVE_COMPUTED,
    SAY_CURVE_PICTURE,
    SAY_CURVE_SIMHASH,
    SAY_CURVE_SENTENCES,
    SAY_CURVE_NONE,
    SAY_PROBABILITY,
    SAY_GROUPS,
    SAY_GROUPS_NOTE,
    SAY_GROUPS_PICTURE,
    SAY_NO_GROUPS,
    SAY_GROUP_SIZE,
    SAY_GROUP_COUNT,
    SAY_LARGEST_GROUPS,
    SAY_GROUP,
    SAY_LOSSES,
    SAY_LOSSES_NOTE,
    SAY_BY_SOURCE,
    SAY_BY_LENGTH,
    SAY_BY_SCRIPT,
    SAY_BY_HOST,
    SAY_SOURCE,
    SAY_LENGTH,
    SAY_SCRIPT,
    SAY_HOST,
    SAY_PAIRS,
    SAY_PAIRS_NOTE,
    SAY_ABOVE,
    SAY_BELOW,
    SAY_NO_PAIRS,
    SAY_PAIR_SIMILARITY,
    SAY_KEPT_ROLE,
    SAY_REMOVED_ROLE,
    SAY_FIRST_ROLE,
    SAY_SECOND_ROLE,
    SAY_PLACE,
    SAY_SAME_WORDS,
    SAY_DIFFERENCES,
    SAY_MORE_DIFFERENCES,
    SAY_BEGINNING,
    SAY_NO_TEXT,
    SAY_ONLY_LEFT,
    SAY_ONLY_RIGHT,
    SAY_COSTS,
    SAY_STAGE,
    SAY_SECONDS,
    SAY_READ,
    SAY_MATCH,
    SAY_DECIDE,
    SAY_WRITE,
    SAY_SYNC,
    SAY_TOTAL,
    SAY_SPEED,
    SAY_MEMORY,
    SAY_WORDS
} report_word;

/* Returns the words as they stand in the table; for those without places. */
const char *report_words(page_language language, report_word word);

/* Writes the words for HTML. {0} to {9} are replaced by the arguments, {=0} by an argument that is
 * not ours, such as an id: it is isolated, so that its direction turns nothing else around. */
void put_words(FILE *out, page_language language, report_word word, const char *const *arguments);

/* Writes a text that is not ours: what is not UTF-8 becomes U+FFFD, and the text is cut behind
 * `most` characters. */
void put_foreign(FILE *out, const char *text, size_t length, size_t most);

#endif
