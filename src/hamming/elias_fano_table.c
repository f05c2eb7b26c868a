#include "hamming/elias_fano_table.h"

#include "base/limits.h"
#include "storage/bit_writer.h"

#include <inttypes.h>

enum {
    TAG_HEADS,
    TAG_DIRECTORY,
    TAG_SAMPLES,
    TAG_TAILS,
    MOST_WIDTH = 57, /* a head and the bits before it in its byte fit one word of 64 bits */
    MOST_BUCKET_BITS = 31,
    SAMPLED = ND_EF_TABLE_SAMPLED,
    MEMORY = ND_LIMIT(8 << 20, 0) /* bytes of each spool */
};

static unsigned head_bits(uint32_t bits) { return bits < 64 ? bits : 64; }

static unsigned floor_log2(uint64_t x) { return x < 2 ? 0 : 63 - (unsigned)__builtin_clzll(x); }

unsigned nd_ef_table_bucket_bits(uint32_t bits, uint64_t keys, nd_ef_table_use use) {
    enum { SCANNED = 8 }; /* 2^8 times the keys per bucket */
    unsigned head = head_bits(bits), wanted = floor_log2(keys),
             least = head > MOST_WIDTH ? head - MOST_WIDTH : 0;
    unsigned most = head - 1 < MOST_BUCKET_BITS ? head - 1 : MOST_BUCKET_BITS;
    if (use == ND_EF_SCANNED) wanted = wanted < SCANNED ? 0 : wanted - SCANNED;
    return wanted < least ? least : wanted > most ? most : wanted;
}

static uint64_t sample_count(unsigned bucket_bits) {
    return ((UINT64_C(1) << bucket_bits) + SAMPLED - 1) / SAMPLED + 1;
}

static uint64_t directory_size(uint64_t keys, unsigned bucket_bits) {
    return (keys + (UINT64_C(1) << bucket_bits) + 63) / 64 * 8;
}

static uint64_t heads_size(uint64_t keys, unsigned width) { return (keys * width + 7) / 8; }

double nd_ef_table_bytes(uint32_t bits, double keys) {
    unsigned head = head_bits(bits), bucket_bits = 0;
    while (bucket_bits + 1 < head && (double)(UINT64_C(2) << bucket_bits) <= keys) bucket_bits++;
    if (head - bucket_bits > MOST_WIDTH) bucket_bits = head - MOST_WIDTH;
    double buckets = (double)(UINT64_C(1) << bucket_bits);
    return (keys * (bits - bucket_bits) + keys + buckets + buckets / 2) / 8;
}

/* ---- writing */

struct nd_ef_table_writer {
    nd_allocator allocator;
    nd_sealed_writer *file;
    uint32_t tag, bits;
    unsigned bucket_bits, width;
    uint64_t keys;
    uint64_t sampled; /* samples so far */
    /* Finished words of the directory. In the word behind them, which directory.bits holds, the
     * bits of keys to come are still 1. */
    uint64_t words;
    nd_key last;
    nd_spool directory_spool, sample_spool, tail_spool;
    nd_bit_writer heads, directory, samples, tails;
};

nd_status nd_ef_table_writer_create(nd_sealed_writer *file, uint32_t tag, uint32_t bits,
                                    unsigned bucket_bits, const nd_allocator *allocator,
                                    nd_ef_table_writer **out, nd_error *error) {
    nd_ef_table_writer *w = nd_allocate_zero(allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a table of fingerprints");
    w->allocator = *allocator;
    w->file = file;
    w->tag = tag;
    w->bits = bits;
    w->bucket_bits = bucket_bits;
    w->width = head_bits(bits) - bucket_bits;
    nd_temp_space *disk = nd_sealed_writer_disk(file);
    nd_spool_init(&w->directory_spool, allocator, disk, MEMORY,
                  "the directory of a table of fingerprints");
    nd_spool_init(&w->sample_spool, allocator, disk, MEMORY,
                  "the samples of a table of fingerprints");
    nd_spool_init(&w->tail_spool, allocator, disk, MEMORY, "the tails of a table of fingerprints");
    w->heads.file = file;
    w->directory.spool = &w->directory_spool;
    w->samples.spool = &w->sample_spool;
    w->tails.spool = &w->tail_spool;
    w->directory.bits.word = ~UINT64_C(0);
    nd_status status = nd_sealed_begin(file, tag + TAG_HEADS, error);
    if (status != ND_OK) {
        nd_ef_table_writer_free(w);
        return status;
    }
    *out = w;
    return ND_OK;
}

void nd_ef_table_writer_free(nd_ef_table_writer *w) {
    if (!w) return;
    nd_spool_free(&w->directory_spool);
    nd_spool_free(&w->sample_spool);
    nd_spool_free(&w->tail_spool);
    nd_allocator allocator = w->allocator;
    nd_release(&allocator, w);
}

uint64_t nd_ef_table_count(const nd_ef_table_writer *w) { return w->keys; }

/* Writes the samples before number `end`: so many keys are in the buckets before each. */
static nd_status put_samples(nd_ef_table_writer *w, uint64_t end, uint64_t keys, nd_error *error) {
    for (; w->sampled < end; w->sampled++)
        ND_TRY(nd_bit_writer_put(&w->samples, &w->samples.bits, keys, 32, error));
    return ND_OK;
}

/* Writes the words of the directory before number `word`. */
static nd_status end_words(nd_ef_table_writer *w, uint64_t word, nd_error *error) {
    for (; w->words < word; w->words++) {
        ND_TRY(nd_bit_writer_put_word(&w->directory, w->directory.bits.word, error));
        w->directory.bits.word = ~UINT64_C(0);
    }
    return ND_OK;
}

static nd_status check_order(const nd_ef_table_writer *w, const uint64_t *keys, size_t count,
                             nd_error *error) {
    nd_key last = w->last;
    unsigned words = w->bits > 64 ? 2 : 1;
    bool ascend = true;
    for (size_t i = 0; i < count; i++) {
        nd_key key = {keys[i * words], words > 1 ? keys[i * words + 1] : 0};
        ascend &= (i == 0 && w->keys == 0) || nd_key_below(last, key);
        last = key;
    }
    if (!ascend)
        return nd_fail(error, ND_ERR_ARGUMENT, "fingerprints are out of order after %" PRIu64,
                       w->keys);
    return count <= UINT32_MAX - w->keys
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT, "a table has fewer than 2^32 fingerprints");
}

static nd_status put_heads(nd_ef_table_writer *w, const uint64_t *keys, size_t count,
                           nd_error *error) {
    nd_bits bits = w->heads.bits;
    unsigned words = w->bits > 64 ? 2 : 1, above = w->bucket_bits, below = 64 - w->width;
    for (size_t i = 0; i < count; i++)
        ND_TRY(nd_bit_writer_put(&w->heads, &bits, keys[i * words] << above >> below, w->width,
                                 error));
    w->heads.bits = bits;
    return ND_OK;
}

/* Clears the directory's bit of each key. Before it are the 0 bits of all earlier keys and the 1
 * bits of all buckets before the key's own. */
static nd_status put_directory(nd_ef_table_writer *w, const uint64_t *keys, size_t count,
                               nd_error *error) {
    const unsigned words = w->bits > 64 ? 2 : 1, bits = w->bucket_bits;
    uint64_t next_sampled = w->sampled * SAMPLED, next_word = (w->words + 1) * 64, zeros = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bucket = bits ? keys[i * words] >> (64 - bits) : 0, bit = w->keys + i + bucket;
        if (bucket >= next_sampled) {
            ND_TRY(put_samples(w, bucket / SAMPLED + 1, w->keys + i, error));
            next_sampled = w->sampled * SAMPLED;
        }
        if (bit >= next_word) {
            w->directory.bits.word &= ~zeros;
            zeros = 0;
            ND_TRY(end_words(w, bit / 64, error));
            next_word = (w->words + 1) * 64;
        }
        zeros |= UINT64_C(1) << bit % 64;
    }
    w->directory.bits.word &= ~zeros;
    return ND_OK;
}

nd_status nd_ef_table_put_all(nd_ef_table_writer *w, const uint64_t *keys, size_t count,
                              nd_error *error) {
    unsigned words = w->bits > 64 ? 2 : 1;
    if (count == 0) return ND_OK;
    ND_TRY(check_order(w, keys, count, error));
    ND_TRY(put_heads(w, keys, count, error));
    ND_TRY(put_directory(w, keys, count, error));
    for (size_t i = 0; words > 1 && i < count; i++)
        ND_TRY(nd_bit_writer_put_word(&w->tails, keys[i * 2 + 1], error));
    const uint64_t *last = keys + (count - 1) * words;
    w->last = (nd_key){last[0], words > 1 ? last[1] : 0};
    w->keys += count;
    return ND_OK;
}

nd_status nd_ef_table_put(nd_ef_table_writer *w, nd_key key, bool *distinct, nd_error *error) {
    bool fresh = w->keys == 0 || !nd_key_equal(w->last, key);
    if (distinct) *distinct = fresh;
    return fresh ? nd_ef_table_put_all(w, (uint64_t[]){key.head, key.tail}, 1, error) : ND_OK;
}

static nd_status write_spool(nd_ef_table_writer *w, uint32_t tag, const nd_bit_writer *stream,
                             nd_error *error) {
    ND_TRY(nd_sealed_begin(w->file, w->tag + tag, error));
    return nd_sealed_write_spool(w->file, stream->spool, error);
}

nd_status nd_ef_table_finish(nd_ef_table_writer *w, nd_error *error) {
    uint64_t bits = w->keys + (UINT64_C(1) << w->bucket_bits);
    ND_TRY(put_samples(w, sample_count(w->bucket_bits), w->keys, error));
    ND_TRY(end_words(w, bits / 64, error));
    w->directory.bits.word &= (UINT64_C(1) << bits % 64) - 1;
    w->directory.bits.used = (unsigned)(bits % 64);
    ND_TRY(nd_bit_writer_finish(&w->heads, error));
    ND_TRY(nd_bit_writer_finish_word(&w->directory, error));
    ND_TRY(write_spool(w, TAG_DIRECTORY, &w->directory, error));
    ND_TRY(nd_bit_writer_finish(&w->samples, error));
    ND_TRY(write_spool(w, TAG_SAMPLES, &w->samples, error));
    if (w->bits <= 64) return ND_OK;
    ND_TRY(nd_bit_writer_finish(&w->tails, error));
    return write_spool(w, TAG_TAILS, &w->tails, error);
}

/* ---- reading */

static nd_status damaged(const nd_ef_table *t, const nd_section *section, uint64_t offset,
                         const char *what, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %s at byte %" PRIu64,
                   nd_sealed_path(t->file), what, section->offset + offset);
}

nd_status nd_ef_table_open(const nd_sealed_file *file, uint32_t tag, uint32_t bits,
                           unsigned bucket_bits, uint64_t keys, nd_ef_table *out, nd_error *error) {
    nd_ef_table t = {.file = file,
                     .keys = keys,
                     .bits = bits,
                     .bucket_bits = bucket_bits,
                     .width = head_bits(bits) - bucket_bits};
    ND_TRY(nd_sealed_section(file, tag + TAG_HEADS, &t.heads, error));
    ND_TRY(nd_sealed_section(file, tag + TAG_DIRECTORY, &t.directory, error));
    ND_TRY(nd_sealed_section(file, tag + TAG_SAMPLES, &t.samples, error));
    if (bits > 64) ND_TRY(nd_sealed_section(file, tag + TAG_TAILS, &t.tails, error));
    bool fits = bucket_bits <= MOST_BUCKET_BITS && t.width >= 1 && t.width <= MOST_WIDTH &&
                t.heads.size == heads_size(keys, t.width) &&
                t.directory.size == directory_size(keys, bucket_bits) &&
                t.samples.size == sample_count(bucket_bits) * 4 &&
                (bits <= 64 || t.tails.size == keys * 8);
    if (!fits)
        return damaged(&t, &t.heads, 0, "a table of fingerprints has not the size of its keys",
                       error);
    *out = t;
    return ND_OK;
}

static nd_status word_at(const nd_ef_table *t, uint64_t word, uint64_t *out, nd_error *error) {
    const unsigned char *p;
    ND_TRY(nd_sealed_view(t->file, &t->directory, word * 8, 8, &p, error));
    *out = nd_load_le64(p);
    return ND_OK;
}

static nd_status sample_at(const nd_ef_table *t, uint64_t sample, uint64_t *out, nd_error *error) {
    const unsigned char *p;
    ND_TRY(nd_sealed_view(t->file, &t->samples, sample * 4, 4, &p, error));
    *out = nd_load_le32(p);
    if (*out > t->keys) return damaged(t, &t->samples, sample * 4, "a sample", error);
    return ND_OK;
}

/* Counts the words of the directory from `word` on that are 0, at most `most`: there are many where
 * thousands of keys are in one bucket. */
static nd_status zero_words(const nd_ef_table *t, uint64_t word, uint64_t most, uint64_t *count,
                            nd_error *error) {
    const uint64_t page_words = ND_SEALED_PAGE / 8, words = t->directory.size / 8;
    if (most > words - word) most = words - word;
    for (*count = 0; *count < most;) {
        const unsigned char *p;
        uint64_t at = word + *count, here = page_words - at % page_words;
        if (here > most - *count) here = most - *count;
        ND_TRY(nd_sealed_view(t->file, &t->directory, at * 8, here * 8, &p, error));
        for (uint64_t i = 0; i < here; i++, ++*count)
            if (nd_load_le64(p + i * 8) != 0) return ND_OK;
    }
    return ND_OK;
}

/* The position of the 1 bit number `rank` (from 0) of the directory, counted from bit `from` on. */
static nd_status select_end(const nd_ef_table *t, uint64_t from, uint64_t rank, uint64_t *out,
                            nd_error *error) {
    uint64_t i = from / 64, word, skipped;
    ND_TRY(word_at(t, i, &word, error));
    word &= ~UINT64_C(0) << from % 64;
    for (unsigned ones; ones = nd_popcount(word), ones <= rank;) {
        rank -= ones;
        i++;
        if (word == 0 && i < t->directory.size / 8) {
            ND_TRY(zero_words(t, i, UINT64_MAX, &skipped, error));
            i += skipped;
        }
        ND_TRY(word_at(t, i, &word, error));
    }
    *out = i * 64 + nd_select_bit(word, (unsigned)rank);
    return ND_OK;
}

nd_status nd_ef_table_bucket(const nd_ef_table *t, uint64_t number, nd_ef_bucket *out,
                             nd_error *error) {
    uint64_t sample = number / SAMPLED, rank = number % SAMPLED, before, from, first, last;
    ND_TRY(sample_at(t, sample, &before, error));
    from = before + sample * SAMPLED;
    first = from;
    if (rank > 0) {
        ND_TRY(select_end(t, from, rank - 1, &first, error));
        first++;
    }
    ND_TRY(select_end(t, first, 0, &last, error));
    if (first < number || last < number || last - number > t->keys)
        return damaged(t, &t->directory, last / 8, "the directory of a table", error);
    *out = (nd_ef_bucket){number, first - number, last - number};
    return ND_OK;
}

nd_status nd_ef_table_bucket_end(const nd_ef_table *t, uint64_t bucket, uint64_t known_bucket,
                                 uint64_t known_entry, uint64_t *end, nd_error *error) {
    uint64_t last;
    ND_TRY(select_end(t, known_entry + known_bucket, bucket - known_bucket, &last, error));
    *end = last - bucket;
    return last >= bucket && *end <= t->keys
               ? ND_OK
               : damaged(t, &t->directory, last / 8, "the directory of a table", error);
}

static nd_status head_at(const nd_ef_table *t, uint64_t entry, uint64_t *out, nd_error *error) {
    const unsigned char *p;
    uint64_t bit = entry * t->width;
    ND_TRY(nd_sealed_view(t->file, &t->heads, bit / 8, (bit % 8 + t->width + 7) / 8, &p, error));
    *out = nd_load_le64(p) >> bit % 8 & ((UINT64_C(1) << t->width) - 1);
    return ND_OK;
}

nd_status nd_ef_table_key_of_bucket(const nd_ef_table *t, uint64_t bucket, uint64_t entry,
                                    nd_key *out, nd_error *error) {
    uint64_t head;
    const unsigned char *p;
    ND_TRY(head_at(t, entry, &head, error));
    *out = (nd_key){head << (64 - t->width) >> t->bucket_bits, 0};
    if (t->bucket_bits) out->head |= bucket << (64 - t->bucket_bits);
    if (t->bits <= 64) return ND_OK;
    ND_TRY(nd_sealed_view(t->file, &t->tails, entry * 8, 8, &p, error));
    out->tail = nd_load_le64(p);
    return ND_OK;
}

/* The position in the directory of the 0 bit of an entry between two samples. Before it are a 0 bit
 * for each entry before and a 1 bit for each bucket before, so position - entry is the bucket. */
static nd_status position_of(const nd_ef_table *t, uint64_t sample, uint64_t sample_end,
                             uint64_t entry, uint64_t *position, nd_error *error) {
    uint64_t before, skipped;
    while (sample_end - sample > 1) {
        uint64_t middle = sample + (sample_end - sample) / 2;
        ND_TRY(sample_at(t, middle, &before, error));
        if (before <= entry) sample = middle;
        else sample_end = middle;
    }
    ND_TRY(sample_at(t, sample, &before, error));
    if (before > entry) return damaged(t, &t->samples, sample * 4, "a sample", error);
    uint64_t rank = entry - before, from = before + sample * SAMPLED, i = from / 64, word;
    ND_TRY(word_at(t, i, &word, error));
    word = ~word & ~UINT64_C(0) << from % 64;
    for (unsigned zeros; zeros = nd_popcount(word), zeros <= rank;) {
        rank -= zeros;
        i++;
        if (rank >= 64 && i < t->directory.size / 8) {
            ND_TRY(zero_words(t, i, rank / 64, &skipped, error));
            i += skipped;
            rank -= skipped * 64;
        }
        ND_TRY(word_at(t, i, &word, error));
        word = ~word;
    }
    *position = i * 64 + nd_select_bit(word, (unsigned)rank);
    return (*position - entry) >> t->bucket_bits
               ? damaged(t, &t->directory, i * 8, "the directory of a table", error)
               : ND_OK;
}

nd_status nd_ef_table_bucket_of(const nd_ef_table *t, uint64_t sample, uint64_t sample_end,
                                uint64_t entry, nd_ef_bucket *out, nd_error *error) {
    uint64_t position, last;
    ND_TRY(position_of(t, sample, sample_end, entry, &position, error));
    ND_TRY(select_end(t, position, 0, &last, error));
    *out = (nd_ef_bucket){position - entry, entry, last - (position - entry)};
    return ND_OK;
}

/* The sample before an entry, if keys are spread evenly. */
static uint64_t likely_sample(const nd_ef_table *t, uint64_t entry) {
    return entry * (t->samples.size / 4 - 1) / t->keys;
}

/* Finds two samples around an entry: galloping, in steps that double, from the likely sample. If
 * keys are spread evenly the two are a few samples apart. */
static nd_status find_samples(const nd_ef_table *t, uint64_t entry, uint64_t *first, uint64_t *end,
                              nd_error *error) {
    uint64_t samples = t->samples.size / 4 - 1, before, step = 1;
    *first = likely_sample(t, entry);
    *end = *first + 1;
    ND_TRY(sample_at(t, *first, &before, error));
    for (; before > entry && *first > 0; step *= 2) {
        *end = *first;
        *first -= *first < step ? *first : step;
        ND_TRY(sample_at(t, *first, &before, error));
    }
    for (step = 1; *end < samples; step *= 2) {
        ND_TRY(sample_at(t, *end, &before, error));
        if (before > entry) return ND_OK;
        *first = *end;
        *end += samples - *end < step ? samples - *end : step;
    }
    return ND_OK;
}

static nd_status find_position(const nd_ef_table *t, uint64_t entry, uint64_t *position,
                               nd_error *error) {
    uint64_t first, end;
    ND_TRY(find_samples(t, entry, &first, &end, error));
    return position_of(t, first, end, entry, position, error);
}

nd_status nd_ef_table_key(const nd_ef_table *t, uint64_t entry, nd_key *out, nd_error *error) {
    uint64_t position;
    ND_TRY(find_position(t, entry, &position, error));
    return nd_ef_table_key_of_bucket(t, position - entry, entry, out, error);
}

nd_status nd_ef_table_find_in(const nd_ef_table *t, const nd_ef_bucket *bucket, nd_key key,
                              uint64_t *entry, nd_error *error) {
    uint64_t begin = bucket->begin, end = bucket->end;
    *entry = UINT64_MAX;
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        nd_key here;
        ND_TRY(nd_ef_table_key_of_bucket(t, bucket->number, middle, &here, error));
        if (nd_key_equal(here, key)) {
            *entry = middle;
            return ND_OK;
        }
        if (nd_key_below(here, key)) begin = middle + 1;
        else end = middle;
    }
    return ND_OK;
}

nd_status nd_ef_table_find(const nd_ef_table *t, nd_key key, uint64_t *entry, nd_error *error) {
    nd_ef_bucket bucket;
    ND_TRY(nd_ef_table_bucket(t, nd_ef_table_bucket_number(t, key), &bucket, error));
    return nd_ef_table_find_in(t, &bucket, key, entry, error);
}

nd_status nd_ef_table_find_all(const nd_ef_table *t, const nd_key *keys, size_t count,
                               uint64_t *entries, nd_error *error) {
    enum { TOGETHER = 32 };
    nd_ef_bucket buckets[TOGETHER];
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < TOGETHER ? count - first : TOGETHER;
        for (size_t i = 0; i < some; i++) {
            buckets[i].number = nd_ef_table_bucket_number(t, keys[first + i]);
            nd_sealed_prefetch(t->file, &t->samples, buckets[i].number / SAMPLED * 4);
        }
        for (size_t i = 0; i < some; i++) {
            uint64_t sample = buckets[i].number / SAMPLED, before;
            ND_TRY(sample_at(t, sample, &before, error));
            nd_sealed_prefetch(t->file, &t->directory, (before + sample * SAMPLED) / 64 * 8);
        }
        for (size_t i = 0; i < some; i++) {
            ND_TRY(nd_ef_table_bucket(t, buckets[i].number, &buckets[i], error));
            nd_sealed_prefetch(t->file, &t->heads, buckets[i].begin * t->width / 8);
        }
        for (size_t i = 0; i < some; i++)
            ND_TRY(
                nd_ef_table_find_in(t, &buckets[i], keys[first + i], &entries[first + i], error));
    }
    return ND_OK;
}

nd_ef_cursor nd_ef_cursor_begin(const nd_ef_table *table) { return (nd_ef_cursor){.table = table}; }

nd_status nd_ef_cursor_next(nd_ef_cursor *c, bool *more, nd_error *error) {
    const nd_ef_table *t = c->table;
    nd_key before = c->key;
    *more = c->next < t->keys;
    if (!*more) return ND_OK;
    while (c->left == 0) {
        ND_TRY(word_at(t, c->words++, &c->left, error));
        c->left = ~c->left;
    }
    uint64_t position = (c->words - 1) * 64 + (unsigned)__builtin_ctzll(c->left),
             bucket = position - c->next;
    c->left &= c->left - 1;
    if (bucket >> t->bucket_bits)
        return damaged(t, &t->directory, position / 8, "the directory of a table", error);
    ND_TRY(nd_ef_table_key_of_bucket(t, bucket, c->next, &c->key, error));
    if (c->next > 0 && !nd_key_below(before, c->key))
        return damaged(t, &t->heads, c->next * t->width / 8, "the order of a table", error);
    c->next++;
    return ND_OK;
}

static nd_status check_sample(const nd_ef_table *t, uint64_t sample, uint64_t keys,
                              nd_error *error) {
    uint64_t before;
    ND_TRY(sample_at(t, sample, &before, error));
    return before == keys ? ND_OK : damaged(t, &t->samples, sample * 4, "a sample", error);
}

/* Checks the samples against the directory's 1 bits, and that no bit is set behind the last one. */
static nd_status check_directory(const nd_ef_table *t, nd_error *error) {
    uint64_t bits = t->keys + (UINT64_C(1) << t->bucket_bits), buckets = 0;
    ND_TRY(check_sample(t, 0, 0, error));
    for (uint64_t i = 0; i < t->directory.size / 8; i++) {
        uint64_t word,
            last = bits - i * 64 < 64 ? (UINT64_C(1) << (bits - i * 64)) - 1 : ~UINT64_C(0);
        ND_TRY(word_at(t, i, &word, error));
        if (word & ~last)
            return damaged(t, &t->directory, i * 8, "the directory of a table", error);
        /* A sample counts the keys in the first `sampled` buckets. If the last of these ends in
         * this word, at bit `end`, then bits 0 to `end` are `sampled` 1 bits and a 0 bit per key.
         */
        unsigned ones = nd_popcount(word);
        for (uint64_t sampled = (buckets / SAMPLED + 1) * SAMPLED; sampled <= buckets + ones;
             sampled += SAMPLED) {
            uint64_t end = i * 64 + nd_select_bit(word, (unsigned)(sampled - buckets - 1));
            if (sampled >> t->bucket_bits && sampled != UINT64_C(1) << t->bucket_bits)
                return damaged(t, &t->directory, i * 8, "the directory of a table", error);
            ND_TRY(check_sample(t, sampled / SAMPLED, end + 1 - sampled, error));
        }
        buckets += ones;
    }
    ND_TRY(check_sample(t, t->samples.size / 4 - 1, t->keys, error));
    return buckets == UINT64_C(1) << t->bucket_bits
               ? ND_OK
               : damaged(t, &t->directory, 0, "the directory of a table", error);
}

nd_status nd_ef_table_check(const nd_ef_table *t, nd_error *error) {
    nd_ef_cursor c = nd_ef_cursor_begin(t);
    ND_TRY(check_directory(t, error));
    for (bool more = true; more;) ND_TRY(nd_ef_cursor_next(&c, &more, error));
    return ND_OK;
}
