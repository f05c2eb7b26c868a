#include "flags/keep_flags.h"

static const flag flags[] = {
    {.name = "keep",
     .kind = FLAG_CHOICE,
     .choices = "first|longest|max:FIELD|min:FIELD",
     .offset = offsetof(keep_settings, keep),
     .detail = offsetof(keep_settings, field),
     .help = "which of several duplicates stays; FIELD holds a number, or an ISO 8601 date in a "
             "string"},
};

const flag_table keep_flags = FLAG_TABLE("Survivors", flags);

void keep_settings_apply(const keep_settings *s, nd_job_options *job) {
    job->keep = s->keep;
    job->keep_field = s->field;
}
