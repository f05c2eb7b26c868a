/* The page that shows a run to people: one file that needs no other one. It has no script. Its size
 * does not grow with the run: every list is bounded, and every text that is not ours is cut. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "report/report_data.h"
#include "report/report_words.h"

typedef struct report_source {
    const char *command; /* "dedup" */
    char **words;        /* the command line behind it */
    int word_count;
    const nd_job_summary *summary;
    const report_data *data;
    const nd_analyzer_options *analyzer; /* makes the tokens that are compared */
    page_language language;
} report_source;

/* Writes the page by nd_write_file. */
nd_status report_page_write(const char *path, const report_source *source, nd_error *error);

#endif
