/* The bytes of sealed files (storage/sealed_file.h), changed so that they are whole again. */
#ifndef ND_FUZZ_SEALED_BYTES_H
#define ND_FUZZ_SEALED_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* mutate_bytes, and as a rule the hashes of pages put right. */
size_t sealed_mutate(uint8_t *bytes, size_t size, size_t most, uint64_t *random);
/* That of the last page, as the file says. */
uint64_t sealed_hash(const uint8_t *bytes, size_t size);

#endif
