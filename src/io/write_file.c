/* nd_write_file, which is public (neardup.h): writes one file that appears complete or not at all.
 */
#include "base/argument.h"
#include "io/publication.h"

static nd_status write_all(nd_output_file *file, const void *bytes, size_t size, nd_error *error) {
    const nd_publication outputs = {.files = &file, .count = 1};
    if (size > 0) ND_TRY(nd_output_file_write(file, bytes, size, error));
    ND_TRY(nd_output_file_finish(file, error));
    ND_TRY(nd_publish(&outputs, error));
    nd_publication_accept(&outputs);
    return ND_OK;
}

nd_status nd_write_file(const char *path, const void *bytes, size_t size, nd_error *error) {
    nd_output_file *file;
    ND_TRY(nd_need_path(path, error));
    ND_TRY(nd_need_array(bytes, size, "bytes", error));
    ND_TRY(nd_output_file_open(path, NULL, &nd_allocator_default, &file, error));
    nd_status status = write_all(file, bytes, size, error);
    nd_output_file_free(file);
    return status;
}
