#include "commands/index_command.h"

#include "output/complain.h"
#include "output/numbers.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char index_missing[] = "no index; name its directory";
const char index_inputs_missing[] = "no index or no input; name the directory of the index, then "
                                    "files or directories, or - for standard input";

static bool is_hamming(const command *self) {
    return strncmp(self->name, "hamming", strlen("hamming")) == 0;
}

static nd_status open_kind(bool hamming, const char *directory, nd_index_mode mode, open_index *out,
                           nd_error *error) {
    *out = (open_index){.documents = NULL};
    return hamming ? nd_hamming_open(directory, mode, NULL, &out->fingerprints, error)
                   : nd_index_open(directory, mode, NULL, &out->documents, error);
}

bool index_open(const command *self, const char *directory, nd_index_mode mode, open_index *out) {
    bool hamming = is_hamming(self);
    nd_error error, ignored;
    if (open_kind(hamming, directory, mode, out, &error) == ND_OK) return true;
    /* Most likely the other family's command is meant. */
    if (error.status == ND_ERR_ARGUMENT &&
        open_kind(!hamming, directory, ND_INDEX_READ, out, &ignored) == ND_OK) {
        complain("%s: an index of %ss; use neardup %s %s", directory, index_noun(out),
                 hamming ? "index" : "hamming", command_word(self));
        index_close(out);
    } else complain("%s", error.message);
    return false;
}

void index_close(open_index *index) {
    nd_index_close(index->documents);
    nd_hamming_close(index->fingerprints);
}

nd_status index_open_grown(const char *directory, const nd_index_options *new_options,
                           const batch_settings *batch, nd_index **out, nd_error *error) {
    nd_status status = ND_OK;
    if (access(directory, F_OK) != 0 && errno == ENOENT)
        status = nd_index_create(directory, new_options, error);
    if (status == ND_OK) status = nd_index_open(directory, ND_INDEX_WRITE, NULL, out, error);
    if (status == ND_OK) nd_index_set_sync(*out, sync_of(batch));
    return status;
}

index_size index_measure(const open_index *index) {
    nd_index_info documents = {.struct_size = sizeof documents};
    nd_hamming_info fingerprints = {.struct_size = sizeof fingerprints};
    nd_error error;
    nd_status status = index->documents
                           ? nd_index_describe(index->documents, &documents, &error)
                           : nd_hamming_describe(index->fingerprints, &fingerprints, &error);
    if (status != ND_OK) complain("%s", error.message);
    return index->documents ? (index_size){documents.documents, documents.bytes}
                            : (index_size){fingerprints.fingerprints, fingerprints.bytes};
}

const char *index_noun(const open_index *index) {
    return index->documents ? "document" : "fingerprint";
}

const char *index_counted(const char *noun, uint64_t count, char text[static 48]) {
    char number[32];
    snprintf(text, 48, "%s %s%s", number_grouped(count, number), noun, count == 1 ? "" : "s");
    return text;
}

void index_print_count(FILE *out, const char *label, uint64_t count, const char *remark) {
    char number[32];
    fprintf(out, "%-16s%15s%s%s\n", label, number_grouped(count, number), *remark ? "  " : "",
            remark);
}
