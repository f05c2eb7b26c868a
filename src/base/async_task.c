#include "base/async_task.h"

#include <pthread.h>
#include <unistd.h>

struct nd_background {
    nd_allocator allocator;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool started;  /* with the first piece of work */
    pid_t process; /* whose thread it is: a child made by fork has none */
    /* Under the lock. */
    bool working, ending;
    /* The thread's while it works. */
    nd_background_fn *fn;
    void *context;
    nd_status status;
    nd_error error;
};

nd_status nd_background_create(const nd_allocator *allocator, nd_background **out,
                               nd_error *error) {
    nd_background *b = nd_allocate_zero(allocator, 1, sizeof *b);
    if (!b) return nd_fail_memory(error, sizeof *b, "a thread");
    b->allocator = *allocator;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    *out = b;
    return ND_OK;
}

static void *work(void *argument) {
    nd_background *b = argument;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->working && !b->ending) pthread_cond_wait(&b->changed, &b->lock);
        if (!b->working) break;
        pthread_mutex_unlock(&b->lock);
        b->status = b->fn(b->context, &b->error);
        pthread_mutex_lock(&b->lock);
        b->working = false;
        pthread_cond_signal(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

static void tell(nd_background *b, bool *what) {
    pthread_mutex_lock(&b->lock);
    *what = true;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

static void wait_until_done(nd_background *b) {
    pthread_mutex_lock(&b->lock);
    while (b->working) pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

void nd_background_free(nd_background *b) {
    if (!b) return;
    if (b->started && b->process == getpid()) {
        wait_until_done(b);
        tell(b, &b->ending);
        pthread_join(b->thread, NULL);
    }
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    nd_allocator allocator = b->allocator;
    nd_release(&allocator, b);
}

void nd_background_begin(nd_background *b, nd_background_fn *fn, void *context) {
    b->fn = fn;
    b->context = context;
    b->started = b->started || pthread_create(&b->thread, NULL, work, b) == 0;
    b->process = getpid();
    if (b->started) tell(b, &b->working);
    else b->status = fn(context, &b->error);
}

nd_status nd_background_run(nd_background *b, nd_background_fn *fn, void *context,
                            nd_error *error) {
    b->status = fn(context, &b->error);
    return nd_background_wait(b, error);
}

nd_status nd_background_wait(nd_background *b, nd_error *error) {
    wait_until_done(b);
    return b->status == ND_OK ? ND_OK : nd_fail(error, b->status, "%s", b->error.message);
}
