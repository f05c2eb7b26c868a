#include "output/results.h"

#include "output/interrupt.h"
#include "output/temporary_file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static nd_status fail(nd_error *error, const char *name, int reason) {
    error->status = ND_ERR_IO;
    snprintf(error->message, sizeof error->message, "%s: %s", name, strerror(reason));
    return ND_ERR_IO;
}

nd_status results_open(results *r, const char *path, const char *header, nd_error *error) {
    *r = (results){.out = stdout, .header = header};
    if (!path || strcmp(path, "-") == 0) return ND_OK;
    r->path = path;
    r->out = temporary_file_open(path, error);
    return r->out ? ND_OK : ND_ERR_IO;
}

void results_begin(results *r) {
    if (!r->begun && r->header) fputs(r->header, r->out);
    r->begun = true;
}

bool results_go_on(results *r) {
    if (ferror(r->out)) r->failure = errno;
    return !r->failure && !interrupt_pending();
}

static nd_status write_file(const results *r, nd_error *error) {
    off_t size = ftello(r->out);
    if (size <= 0) return nd_write_file(r->path, NULL, 0, error);
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fileno(r->out), 0);
    if (bytes == MAP_FAILED) return fail(error, r->path, errno);
    nd_status status = nd_write_file(r->path, bytes, (size_t)size, error);
    munmap(bytes, (size_t)size);
    return status;
}

nd_status results_close(results *r, nd_status status, nd_error *error) {
    if (status == ND_OK) results_begin(r);
    if (status == ND_OK && fflush(r->out) != 0) r->failure = errno;
    if (r->failure) status = fail(error, r->path ? r->path : "standard output", r->failure);
    else if (status == ND_OK && r->path) status = write_file(r, error);
    if (r->path) fclose(r->out);
    return status;
}
