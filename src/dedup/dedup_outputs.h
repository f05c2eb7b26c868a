/* The files that nd_dedup and nd_pairs write. They are opened before anything slow, so that a run
 * of hours does not fail at its end because it cannot write. They get their names together, or none
 * of them does. */
#ifndef ND_DEDUP_DEDUP_OUTPUTS_H
#define ND_DEDUP_DEDUP_OUTPUTS_H

#include "dedup/dedup_plan.h"
#include "dedup/record_form.h"
#include "io/output_tree.h"
#include "job/run_context.h"
#include "job/tsv_writer.h"

typedef struct nd_dedup_outputs {
    nd_output_file *records; /* kept records, or paths of kept texts; NULL: not wanted, or in the
                                directory */
    nd_output_tree *tree;    /* kept texts, or files of kept records; NULL: not wanted */
    bool has_texts;          /* kept texts are copied as files, or listed */
    nd_output_file *removed_records; /* NULL: not wanted */
    nd_table removed, clusters, edges, review;
    bool origins; /* rows of `removed` end with URIs and dates: the input is WARC */
} nd_dedup_outputs;

/* Opens the outputs. *out is valid for nd_dedup_outputs_free in any case. ND_ERR_ARGUMENT: an
 * output is an input, or two outputs are the same file. */
nd_status nd_dedup_outputs_open(const nd_run *run, const nd_output_options *options,
                                const nd_dedup_plan *plan, nd_corpus *corpus, nd_dedup_outputs *out,
                                nd_error *error);

/* Completes all outputs, makes them durable, and gives them their names. Sets output_bytes and the
 * seconds of ND_STAGE_SYNC. */
nd_status nd_dedup_outputs_publish(nd_dedup_outputs *outputs, const nd_run *run,
                                   const nd_dedup_plan *plan, nd_job_summary *summary,
                                   nd_error *error);
/* Removes the files that had these names before. Without this call nd_dedup_outputs_free gives them
 * their names back. */
void nd_dedup_outputs_accept(nd_dedup_outputs *outputs);
void nd_dedup_outputs_free(nd_dedup_outputs *outputs);

/* The form of the records in the output `name`, which is `kept` or `removed_records` of the
 * options. ND_ERR_ARGUMENT: as of nd_output_format_choose. While the documents have not been read,
 * formats of pipes are unknown. */
nd_status nd_dedup_outputs_form(const nd_output_options *options, const char *name,
                                const nd_corpus *corpus, nd_record_form *out, nd_error *error);

#endif
