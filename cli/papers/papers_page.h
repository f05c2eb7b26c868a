/* The page that shows papers beside their sources: one file that needs no other one, without a
 * script, below 1 MB. The largest shares come first; what does not fit is left out, and the page
 * says so. */
#ifndef CLI_PAPERS_PAGE_H
#define CLI_PAPERS_PAGE_H

#include "report/report_source.h"

/* Writes the page by nd_write_file. The source has papers. */
nd_status papers_page_write(const char *path, const report_source *source, nd_error *error);

#endif
