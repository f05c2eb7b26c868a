#include "unicode/case_fold.h"

#include "base/bits.h"
#include "base/status.h"
#include "kernel/kernel.h"

/* The most bytes that a code point folds to: three code points of four bytes. Each is stored as a
 * word of four bytes. */
enum { ROOM = 12 };

static nd_status make_room(nd_folded *out, size_t more, nd_error *error) {
    const nd_allocator *allocator = &out->cluster.allocator;
    if (nd_reserve(allocator, &out->bytes, &out->capacity, out->length + more)) return ND_OK;
    return nd_fail_memory(error, out->length + more, "a folded text");
}

static void put(nd_folded *out, uint32_t cp) {
    uint32_t to[3];
    unsigned count = nd_unicode_fold_to(cp, nd_unicode_entry(cp), to), width;
    for (unsigned i = 0; i < count; i++, out->length += width)
        nd_store_le32(out->bytes + out->length, nd_utf8_pack(to[i], &width));
}

nd_status nd_fold(nd_folded *out, const char *text, size_t length, nd_error *error) {
    size_t at = nd_kernel_get()->ascii_prefix(text, length);
    out->length = 0;
    /* The next character may change the last ASCII one. */
    if (at < length && at > 0) at--;
    ND_TRY(make_room(out, length + ROOM, error));
    for (size_t i = 0; i < at; i++)
        out->bytes[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + ('a' - 'A') : text[i]);
    out->length = at;
    while (at < length) {
        ND_TRY(nd_cluster_normalize(&out->cluster, (const unsigned char *)text, length, at, &at,
                                    error));
        ND_TRY(make_room(out, (out->cluster.count + 1) * ROOM, error));
        for (size_t i = 0; i < out->cluster.count; i++) put(out, out->cluster.chars[i]);
    }
    return ND_OK;
}

void nd_folded_clear(nd_folded *folded) {
    nd_release(&folded->cluster.allocator, folded->bytes);
    nd_cluster_clear(&folded->cluster);
    *folded = (nd_folded){.cluster.allocator = folded->cluster.allocator};
}
