#include "job/pass_job.h"

#include "base/machine.h"
#include "io/publication.h"

void nd_pass_job_begin(nd_job *job, const nd_job_options *options) {
    *job = (nd_job){.task = ND_TASK_PASS,
                    .options = *options,
                    .allocator = nd_allocator_or_default(options->allocator),
                    .progress = nd_progress_of(options),
                    .stage_began = nd_seconds()};
    nd_job_options *o = &job->options;
    o->keep = ND_KEEP_FIRST;
    o->removed = o->clusters = o->edges = o->index = NULL;
}

nd_status nd_pass_job_publish(nd_job *job, nd_output_file *const *outputs, size_t count,
                              nd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!outputs[i]) continue;
        ND_TRY(nd_output_file_finish(outputs[i], error));
        job->summary.output_bytes += nd_output_file_size(outputs[i]);
    }
    double began = nd_seconds();
    ND_TRY(nd_progress_tell(&job->progress, ND_STAGE_SYNC, 0, 0, error));
    const nd_publication all = {outputs, count, NULL};
    ND_TRY(nd_publish(&all, error));
    nd_publication_accept(&all);
    job->summary.seconds[ND_STAGE_SYNC] = nd_seconds() - began;
    return ND_OK;
}

void nd_pass_job_end(nd_job *job, nd_status status, nd_job_summary *summary) {
    nd_job_summary *s = &job->summary;
    s->total_seconds = nd_seconds() - job->stage_began;
    s->seconds[ND_STAGE_READ] = s->total_seconds - s->seconds[ND_STAGE_SYNC];
    s->work_bytes = atomic_load(&job->disk.most);
    s->peak_memory = nd_peak_memory();
    if (status == ND_OK && summary) *summary = *s;
    nd_job_close_input(job);
}
