#include "sketch/bucket_scan.h"

/* Sorts the ranks of a bucket, which are not in the order of its words if priority is not the order
 * of input: by insertion, or, if they are many, by a radix sort with the bucket's words, which have
 * been read, as scratch. */
static void sort_members(uint32_t *members, uint64_t *words, size_t count) {
    if (count <= 64) {
        for (size_t i = 1; i < count; i++) {
            uint32_t m = members[i];
            size_t j = i;
            for (; j > 0 && members[j - 1] > m; j--) members[j] = members[j - 1];
            members[j] = m;
        }
        return;
    }
    uint32_t *scratch = (uint32_t *)(void *)words;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t next[256] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++) next[(members[i] >> shift) & 255]++;
        for (unsigned d = 0; d < 256; d++) {
            size_t n = next[d];
            next[d] = sum;
            sum += n;
        }
        for (size_t i = 0; i < count; i++)
            scratch[next[(members[i] >> shift) & 255]++] = members[i];
        for (size_t i = 0; i < count; i++) members[i] = scratch[i];
    }
}

static nd_status emit_bucket(const uint32_t *members, size_t count, const nd_bucket_sink *sink,
                             nd_error *error) {
    if (count > ND_SMALL_BUCKET) return sink->large(sink->context, members, count, error);
    for (size_t later = 1; later < count; later++)
        for (size_t earlier = 0; earlier < later; earlier++)
            ND_TRY(sink->pair(sink->context, members[later], members[earlier], error));
    return ND_OK;
}

nd_status nd_bucket_scan(uint64_t *words, size_t count, const nd_bucket_filter *filter,
                         uint32_t *members, const nd_bucket_sink *sink, nd_error *error) {
    for (size_t begin = 0, end; begin < count; begin = end) {
        uint64_t key = words[begin] >> 32;
        for (end = begin + 1; end < count && words[end] >> 32 == key;) end++;
        if (end - begin < 2) continue;
        size_t used = 0;
        for (size_t i = begin; i < end; i++) {
            uint32_t document = (uint32_t)words[i];
            if (filter->left_out && filter->left_out[document >> 3] >> (document & 7) & 1) continue;
            members[used++] = filter->base +
                              (filter->rank_of ? filter->rank_of[document] : document);
        }
        if (used < 2) continue;
        if (filter->rank_of) sort_members(members, words + begin, used);
        ND_TRY(emit_bucket(members, used, sink, error));
    }
    return ND_OK;
}
