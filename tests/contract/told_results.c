#include "contract/told_results.h"

#include "contract/contract.h"

uint64_t told;

void tell_bytes(const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) told = nd_mix64(told + ((const unsigned char *)bytes)[i]);
}
void tell(uint64_t number) { tell_bytes(&number, sizeof number); }
void tell_double(double number) { tell_bytes(&number, sizeof number); }

bool tell_decision(void *context, const nd_decision *d) {
    (void)context;
    tell(d->evidence);
    tell(d->kept);
    return true;
}
bool tell_pair(void *context, const nd_pair *p) {
    (void)context;
    tell(p->document_a * DOCUMENTS + p->document_b);
    return true;
}
bool tell_tuned(void *context, const nd_tuned_document *d) {
    (void)context;
    tell(d->document * DOCUMENTS + d->earlier.document);
    return true;
}
bool tell_missed(void *context, const nd_missed_pair *p) {
    (void)context;
    tell(p->document_a * DOCUMENTS + p->document_b);
    return true;
}
bool tell_text(void *context, const nd_text *t) {
    (void)context;
    tell_bytes(t->text, t->length);
    return true;
}
bool tell_input(void *context, const nd_input_info *info) {
    (void)context;
    tell_bytes(info->name, strlen(info->name));
    return true;
}
bool tell_field(void *context, const nd_input_field *field) {
    (void)context;
    tell_bytes(field->name, strlen(field->name));
    return true;
}
bool tell_print(void *context, const nd_fingerprinted *f) {
    (void)context;
    tell(f->fingerprint.low);
    return true;
}
bool tell_signature(void *context, const nd_signed *s) {
    const uint32_t *perms = context;
    tell_bytes(s->signature, *perms * sizeof *s->signature);
    return true;
}
bool tell_digest(void *context, const nd_digested *d) {
    (void)context;
    tell_bytes(&d->digest, sizeof d->digest);
    return true;
}
bool tell_keyword(void *context, const nd_keyword *k) {
    (void)context;
    tell_bytes(k->term, k->length);
    return true;
}
bool tell_keywords(void *context, const nd_keyworded *d) {
    for (size_t i = 0; i < d->count; i++) tell_keyword(context, &d->keywords[i]);
    return true;
}
bool tell_passage(void *context, const nd_found_passage *p) {
    (void)context;
    tell_bytes(p->source_text ? p->source_text : "", p->source_text ? p->passage.tokens : 0);
    tell(p->query + p->passage.a_begin);
    return true;
}
bool tell_stretch(void *context, const nd_repeated_stretch *s) {
    (void)context;
    tell_bytes(s->id, s->id_length);
    tell(s->begin + s->source_begin);
    return true;
}
bool tell_answer(void *context, const nd_answer *a) {
    (void)context;
    tell(a->count);
    return true;
}
bool tell_near(void *context, const nd_hamming_answer *a) {
    (void)context;
    tell(a->count);
    return true;
}
bool tell_join(void *context, const nd_hamming_pair *p) {
    (void)context;
    tell(p->number_a * 10 + p->number_b);
    return true;
}
bool tell_arrival(void *context, const nd_stream_answer *a) {
    (void)context;
    tell_bytes(a->cluster, a->cluster_length);
    return true;
}
