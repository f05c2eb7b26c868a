/* The input is the bytes of a file of tombstones. */
#include "sealed_target.h"

const small_file *sealed_target_file(void) { return small_index_file("removed-"); }
