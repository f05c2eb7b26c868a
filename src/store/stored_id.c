#include "store/stored_id.h"

#include "base/hash.h"

uint64_t nd_id_hash(const char *id, size_t length) {
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    return nd_mix64(nd_hash_token(&key, id, length));
}

size_t nd_id_of_number(uint64_t number, nd_id_digits *digits) {
    size_t length = 1, i;
    for (uint64_t rest = number; rest > 9; rest /= 10) length++;
    for (i = length; i > 0; number /= 10) digits->bytes[--i] = (char)('0' + number % 10);
    return length;
}

bool nd_id_to_number(const char *id, size_t length, uint32_t *number) {
    uint64_t value = 0;
    if (length < 1 || length > 10 || (length > 1 && id[0] == '0')) return false;
    for (size_t i = 0; i < length; i++) {
        if (id[i] < '0' || id[i] > '9') return false;
        value = value * 10 + (uint64_t)(id[i] - '0');
    }
    *number = (uint32_t)value;
    return value < UINT32_MAX;
}
