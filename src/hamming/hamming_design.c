#include "hamming/hamming_design.h"

#include "base/format.h"
#include "base/status.h"

/* The bits [from, from + width), counted from the highest bit of a fingerprint down. */
static nd_fingerprint span(uint32_t bits, uint32_t from, uint32_t width) {
    nd_fingerprint mask = {0, 0};
    for (uint32_t bit = bits - from - width; bit < bits - from; bit++) {
        if (bit < 64) mask.low |= UINT64_C(1) << bit;
        else mask.high |= UINT64_C(1) << (bit - 64);
    }
    return mask;
}

/* Cuts the bits of `of` into parts whose sizes differ by at most one bit, the larger first. */
static void cut(uint32_t bits, nd_fingerprint of, uint32_t parts, nd_fingerprint *out) {
    uint32_t weight = nd_fingerprint_weight(of), bit = bits;
    for (uint32_t p = 0; p < parts; p++) {
        uint32_t width = weight / parts + (p < weight % parts);
        out[p] = (nd_fingerprint){0, 0};
        while (width > 0) {
            nd_fingerprint one = span(bits, bits - bit, 1);
            bit--;
            if (nd_fingerprint_weight(nd_fingerprint_and(of, one)) == 0) continue;
            out[p] = nd_fingerprint_or(out[p], one);
            width--;
        }
    }
}

static uint64_t choose(uint32_t n, uint32_t c) {
    uint64_t product = 1;
    for (uint32_t i = 1; i <= c && product <= ND_HAMMING_MOST_TABLES * UINT64_C(128); i++)
        product = product * (n - c + i) / i;
    return product;
}

static uint64_t table_count(const nd_hamming_design *d) {
    switch (d->kind) {
    case ND_HAMMING_WINDOWS: return d->blocks;
    case ND_HAMMING_BLOCKS: return choose(d->blocks, d->chosen);
    case ND_HAMMING_NESTED: return (uint64_t)d->blocks * d->blocks;
    case ND_HAMMING_SCAN: break;
    }
    return 1;
}

nd_status nd_hamming_design_check(const nd_hamming_design *d, nd_error *error) {
    bool bits = (d->bits >= 2 && d->bits <= 64) || d->bits == 128, fine = false;
    switch (d->kind) {
    case ND_HAMMING_SCAN: fine = d->blocks == 0 && d->chosen == 1; break;
    case ND_HAMMING_WINDOWS:
        fine = d->chosen == 1 && d->blocks >= 1 && d->blocks <= d->bits && d->blocks <= d->k + 1;
        break;
    case ND_HAMMING_BLOCKS:
        fine = d->chosen >= 2 && d->blocks <= d->bits && d->blocks == (uint64_t)d->chosen + d->k;
        break;
    case ND_HAMMING_NESTED:
        fine = d->chosen == 1 && d->blocks == d->k + 1 &&
               (uint64_t)d->blocks * d->blocks <= d->bits;
        break;
    default: break;
    }
    if (bits && d->k < d->bits && fine && table_count(d) <= ND_HAMMING_MOST_TABLES) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "no design of Hamming search: kind %u, %u bits, k = %u, %u of %u blocks",
                   (unsigned)d->kind, d->bits, d->k, d->chosen, d->blocks);
}

/* Moves to the next choice of c of n numbers; each choice ascends. False: it was the last. */
static bool next_choice(uint32_t *choice, uint32_t c, uint32_t n) {
    for (uint32_t i = c; i-- > 0;) {
        if (choice[i] == n - c + i) continue;
        choice[i]++;
        for (uint32_t j = i + 1; j < c; j++) choice[j] = choice[j - 1] + 1;
        return true;
    }
    return false;
}

static void choose_blocks(const nd_hamming_design *d, nd_hamming_windows *out) {
    nd_fingerprint blocks[128];
    uint32_t choice[128];
    cut(d->bits, nd_fingerprint_mask(d->bits), d->blocks, blocks);
    for (uint32_t i = 0; i < d->chosen; i++) choice[i] = i;
    do {
        nd_fingerprint mask = {0, 0};
        for (uint32_t i = 0; i < d->chosen; i++) mask = nd_fingerprint_or(mask, blocks[choice[i]]);
        out->masks[out->count++] = mask;
    } while (next_choice(choice, d->chosen, d->blocks));
}

static void nest(const nd_hamming_design *d, nd_hamming_windows *out) {
    nd_fingerprint all = nd_fingerprint_mask(d->bits), outer[128], inner[128];
    cut(d->bits, all, d->blocks, outer);
    for (uint32_t i = 0; i < d->blocks; i++) {
        cut(d->bits, nd_fingerprint_xor(all, outer[i]), d->blocks, inner);
        for (uint32_t j = 0; j < d->blocks; j++)
            out->masks[out->count++] = nd_fingerprint_or(outer[i], inner[j]);
    }
}

void nd_hamming_windows_of(const nd_hamming_design *d, nd_hamming_windows *out) {
    *out = (nd_hamming_windows){0};
    if (d->kind == ND_HAMMING_BLOCKS) choose_blocks(d, out);
    else if (d->kind == ND_HAMMING_NESTED) nest(d, out);
    else if (d->kind == ND_HAMMING_WINDOWS)
        cut(d->bits, nd_fingerprint_mask(d->bits), out->count = d->blocks, out->masks);
    else out->count = 1;
    for (uint32_t t = 0; t < out->count; t++) out->widths[t] = nd_fingerprint_weight(out->masks[t]);
}

void nd_hamming_errors(const nd_hamming_design *d, uint32_t k, int errors[ND_HAMMING_MOST_TABLES]) {
    uint32_t count = (uint32_t)table_count(d);
    if (d->kind != ND_HAMMING_WINDOWS) {
        for (uint32_t t = 0; t < count; t++) errors[t] = 0;
        return;
    }
    for (uint32_t t = 0; t < count; t++)
        errors[t] = (int)((k + 1) / count + (t < (k + 1) % count)) - 1;
}

bool nd_hamming_is_first(const nd_hamming_windows *windows, const int *errors, uint32_t table,
                         nd_fingerprint unlike) {
    for (uint32_t t = 0; t < table; t++)
        if ((int)nd_fingerprint_weight(nd_fingerprint_and(unlike, windows->masks[t])) <= errors[t])
            return false;
    return (int)nd_fingerprint_weight(nd_fingerprint_and(unlike, windows->masks[table])) <=
           errors[table];
}

void nd_hamming_design_name(const nd_hamming_design *d, char *text, size_t size) {
    unsigned blocks = d->blocks, chosen = d->chosen;
    const char *s = blocks == 1 ? "" : "s";
    switch (d->kind) {
    case ND_HAMMING_WINDOWS: nd_format(text, size, "%u window%s", blocks, s); break;
    case ND_HAMMING_BLOCKS: nd_format(text, size, "%u of %u blocks", chosen, blocks); break;
    case ND_HAMMING_NESTED: nd_format(text, size, "1 of %u blocks twice", blocks); break;
    case ND_HAMMING_SCAN: nd_format(text, size, "scan"); break;
    }
}

size_t nd_hamming_designs(uint32_t bits, uint32_t k,
                          nd_hamming_design out[ND_HAMMING_MOST_DESIGNS]) {
    size_t count = 0;
    nd_hamming_design d = {.kind = ND_HAMMING_SCAN, .bits = bits, .k = k, .chosen = 1};
    out[count++] = d;
    d.kind = ND_HAMMING_WINDOWS;
    for (d.blocks = 1; d.blocks <= k + 1; d.blocks++)
        if (nd_hamming_design_check(&d, NULL) == ND_OK) out[count++] = d;
    d.kind = ND_HAMMING_BLOCKS;
    for (d.chosen = 2; d.chosen <= 5 && k > 0; d.chosen++) {
        d.blocks = d.chosen + k;
        if (nd_hamming_design_check(&d, NULL) == ND_OK) out[count++] = d;
    }
    d = (nd_hamming_design){
        .kind = ND_HAMMING_NESTED, .bits = bits, .k = k, .blocks = k + 1, .chosen = 1};
    if (k > 0 && nd_hamming_design_check(&d, NULL) == ND_OK) out[count++] = d;
    return count;
}
