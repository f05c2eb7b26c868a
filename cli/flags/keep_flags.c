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

nd_survivor_options survivor_options_of(const keep_settings *s) {
    return (nd_survivor_options){
        .struct_size = sizeof(nd_survivor_options), .keep = s->keep, .keep_field = s->field};
}
