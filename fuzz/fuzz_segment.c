/* The bytes of a segment with rows of its own. */
#include "sealed_target.h"

const small_file *sealed_target_file(void) { return small_index_segment(1); }
