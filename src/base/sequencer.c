#include "base/sequencer.h"

void nd_sequencer_init(nd_sequencer *s) {
    *s = (nd_sequencer){.status = ND_OK};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
}

void nd_sequencer_free(nd_sequencer *s) {
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
}

static nd_status go_on(const nd_sequencer *s) {
    return s->status == ND_OK ? ND_OK : ND_ERR_CANCELLED;
}

nd_status nd_sequencer_await(nd_sequencer *s, size_t part) {
    pthread_mutex_lock(&s->lock);
    while (s->to_emit != part && s->status == ND_OK) pthread_cond_wait(&s->changed, &s->lock);
    nd_status status = go_on(s);
    pthread_mutex_unlock(&s->lock);
    return status;
}

nd_status nd_sequencer_reached(nd_sequencer *s, size_t part, bool *reached) {
    pthread_mutex_lock(&s->lock);
    *reached = s->to_emit == part;
    nd_status status = go_on(s);
    pthread_mutex_unlock(&s->lock);
    return status;
}

void nd_sequencer_advance(nd_sequencer *s) {
    pthread_mutex_lock(&s->lock);
    s->to_emit++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void nd_sequencer_fail(nd_sequencer *s, nd_status status, const nd_error *error) {
    pthread_mutex_lock(&s->lock);
    if (s->status == ND_OK) {
        s->status = status;
        if (error) s->error = *error;
    }
    atomic_store(&s->failed, true);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

nd_status nd_sequencer_result(const nd_sequencer *s, nd_error *error) {
    if (s->status != ND_OK && error) *error = s->error;
    return s->status;
}
