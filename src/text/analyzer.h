/* The analyzer inside the library: its options as they were checked. The work is declared in neardup.h. */
#ifndef ND_TEXT_ANALYZER_H
#define ND_TEXT_ANALYZER_H

#include "neardup.h"

/* ND_ERR_ARGUMENT names the option, its range and the value given. */
ND_MUST_CHECK nd_status nd_analyzer_options_check(const nd_analyzer_options *options, nd_error *error);

/* What the analyzer was made with; lives as long as it. */
const nd_analyzer_options *nd_analyzer_options_of(const nd_analyzer *analyzer);

/* The memory functions that the analyzer was made with. */
const nd_allocator *nd_analyzer_allocator(const nd_analyzer *analyzer);

/* From now on text_hash is not made where there are tokens: for those who compare sets and have no use for it. */
void nd_analyzer_leave_out_text_hash(nd_analyzer *analyzer);

#endif
