/* Sets of hashes as sorted arrays without repeats: nd_set_make, which is public (neardup.h).
 *
 * It can neither allocate nor fail, so it sorts in place. */
#include "neardup.h"

static void sift_down(uint64_t *a, size_t root, size_t count) {
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && a[child + 1] > a[child]) child++;
        if (a[root] >= a[child]) return;
        uint64_t t = a[root];
        a[root] = a[child];
        a[child] = t;
    }
}

static void heap_sort(uint64_t *a, size_t count) {
    for (size_t i = count / 2; i-- > 0;) sift_down(a, i, count);
    for (size_t end = count; end-- > 1;) {
        uint64_t t = a[0];
        a[0] = a[end];
        a[end] = t;
        sift_down(a, 0, end);
    }
}

/* One pass of American flag sort on the highest byte, then heap sort of each of the 256 runs. */
static void sort_hashes(uint64_t *a, size_t count) {
    size_t end[256] = {0}, next[256], sum = 0;
    for (size_t i = 0; i < count; i++) end[a[i] >> 56]++;
    for (size_t d = 0; d < 256; d++) {
        next[d] = sum;
        sum += end[d];
        end[d] = sum;
    }
    for (size_t d = 0, begin = 0; d < 256; begin = end[d], d++) {
        while (next[d] < end[d]) {
            size_t home = a[next[d]] >> 56;
            uint64_t t = a[next[d]];
            a[next[d]] = a[next[home]];
            a[next[home]++] = t;
        }
        heap_sort(a + begin, end[d] - begin);
    }
}

size_t nd_set_make(uint64_t *hashes, size_t count) {
    if (count == 0) return 0;
    sort_hashes(hashes, count);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (hashes[i] != hashes[kept - 1]) hashes[kept++] = hashes[i];
    return kept;
}
