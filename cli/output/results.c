#include "output/results.h"

#include "output/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static nd_status fail(nd_error *error, const char *name, int reason) {
    error->status = ND_ERR_IO;
    snprintf(error->message, sizeof error->message, "%s: %s", name, strerror(reason));
    return ND_ERR_IO;
}

/* Opens a file without a name. The directory of `path` has the space that the results will need
 * there; where it cannot have such files (/dev, some network file systems), the system's temporary
 * directory holds it. -1: reported in *error. */
static int open_temporary(const char *path, nd_error *error) {
    char name[PATH_MAX];
    const char *slash = strrchr(path, '/'), *directory = getenv("TMPDIR");
    int length = slash ? (int)(slash - path) + 1 : 1;
    snprintf(name, sizeof name, "%.*s", length, slash ? path : ".");
    int fd = open(name, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
    if (!directory || !*directory) directory = "/tmp";
    snprintf(name, sizeof name, "%s/neardup-XXXXXX", directory);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name);
    else fail(error, directory, errno);
    return fd;
}

nd_status results_open(results *r, const char *path, const char *header, nd_error *error) {
    *r = (results){.out = stdout, .header = header};
    if (!path || strcmp(path, "-") == 0) return ND_OK;
    int fd = open_temporary(path, error);
    if (fd < 0) return ND_ERR_IO;
    r->path = path;
    r->out = fdopen(fd, "w+");
    if (r->out) return ND_OK;
    close(fd);
    return fail(error, path, ENOMEM);
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
