#include "base/sequencer.h"

void nd_turns_init(nd_turns *s) {
    *s = (nd_turns){.status = ND_OK};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
}

void nd_turns_free(nd_turns *s) {
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
}

static nd_status go_on(const nd_turns *s) { return s->status == ND_OK ? ND_OK : ND_ERR_CANCELLED; }

nd_status nd_turns_await(nd_turns *s, size_t part) {
    pthread_mutex_lock(&s->lock);
    while (s->to_emit != part && s->status == ND_OK) pthread_cond_wait(&s->changed, &s->lock);
    nd_status status = go_on(s);
    pthread_mutex_unlock(&s->lock);
    return status;
}

nd_status nd_turns_reached(nd_turns *s, size_t part, bool *reached) {
    pthread_mutex_lock(&s->lock);
    *reached = s->to_emit == part;
    nd_status status = go_on(s);
    pthread_mutex_unlock(&s->lock);
    return status;
}

void nd_turns_advance(nd_turns *s) {
    pthread_mutex_lock(&s->lock);
    s->to_emit++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void nd_turns_fail(nd_turns *s, nd_status status, const nd_error *error) {
    pthread_mutex_lock(&s->lock);
    if (s->status == ND_OK) {
        s->status = status;
        if (error) s->error = *error;
    }
    atomic_store(&s->failed, true);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

nd_status nd_turns_result(const nd_turns *s, nd_error *error) {
    if (s->status != ND_OK && error) *error = s->error;
    return s->status;
}
