/* All that the page of a run shows. */
#ifndef CLI_REPORT_SOURCE_H
#define CLI_REPORT_SOURCE_H

#include "report/report_data.h"
#include "report/report_words.h"
#include "report/stream_data.h"

/* What a run of neardup passages tells. */
typedef struct papers_told {
    const struct paper_list *list;
    uint32_t least_run, gap; /* tokens */
} papers_told;

typedef struct report_source {
    const char *command; /* "dedup" */
    char **words;        /* the command line behind it */
    int word_count;
    const nd_job_summary *summary;
    const report_data *data;
    const stream_data *stream;           /* of neardup stream; NULL: another run */
    const papers_told *papers;           /* of neardup passages; NULL: another run */
    const nd_analyzer_options *analyzer; /* makes the tokens that are compared */
    page_language language;
} report_source;

#endif
