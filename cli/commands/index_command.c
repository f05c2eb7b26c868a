#include "commands/index_command.h"

#include "output/complain.h"
#include "output/numbers.h"

#include <string.h>

const char index_missing[] = "no index; name its directory";
const char index_inputs_missing[] = "no index or no input; name the directory of the index, then "
                                    "files or directories, or - for standard input";

/* Whether the command's family, "index" or "hamming", is for this index. */
static bool is_of_family(const command *self, const nd_index_info *info) {
    return (strncmp(self->name, "hamming", strlen("hamming")) == 0) == (info->hamming.bits > 0);
}

nd_index *index_open(const command *self, const char *directory, nd_index_mode mode,
                     nd_index_info *info) {
    nd_index *index;
    nd_error error;
    if (nd_index_open(directory, mode, NULL, &index, &error) != ND_OK) {
        complain("%s", error.message);
        return NULL;
    }
    nd_index_describe(index, info);
    if (is_of_family(self, info)) return index;
    complain("%s: an index of %ss; use neardup %s %s", directory, index_noun(info),
             info->hamming.bits ? "hamming" : "index", command_word(self));
    nd_index_close(index);
    return NULL;
}

const char *index_noun(const nd_index_info *info) {
    return info->hamming.bits ? "fingerprint" : "document";
}

const char *index_counted(const nd_index_info *info, uint64_t count, char text[static 48]) {
    char number[32];
    snprintf(text, 48, "%s %s%s", number_grouped(count, number), index_noun(info),
             count == 1 ? "" : "s");
    return text;
}

void index_print_count(FILE *out, const char *label, uint64_t count, const char *remark) {
    char number[32];
    fprintf(out, "%-16s%15s%s%s\n", label, number_grouped(count, number), *remark ? "  " : "",
            remark);
}
