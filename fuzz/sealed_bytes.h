/* Changes the bytes of sealed files (storage/sealed_file.h) such that their hashes are right again.
 */
#ifndef ND_FUZZ_SEALED_BYTES_H
#define ND_FUZZ_SEALED_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Calls mutate_bytes, and in most cases corrects the hashes of pages. */
size_t sealed_mutate(uint8_t *bytes, size_t size, size_t most, uint64_t *random);
/* Returns the hash of the last page, as the file has it. */
uint64_t sealed_hash(const uint8_t *bytes, size_t size);

#endif
