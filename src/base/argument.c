#include "base/argument.h"

nd_status nd_need(const void *pointer, const char *name, nd_error *error) {
    return pointer ? ND_OK : nd_fail(error, ND_ERR_ARGUMENT, "%s must not be NULL", name);
}

nd_status nd_need_path(const char *path, nd_error *error) {
    ND_TRY(nd_need(path, "path", error));
    return *path ? ND_OK : nd_fail(error, ND_ERR_ARGUMENT, "path must not be empty");
}

nd_status nd_need_array(const void *array, size_t count, const char *name, nd_error *error) {
    if (array || count == 0) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "%s must not be NULL where its length is %zu", name,
                   count);
}

nd_status nd_check_constant(int value, int last, const char *name, const char *first_name,
                            const char *last_name, nd_error *error) {
    if (value >= 0 && value <= last) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "%s must be %s (0) to %s (%d), not %d", name, first_name,
                   last_name, last, value);
}
