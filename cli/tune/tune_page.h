/* What nd_tune measured, as a page: one file that needs no network. */
#ifndef CLI_TUNE_PAGE_H
#define CLI_TUNE_PAGE_H

#include "review/review_list.h"
#include "review/document_differences.h"
#include "tune/tune_table.h"

/* Writes the page by nd_write_file. `examples` may have no pairs. */
nd_status tune_page_write(const char *path, const tune_run *runs, size_t count,
                          const review_list *examples, nd_analyzer *analyzer, nd_error *error);

#endif
