/* The input is the bytes of a linked segment. */
#include "sealed_target.h"

const small_file *sealed_target_file(void) { return small_index_segment(0); }
