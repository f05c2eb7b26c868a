/* The bytes of the tombstones. */
#include "sealed_target.h"

const small_file *sealed_target_file(void) { return small_index_file("removed-"); }
