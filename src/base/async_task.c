#include "base/async_task.h"

#include <pthread.h>
#include <unistd.h>

struct nd_async_task {
    nd_allocator allocator;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool started;  /* by the first task */
    pid_t process; /* that started the thread; a child made by fork does not have it */
    /* Under the lock. */
    bool running, ending;
    /* Belong to the thread while it runs a task, to the caller otherwise. */
    nd_async_task_fn *fn;
    void *context;
    nd_status status;
    nd_error error;
};

nd_status nd_async_task_create(const nd_allocator *allocator, nd_async_task **out,
                               nd_error *error) {
    nd_async_task *t = nd_allocate_zero(allocator, 1, sizeof *t);
    if (!t) return nd_fail_memory(error, sizeof *t, "a thread");
    t->allocator = *allocator;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    *out = t;
    return ND_OK;
}

static void *run_tasks(void *argument) {
    nd_async_task *t = argument;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (!t->running && !t->ending) pthread_cond_wait(&t->changed, &t->lock);
        if (!t->running) break;
        pthread_mutex_unlock(&t->lock);
        t->status = t->fn(t->context, &t->error);
        pthread_mutex_lock(&t->lock);
        t->running = false;
        pthread_cond_signal(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void raise_flag(nd_async_task *t, bool *flag) {
    pthread_mutex_lock(&t->lock);
    *flag = true;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static void wait_until_done(nd_async_task *t) {
    pthread_mutex_lock(&t->lock);
    while (t->running) pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

/* Ends the thread, if this process has it. In a child made by fork, lock and condition may be as if
 * the thread still used them; to destroy the condition would wait for it for ever. */
static void end_thread(nd_async_task *t) {
    if (t->started && t->process != getpid()) return;
    if (t->started) {
        wait_until_done(t);
        raise_flag(t, &t->ending);
        pthread_join(t->thread, NULL);
    }
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
}

void nd_async_task_free(nd_async_task *t) {
    if (!t) return;
    end_thread(t);
    nd_allocator allocator = t->allocator;
    nd_release(&allocator, t);
}

void nd_async_task_start(nd_async_task *t, nd_async_task_fn *fn, void *context) {
    t->fn = fn;
    t->context = context;
    t->started = t->started || pthread_create(&t->thread, NULL, run_tasks, t) == 0;
    t->process = getpid();
    if (t->started) raise_flag(t, &t->running);
    else t->status = fn(context, &t->error);
}

nd_status nd_async_task_run(nd_async_task *t, nd_async_task_fn *fn, void *context,
                            nd_error *error) {
    t->status = fn(context, &t->error);
    return nd_async_task_wait(t, error);
}

nd_status nd_async_task_wait(nd_async_task *t, nd_error *error) {
    wait_until_done(t);
    return t->status == ND_OK ? ND_OK : nd_fail(error, t->status, "%s", t->error.message);
}
