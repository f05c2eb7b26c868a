#include "io/publication.h"

static nd_status sync_all(const nd_publication *p, nd_error *error) {
    for (size_t i = 0; i < p->count; i++)
        if (p->files[i]) ND_TRY(nd_output_file_sync(p->files[i], error));
    return p->tree ? nd_output_tree_sync(p->tree, error) : ND_OK;
}

static nd_status name_all(const nd_publication *p, nd_error *error) {
    for (size_t i = 0; i < p->count; i++)
        if (p->files[i]) ND_TRY(nd_output_file_name(p->files[i], error));
    if (p->tree) ND_TRY(nd_output_tree_name(p->tree, error));
    for (size_t i = 0; i < p->count; i++)
        if (p->files[i]) ND_TRY(nd_output_file_sync_name(p->files[i], error));
    return p->tree ? nd_output_tree_sync_name(p->tree, error) : ND_OK;
}

nd_status nd_publish(const nd_publication *p, nd_error *error) {
    ND_TRY(sync_all(p, error));
    nd_status status = name_all(p, error);
    if (status == ND_OK) return ND_OK;
    if (p->tree) nd_output_tree_roll_back(p->tree);
    for (size_t i = p->count; i-- > 0;)
        if (p->files[i]) nd_output_file_roll_back(p->files[i]);
    return status;
}

void nd_publication_accept(const nd_publication *p) {
    for (size_t i = 0; i < p->count; i++)
        if (p->files[i]) nd_output_file_accept(p->files[i]);
    if (p->tree) nd_output_tree_accept(p->tree);
}
