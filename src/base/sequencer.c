#include "base/sequencer.h"

void nd_turns_init(nd_turns *turns) {
    *turns = (nd_turns){.status = ND_OK};
    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->changed, NULL);
}

void nd_turns_free(nd_turns *turns) {
    pthread_cond_destroy(&turns->changed);
    pthread_mutex_destroy(&turns->lock);
}

nd_status nd_turns_await(nd_turns *turns, size_t part, bool wait, bool *reached) {
    pthread_mutex_lock(&turns->lock);
    while (wait && turns->turn != part && turns->status == ND_OK)
        pthread_cond_wait(&turns->changed, &turns->lock);
    *reached = turns->turn == part;
    nd_status status = turns->status == ND_OK ? ND_OK : ND_ERR_CANCELLED;
    pthread_mutex_unlock(&turns->lock);
    return status;
}

void nd_turns_advance(nd_turns *turns) {
    pthread_mutex_lock(&turns->lock);
    turns->turn++;
    pthread_cond_broadcast(&turns->changed);
    pthread_mutex_unlock(&turns->lock);
}

void nd_turns_fail(nd_turns *turns, nd_status status, const nd_error *error) {
    pthread_mutex_lock(&turns->lock);
    if (turns->status == ND_OK) {
        turns->status = status;
        if (error) turns->error = *error;
    }
    atomic_store(&turns->failed, true);
    pthread_cond_broadcast(&turns->changed);
    pthread_mutex_unlock(&turns->lock);
}

nd_status nd_turns_result(const nd_turns *turns, nd_error *error) {
    if (turns->status != ND_OK && error) *error = turns->error;
    return turns->status;
}
