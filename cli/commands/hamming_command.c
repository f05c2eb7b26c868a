#include "commands/hamming_command.h"

#include "output/complain.h"

const char hamming_missing[] = "no index or no fingerprints; name the directory of the index, then "
                               "a file, or - for standard input";

nd_fingerprint_source hamming_source(const fingerprint_settings *s, const char *path) {
    return (nd_fingerprint_source){
        .struct_size = sizeof(nd_fingerprint_source), .path = path, .format = s->file_format};
}

bool binary_agrees(const binary_settings *s, bool json) {
    if (s->binary && json) complain("--binary and --json: only one of them");
    return !(s->binary && json);
}

void hamming_put_binary(FILE *out, const uint64_t *numbers, int count) {
    unsigned char bytes[24];
    for (int i = 0; i < 8 * count; i++) bytes[i] = (unsigned char)(numbers[i / 8] >> i % 8 * 8);
    fwrite(bytes, 8, (size_t)count, out);
}
