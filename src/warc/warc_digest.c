#include "warc/warc_digest.h"

#ifdef ND_WITH_CRYPTO

#include <openssl/evp.h>

#include <string.h>

typedef struct algorithm {
    const char *name;
    const EVP_MD *(*make)(void);
    size_t size; /* bytes */
} algorithm;

/* The value of a digit, `bits` of them; 255: it is none. */
static unsigned digit_of(char c, unsigned bits) {
    char letter = (char)(c | 0x20);
    bool is_letter = letter >= 'a' && letter <= 'z';
    unsigned value = 255;
    if (bits == 5 && is_letter) value = (unsigned)(letter - 'a');
    else if (bits == 5 && c >= '2' && c <= '7') value = (unsigned)(c - '2') + 26;
    else if (bits == 4 && c >= '0' && c <= '9') value = (unsigned)(c - '0');
    else if (bits == 4 && letter >= 'a' && letter <= 'f') value = (unsigned)(letter - 'a') + 10;
    return value;
}

/* Reads a digest of `size` bytes: base32 or hexadecimal, as its length says. */
static bool read_digest(nd_span text, size_t size, unsigned char *out) {
    while (text.length > 0 && text.bytes[text.length - 1] == '=') text.length--;
    unsigned bits = text.length == 2 * size ? 4 : 5, held = 0, known = 0;
    if (bits == 5 && text.length != (size * 8 + 4) / 5) return false;
    for (size_t i = 0, at = 0; i < text.length && at < size; i++) {
        unsigned digit = digit_of(text.bytes[i], bits);
        if (digit == 255) return false;
        held = held << bits | digit;
        known += bits;
        if (known < 8) continue;
        known -= 8;
        out[at++] = (unsigned char)(held >> known);
    }
    return true;
}

nd_digest_check nd_digest_compare(nd_span digest, const char *bytes, size_t length) {
    static const algorithm algorithms[] = {{"sha1", EVP_sha1, 20},     {"sha-1", EVP_sha1, 20},
                                           {"sha256", EVP_sha256, 32}, {"sha-256", EVP_sha256, 32},
                                           {"sha512", EVP_sha512, 64}, {"sha-512", EVP_sha512, 64},
                                           {"md5", EVP_md5, 16}};
    unsigned char wanted[EVP_MAX_MD_SIZE], is[EVP_MAX_MD_SIZE];
    nd_span value, name = nd_span_trim(nd_span_split(digest, ':', &value));
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        const algorithm *a = &algorithms[i];
        if (!nd_span_is(name, a->name)) continue;
        if (!read_digest(nd_span_trim(value), a->size, wanted) ||
            EVP_Digest(bytes, length, is, NULL, a->make(), NULL) != 1)
            return ND_DIGEST_UNKNOWN;
        return memcmp(is, wanted, a->size) == 0 ? ND_DIGEST_EQUAL : ND_DIGEST_OTHER;
    }
    return ND_DIGEST_UNKNOWN;
}

bool nd_has_digests(void) { return true; }

#else

nd_digest_check nd_digest_compare(nd_span digest, const char *bytes, size_t length) {
    (void)digest;
    (void)bytes;
    (void)length;
    return ND_DIGEST_UNKNOWN;
}

bool nd_has_digests(void) { return false; }

#endif
