/* The page that shows a run to people: one file that needs no other one. It has no script. Its size
 * does not grow with the run: every list is bounded, and every text that is not ours is cut. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "report/report_source.h"

/* Writes the page by nd_write_file. */
nd_status report_page_write(const char *path, const report_source *source, nd_error *error);

#endif
