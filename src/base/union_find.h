/* Disjoint sets over 0 .. count - 1. The representative of a set is its least member (Tarjan 1975;
 * here linked by index, with path halving: amortised O(log n) per operation). */
#ifndef ND_BASE_UNION_FIND_H
#define ND_BASE_UNION_FIND_H

#include <stddef.h>
#include <stdint.h>

static inline void nd_union_find_init(uint32_t *parent, size_t count) {
    for (size_t i = 0; i < count; i++) parent[i] = (uint32_t)i;
}

static inline uint32_t nd_union_find_root(uint32_t *parent, uint32_t x) {
    while (parent[x] != x) {
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    return x;
}

static inline void nd_union_find_join(uint32_t *parent, uint32_t a, uint32_t b) {
    a = nd_union_find_root(parent, a);
    b = nd_union_find_root(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

#endif
