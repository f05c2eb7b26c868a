/* Large buckets whose members come in order: each is compared with those that are listed. */
#include "base/argument.h"
#include "neardup.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

/* The listed members of a bucket, ascending: numbers of `listed`. */
typedef struct bucket_list {
    uint32_t *members;
    size_t count, capacity;
    uint64_t beyond; /* members that max_compare did not let in */
} bucket_list;

typedef struct listed_member {
    uint64_t document;
    uint64_t *set; /* then its sketch */
    size_t set_size;
} listed_member;

struct nd_large_buckets {
    nd_allocator allocator;
    nd_set_verifier *verifier;
    uint32_t perms, max_compare;
    bucket_list *lists; /* of the buckets 0 to list_count - 1 */
    size_t list_count, list_capacity;
    listed_member *listed;
    size_t listed_count, listed_capacity;
    size_t *next; /* of each bucket of a member: the place in its list */
    size_t next_capacity;
    bool any; /* `last` is a document */
    uint64_t last;
};

nd_status nd_large_buckets_create(double threshold, uint32_t perms, uint32_t max_compare,
                                  const nd_allocator *allocator, nd_large_buckets **out,
                                  nd_error *error) {
    ND_TRY(nd_need(out, "out", error));
    if (max_compare == 0) return nd_fail(error, ND_ERR_ARGUMENT, "max_compare must be at least 1");
    const nd_allocator own = nd_allocator_or_default(allocator);
    nd_large_buckets *b = nd_allocate_zero(&own, 1, sizeof *b);
    if (!b) return nd_fail_memory(error, sizeof *b, "large buckets");
    b->allocator = own;
    b->perms = perms;
    b->max_compare = max_compare;
    nd_status status = nd_set_verifier_create(threshold, perms, &own, &b->verifier, error);
    if (status != ND_OK) nd_large_buckets_free(b);
    else *out = b;
    return status;
}

void nd_large_buckets_free(nd_large_buckets *b) {
    if (!b) return;
    const nd_allocator a = b->allocator;
    for (size_t i = 0; i < b->list_count; i++) nd_release(&a, b->lists[i].members);
    for (size_t i = 0; i < b->listed_count; i++) nd_release(&a, b->listed[i].set);
    nd_set_verifier_free(b->verifier);
    nd_release(&a, b->lists);
    nd_release(&a, b->listed);
    nd_release(&a, b->next);
    nd_release(&a, b);
}

/* The next listed member of any bucket of the member, or UINT32_MAX: the lists are merged. */
static uint32_t next_listed(nd_large_buckets *b, const nd_bucket_member *member) {
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < member->bucket_count; i++) {
        const bucket_list *list = &b->lists[member->buckets[i]];
        if (b->next[i] < list->count && list->members[b->next[i]] < least)
            least = list->members[b->next[i]];
    }
    for (size_t i = 0; i < member->bucket_count && least != UINT32_MAX; i++) {
        const bucket_list *list = &b->lists[member->buckets[i]];
        if (b->next[i] < list->count && list->members[b->next[i]] == least) b->next[i]++;
    }
    return least;
}

static uint64_t count_rest(const nd_large_buckets *b, const nd_bucket_member *member) {
    uint64_t rest = 0;
    for (size_t i = 0; i < member->bucket_count; i++) {
        const bucket_list *list = &b->lists[member->buckets[i]];
        rest += list->count - b->next[i] + list->beyond;
    }
    return rest;
}

/* Receives the duplicates of a search; `on_pair` NULL: it ends with the first one, in `answer`. */
typedef struct pair_listener {
    nd_bucket_pair_fn *on_pair;
    void *context;
} pair_listener;

static nd_status search(nd_large_buckets *b, const nd_bucket_member *member, pair_listener listener,
                        nd_bucket_answer *answer, nd_error *error) {
    uint32_t compared = 0, number;
    if (!nd_reserve(&b->allocator, &b->next, &b->next_capacity, member->bucket_count))
        return nd_fail_memory(error, member->bucket_count * sizeof *b->next, "large buckets");
    for (size_t i = 0; i < member->bucket_count; i++) b->next[i] = 0;
    nd_set_verifier_begin(b->verifier, &member->sketched);
    while (compared < b->max_compare && (number = next_listed(b, member)) != UINT32_MAX) {
        const listed_member *l = &b->listed[number];
        const nd_sketched earlier = {(const uint8_t *)(l->set + l->set_size), l->set, l->set_size};
        ND_TRY(nd_set_verifier_compare(b->verifier, &earlier, &answer->found, &answer->overlap,
                                       error));
        answer->earlier = l->document;
        compared++;
        if (!answer->found) continue;
        if (!listener.on_pair) return ND_OK;
        if (!listener.on_pair(listener.context, l->document, &answer->overlap))
            return nd_fail(error, ND_ERR_CANCELLED, "a callback stopped the comparisons");
    }
    answer->left_out = count_rest(b, member);
    return ND_OK;
}

/* Makes room for one more in the lists of a member. *needed: one of them takes it. */
static nd_status reserve_lists(nd_large_buckets *b, const nd_bucket_member *member, bool *needed,
                               nd_error *error) {
    *needed = false;
    for (size_t i = 0; i < member->bucket_count; i++) {
        bucket_list *l = &b->lists[member->buckets[i]];
        if (l->count == b->max_compare) continue;
        *needed = true;
        if (!nd_reserve(&b->allocator, &l->members, &l->capacity, l->count + 1))
            return nd_fail_memory(error, sizeof *l->members, "large buckets");
    }
    return ND_OK;
}

static nd_status copy_member(nd_large_buckets *b, const nd_bucket_member *member, nd_error *error) {
    const nd_sketched *s = &member->sketched;
    if (!nd_reserve(&b->allocator, &b->listed, &b->listed_capacity, b->listed_count + 1))
        return nd_fail_memory(error, sizeof *b->listed, "large buckets");
    size_t set_bytes = s->set_size * sizeof *s->set;
    uint64_t *set = nd_allocate(&b->allocator, set_bytes + b->perms, 1);
    if (!set) return nd_fail_memory(error, set_bytes + b->perms, "a shingle set");
    if (set_bytes > 0) memcpy(set, s->set, set_bytes);
    memcpy(set + s->set_size, s->sketch, b->perms);
    b->listed[b->listed_count++] = (listed_member){member->document, set, s->set_size};
    return ND_OK;
}

static nd_status list(nd_large_buckets *b, const nd_bucket_member *member, nd_error *error) {
    uint32_t number = (uint32_t)b->listed_count;
    bool needed;
    ND_TRY(reserve_lists(b, member, &needed, error));
    if (needed) ND_TRY(copy_member(b, member, error));
    for (size_t i = 0; i < member->bucket_count; i++) {
        bucket_list *l = &b->lists[member->buckets[i]];
        if (l->count > 0 && l->members[l->count - 1] == number) continue; /* named twice */
        if (l->count == b->max_compare) l->beyond++;
        else l->members[l->count++] = number;
    }
    return ND_OK;
}

/* Makes the lists of the member's buckets. */
static nd_status prepare(nd_large_buckets *b, const nd_bucket_member *member, nd_error *error) {
    size_t count = b->list_count;
    if (b->any && member->document <= b->last)
        return nd_fail(error, ND_ERR_ARGUMENT, "document %llu comes after document %llu",
                       (unsigned long long)member->document, (unsigned long long)b->last);
    for (size_t i = 0; i < member->bucket_count; i++)
        if (member->buckets[i] >= count) count = (size_t)member->buckets[i] + 1;
    if (!nd_reserve(&b->allocator, &b->lists, &b->list_capacity, count))
        return nd_fail_memory(error, count * sizeof *b->lists, "large buckets");
    while (b->list_count < count) b->lists[b->list_count++] = (bucket_list){0};
    return ND_OK;
}

nd_status nd_large_buckets_add(nd_large_buckets *b, const nd_bucket_member *member,
                               nd_bucket_answer *answer, nd_error *error) {
    nd_bucket_answer found = {0};
    ND_TRY(nd_need(b, "buckets", error));
    ND_TRY(nd_need(member, "member", error));
    ND_TRY(nd_need(answer, "answer", error));
    ND_TRY(prepare(b, member, error));
    if (member->assumed != ND_ASSUMED_KNOWN)
        ND_TRY(search(b, member, (pair_listener){0}, &found, error));
    found.listed = member->assumed == ND_ASSUMED_UNKNOWN ? !found.found
                                                         : member->assumed != ND_ASSUMED_REMOVED;
    if (found.listed) ND_TRY(list(b, member, error));
    b->any = true;
    b->last = member->document;
    *answer = found;
    return ND_OK;
}

nd_status nd_large_buckets_add_all(nd_large_buckets *b, const nd_bucket_member *member,
                                   nd_bucket_pair_fn *on_pair, void *context, uint64_t *left_out,
                                   nd_error *error) {
    nd_bucket_answer last = {0};
    ND_TRY(nd_need(b, "buckets", error));
    ND_TRY(nd_need(member, "member", error));
    if (!on_pair) return nd_fail(error, ND_ERR_ARGUMENT, "on_pair must not be NULL");
    ND_TRY(nd_need(left_out, "left_out", error));
    ND_TRY(prepare(b, member, error));
    ND_TRY(search(b, member, (pair_listener){on_pair, context}, &last, error));
    ND_TRY(list(b, member, error));
    b->any = true;
    b->last = member->document;
    *left_out = last.left_out;
    return ND_OK;
}
