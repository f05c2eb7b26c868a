#include "flags/fingerprint_flags.h"

#include "output/complain.h"

const unsigned fingerprint_lengths[] = {16, 32, 64, 128};
static const unsigned formats[] = {ND_FINGERPRINTS_HEX, ND_FINGERPRINTS_U64, ND_FINGERPRINTS_U128};

static const flag bits[] = {BITS_FLAG("")};

static const flag format[] = {
    {.name = "format",
     .kind = FLAG_CHOICE,
     .choices = "hex|u64|u128",
     .values = formats,
     .offset = offsetof(fingerprint_settings, file_format),
     .help = "what is in the files; hex: lines of id, tab and digits, as neardup "
             "simhash writes them; u64, u128: raw numbers"},
};

static const flag tables[] = {
    {.name = "tables",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .offset = offsetof(fingerprint_settings, tables),
     .fallback = "no limit",
     .help = "most bytes that the tables of a query may take"},
};

const flag_table bits_flags = FLAG_TABLE("Fingerprints", bits);
const flag_table format_flags = FLAG_TABLE("Input", format);
const flag_table tables_flags = FLAG_TABLE("Fingerprints", tables);

void fingerprint_settings_init(fingerprint_settings *s) {
    nd_hamming_options hamming;
    nd_hamming_options_init(&hamming, sizeof hamming);
    *s = (fingerprint_settings){
        .bits = hamming.bits, .k = K_UNSET, .file_format = ND_FINGERPRINTS_HEX};
}

uint32_t fingerprint_k(const fingerprint_settings *s, uint32_t usual) {
    return s->k == K_UNSET ? usual : s->k;
}

bool fingerprint_k_fits(uint32_t k, uint32_t length) {
    if (k <= length / 4) return true;
    complain("--k %u: must be a whole number from 0 to %u with --bits %u", (unsigned)k,
             (unsigned)(length / 4), (unsigned)length);
    return false;
}
