/* What a run gives that cuts texts: the documents without what was cut, a table of what was cut
 * (doc/internals/formats.md, "Tables"), and the same by calls. */
#ifndef ND_REPEATS_CUT_OUTPUTS_H
#define ND_REPEATS_CUT_OUTPUTS_H

#include "job/tsv_writer.h"
#include "repeats/cut_writer.h"

/* Each may be NULL: it is not wanted. */
typedef struct nd_cut_destinations {
    const char *output, *removed; /* as in nd_lines_options */
    nd_cut_fn *fn;
    void *context;
} nd_cut_destinations;

typedef struct nd_cut_outputs {
    nd_cut_writer writer;
    nd_table removed;
    nd_cut_fn *fn;
    void *context;
} nd_cut_outputs;

/* *outputs is valid for nd_cut_outputs_free in any case. ND_ERR_ARGUMENT: as nd_cut_writer_open; or
 * an output is an input. */
nd_status nd_cut_outputs_open(const nd_run *run, nd_corpus *corpus, const nd_input_options *input,
                              const nd_cut_destinations *destinations, nd_cut_outputs *outputs,
                              nd_error *error);
void nd_cut_outputs_free(nd_cut_outputs *outputs);

/* ND_ERR_ARGUMENT: an output is an input of this other corpus. */
nd_status nd_cut_outputs_check(const nd_cut_outputs *outputs, nd_corpus *corpus, nd_error *error);

/* Whether anyone wants to know what is cut; if not, nothing need be reported. */
static inline bool nd_cut_outputs_list(const nd_cut_outputs *outputs) {
    return nd_table_wanted(&outputs->removed) || outputs->fn;
}
nd_status nd_cut_outputs_report(nd_cut_outputs *outputs, const nd_repeated_stretch *cut,
                                nd_error *error);

/* Ends the files and tells their size. Then nd_cut_outputs_publish gives them their names, and
 * nd_cut_outputs_accept lets them keep these. */
nd_status nd_cut_outputs_finish(nd_cut_outputs *outputs, uint64_t *bytes, nd_error *error);
nd_status nd_cut_outputs_publish(nd_cut_outputs *outputs, nd_error *error);
void nd_cut_outputs_accept(nd_cut_outputs *outputs);

#endif
