/* The page that shows a run of a stream to people, in the manner of report_page.h. */
#ifndef CLI_STREAM_PAGE_H
#define CLI_STREAM_PAGE_H

#include "report/report_source.h"

/* Writes the page by nd_write_file. The source has a stream. */
nd_status stream_page_write(const char *path, const report_source *source, nd_error *error);

#endif
