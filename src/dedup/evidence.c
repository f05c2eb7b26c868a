#include "dedup/evidence.h"

nd_status nd_find_evidence(const nd_evidence_source *s, uint32_t document, nd_evidence *out,
                           nd_error *error) {
    *out = (nd_evidence){.exact_copy = nd_fate_of(s->fates, document) == ND_FATE_COPY};
    if (out->exact_copy) document = nd_fates_original(s->fates, document);
    out->rank = nd_rank_of(s->ranks, document);
    out->compared = nd_fate_of(s->fates, document) == ND_FATE_REMOVED;
    out->kept = !out->exact_copy && !out->compared;
    if (!out->compared) return ND_OK;
    ND_TRY(nd_fates_verdict(s->fates, document, &out->verdict, error));
    out->rank = nd_index_update_named_rank(s->update, s->ranks, out->verdict.earlier);
    return ND_OK;
}
