#include "dedup/equal_hashes.h"

nd_status nd_hash_runs_each(const nd_key_sort *sorter, const nd_allocator *allocator,
                            nd_hash_run_fn *fn, void *context, nd_error *error) {
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    for (size_t p = 0; status == ND_OK && p < nd_key_sort_parts(sorter); p++) {
        status = nd_key_sort_load(sorter, p, &buffer, error);
        const uint64_t *words = buffer.words;
        for (size_t begin = 0, end; status == ND_OK && begin < buffer.count; begin = end) {
            for (end = begin + 1; end < buffer.count && words[end] >> 32 == words[begin] >> 32;)
                end++;
            if (end - begin > 1) status = fn(context, words + begin, end - begin, error);
        }
    }
    nd_part_buffer_free(allocator, &buffer);
    return status;
}
