/* Callbacks that hash the results of a call into `told`, so that two calls can be compared. */
#ifndef ND_TESTS_TOLD_RESULTS_H
#define ND_TESTS_TOLD_RESULTS_H

#include "neardup.h"

extern uint64_t told;

void tell_bytes(const void *bytes, size_t size);
void tell(uint64_t number);
void tell_double(double number);

bool tell_decision(void *context, const nd_decision *d);
bool tell_pair(void *context, const nd_pair *p);
bool tell_tuned(void *context, const nd_tuned_document *d);
bool tell_missed(void *context, const nd_missed_pair *p);
bool tell_text(void *context, const nd_text *t);
bool tell_input(void *context, const nd_input_info *info);
bool tell_field(void *context, const nd_input_field *field);
bool tell_print(void *context, const nd_fingerprinted *f);
/* `context`: the number of permutations, a uint32_t. */
bool tell_signature(void *context, const nd_signed *s);
bool tell_digest(void *context, const nd_digested *d);
bool tell_keyword(void *context, const nd_keyword *k);
bool tell_keywords(void *context, const nd_keyworded *d);
bool tell_passage(void *context, const nd_found_passage *p);
bool tell_stretch(void *context, const nd_repeated_stretch *s);
bool tell_answer(void *context, const nd_answer *a);
bool tell_near(void *context, const nd_hamming_answer *a);
bool tell_join(void *context, const nd_hamming_pair *p);
bool tell_arrival(void *context, const nd_stream_answer *a);

#endif
