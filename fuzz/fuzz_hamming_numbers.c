/* The input is the bytes of a segment of 128-bit fingerprints with ids that are numbers. */
#include "sealed_target.h"
#include "small_fingerprints.h"

nd_hamming_options small_fingerprints_options(void) {
    return (nd_hamming_options){
        .struct_size = sizeof(nd_hamming_options), .bits = 128, .k = 2, .numbered = true};
}

const small_file *sealed_target_file(void) { return small_index_segment(0); }
