/* Bytes are hashed as the words that they are in little-endian order, the last one padded with
 * zeros, by the chains of base/hash_chains.h; the length in bytes ends the hash, so that padding
 * is not ambiguous. A chain multiplies by (word ^ constant), and forgets all before it if that is
 * 0. Text never has such a word: ND_HASH_C0 to C3 hold bytes that UTF-8 does not allow in this
 * order, wherever a word begins.
 *
 * A text is normalised into a buffer, cluster by cluster (unicode/normalize.h), and the buffer is
 * hashed. Words of ASCII with single spaces between them are copied as they are, and a character
 * that NFC does not change is taken by itself. */
#include "text/document_hash.h"

#include "base/alloc.h"
#include "base/bits.h"
#include "base/hash_chains.h"
#include "base/status.h"
#include "text/analyzer.h"
#include "text/shingle.h"
#include "unicode/normalize.h"

#include <string.h>

/* A buffer of more bytes is freed when the next text is shorter. */
#define SCRATCH_KEEP ((size_t)4 << 20)

struct nd_document_hasher {
    nd_allocator allocator;
    nd_equal by;
    nd_analyzer *analyzer; /* ND_EQUAL_TOKENS; else NULL */
    nd_cluster cluster;
    char *text; /* normalised */
    size_t size, capacity;
    bool after_space; /* white space came behind the last character of `text` */
};

nd_status nd_document_hasher_create(nd_equal by, const nd_analyzer_options *analyzer,
                                    const nd_allocator *allocator, nd_document_hasher **out,
                                    nd_error *error) {
    nd_document_hasher *h = nd_allocate_zero(allocator, 1, sizeof *h);
    if (!h) return nd_fail_memory(error, sizeof *h, "a hasher");
    h->allocator = h->cluster.allocator = *allocator;
    h->by = by;
    nd_status status = by == ND_EQUAL_TOKENS
                           ? nd_analyzer_create_for(ND_SHINGLES_AND_TEXT_HASH, analyzer, allocator,
                                                    &h->analyzer, error)
                           : ND_OK;
    if (status == ND_OK) *out = h;
    else nd_document_hasher_free(h);
    return status;
}

void nd_document_hasher_free(nd_document_hasher *h) {
    if (!h) return;
    const nd_allocator allocator = h->allocator;
    nd_analyzer_free(h->analyzer);
    nd_cluster_clear(&h->cluster);
    nd_release(&allocator, h->text);
    nd_release(&allocator, h);
}

/* ---- bytes */

static void hash_bytes(const char *text, size_t length, uint64_t hash[2]) {
    nd_chains chains = nd_chains_begin();
    size_t at = 0;
    uint64_t words[4];
    for (; length - at >= sizeof words; at += sizeof words) {
        for (size_t i = 0; i < 4; i++) words[i] = nd_load_le64(text + at + 8 * i);
        nd_chains_absorb(&chains, words);
    }
    if (at < length) {
        unsigned char last[sizeof words] = {0};
        memcpy(last, text + at, length - at);
        for (size_t i = 0; i < 4; i++) words[i] = nd_load_le64(last + 8 * i);
        nd_chains_absorb(&chains, words);
    }
    nd_chains_end(&chains, length, hash);
}

/* ---- normalised text */

static bool is_space(uint32_t cp) {
    if (cp < 0x80) return cp == ' ' || (cp >= '\t' && cp <= '\r');
    return cp == 0x85 || cp == 0xa0 || cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200a) ||
           cp == 0x2028 || cp == 0x2029 || cp == 0x202f || cp == 0x205f || cp == 0x3000;
}

/* Makes room for a text of `length` bytes. NFC makes none of its characters more than three times
 * as long (UAX #15, "Maximum Expansion"), and a space stands in place of white space. */
static nd_status prepare(nd_document_hasher *h, size_t length, nd_error *error) {
    if (h->capacity > SCRATCH_KEEP && length < SCRATCH_KEEP / 4) {
        nd_release(&h->allocator, h->text);
        h->text = NULL;
        h->capacity = 0;
    }
    h->size = 0;
    h->after_space = false;
    if (length > SIZE_MAX / 4 ||
        !nd_reserve(&h->allocator, &h->text, &h->capacity, 3 * length + sizeof(uint64_t)))
        return nd_fail_memory(error, length, "a normalised text");
    return ND_OK;
}

static void put(nd_document_hasher *h, uint32_t cp) {
    if (is_space(cp)) {
        h->after_space = true;
        return;
    }
    if (h->after_space && h->size > 0) h->text[h->size++] = ' ';
    h->after_space = false;
    unsigned width;
    uint32_t bytes = nd_utf8_pack(cp, &width);
    for (unsigned i = 0; i < width; i++) h->text[h->size++] = (char)(bytes >> 8 * i);
}

/* Puts the cluster at `at`, and moves `at` behind it. */
static nd_status put_cluster(nd_document_hasher *h, const char *text, size_t length, size_t *at,
                             nd_error *error) {
    ND_TRY(nd_cluster_normalize(&h->cluster, (const unsigned char *)text, length, *at, at, error));
    for (size_t i = 0; i < h->cluster.count; i++) put(h, h->cluster.chars[i]);
    return ND_OK;
}

/* Returns how many bytes at the beginning of a word are visible ASCII characters with single spaces
 * between them; the last of these is no space. REQUIRES: no space is before the word. */
static size_t plain_bytes(uint64_t word) {
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    uint64_t spaces = ~((word ^ ones * ' ') + ones * 0x7f) & high;
    uint64_t others = ((word | (word - ones * ' ')) & high) | (spaces & spaces << 8);
    size_t count = others ? (size_t)__builtin_ctzll(others) / 8 : 8;
    return count - (count > 0 && spaces >> (8 * count - 1) & 1);
}

static bool is_visible(const char *text, size_t length, size_t at) {
    return at < length && text[at] > ' ' && (unsigned char)text[at] < 0x80;
}

/* Whether the character at `at` may change the one before it. Malformed ones may. */
static bool is_mark(const unsigned char *text, size_t length, size_t at) {
    uint32_t cp;
    if (at == length || text[at] < 0x80) return false;
    return nd_utf8_decode(text + at, text + length, &cp) == 0 ||
           (nd_unicode_entry(cp) & ND_CHAR_NOT_BOUNDARY);
}

/* Puts visible ASCII characters with single spaces between them. Of 8 bytes that are stored, those
 * that are none of these are overwritten by the next ones. */
static void put_plain(nd_document_hasher *h, const char *text, size_t length, size_t *at) {
    if (h->after_space && h->size > 0) h->text[h->size++] = ' ';
    h->after_space = false;
    size_t from = *at, to = h->size;
    for (size_t count = 8; count >= 7 && length - from >= 8; from += count, to += count) {
        uint64_t word = nd_load_le64(text + from);
        nd_store_le64(h->text + to, word);
        count = plain_bytes(word);
    }
    while (is_visible(text, length, from) ||
           (from < length && text[from] == ' ' && is_visible(text, length, from + 1)))
        h->text[to++] = text[from++];
    *at = from;
    h->size = to;
}

/* Puts a character that NFC leaves as it is. False: it may not. */
static bool put_single(nd_document_hasher *h, const unsigned char *text, size_t length,
                       size_t *at) {
    uint32_t cp;
    unsigned width = nd_utf8_decode(text + *at, text + length, &cp);
    if (width == 0 || (nd_unicode_entry(cp) & (ND_CHAR_NO | ND_CHAR_NOT_BOUNDARY)) ||
        is_mark(text, length, *at + width))
        return false;
    put(h, cp);
    *at += width;
    return true;
}

/* Takes the last character back, for a mark behind it. */
static void take_back(nd_document_hasher *h, size_t *at) {
    --*at;
    --h->size;
    h->after_space = h->size > 0 && h->text[h->size - 1] == ' ';
    h->size -= h->after_space;
}

static nd_status normalize(nd_document_hasher *h, const char *text, size_t length,
                           nd_error *error) {
    const unsigned char *bytes = (const unsigned char *)text;
    ND_TRY(prepare(h, length, error));
    for (size_t at = 0; at < length;) {
        if (is_visible(text, length, at)) {
            put_plain(h, text, length, &at);
            if (!is_mark(bytes, length, at)) continue;
            take_back(h, &at);
        }
        if (!put_single(h, bytes, length, &at)) ND_TRY(put_cluster(h, text, length, &at, error));
    }
    return ND_OK;
}

/* ---- all kinds */

nd_status nd_document_hash(nd_document_hasher *h, const char *text, size_t length, uint64_t hash[2],
                           nd_error *error) {
    nd_shingles shingles;
    switch (h->by) {
    case ND_EQUAL_BYTES: hash_bytes(text, length, hash); break;
    case ND_EQUAL_TEXT:
        ND_TRY(normalize(h, text, length, error));
        hash_bytes(h->text, h->size, hash);
        break;
    case ND_EQUAL_TOKENS:
        ND_TRY(nd_analyze(h->analyzer, text, length, &shingles, error));
        memcpy(hash, shingles.text_hash, sizeof shingles.text_hash);
        break;
    }
    return ND_OK;
}
