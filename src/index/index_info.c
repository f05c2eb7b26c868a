#include "index/index_info.h"

#include "index/document_settings.h"

static void describe_fingerprints(const nd_store *store, nd_index_info *out) {
    const nd_index_settings *s = &nd_store_state(store)->settings;
    uint32_t begin, most = 0;
    out->hamming = (nd_hamming_options){
        .bits = s->bits, .k = s->k, .numbered = s->numbered != 0, .memory = s->memory};
    for (size_t i = 0; i < nd_store_segment_count(store); i++) {
        const nd_segment *segment = nd_store_segment(store, i, &begin);
        out->table_bytes += nd_hamming_table_bytes(&segment->hamming);
        out->place_bytes += nd_hamming_document_bytes(&segment->hamming);
        if (segment->documents <= most) continue;
        most = segment->documents;
        nd_hamming_design_name(&segment->hamming.design, out->design, sizeof out->design);
    }
}

void nd_store_describe(const nd_store *store, nd_index_info *out) {
    const nd_manifest *state = nd_store_state(store);
    *out = (nd_index_info){.documents = nd_store_live_count(store),
                           .removed = nd_store_document_count(store) - nd_store_live_count(store),
                           .segments = state->segment_count,
                           .log_documents = nd_store_log_documents(store),
                           .generation = state->generation,
                           .bytes = nd_store_bytes(store),
                           .format = nd_kind_format(state->settings.kind)};
    if (state->settings.kind == ND_KIND_FINGERPRINTS) describe_fingerprints(store, out);
    else nd_document_settings_describe(&state->settings, out);
}
