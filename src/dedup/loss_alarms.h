/* Which losses are so large that somebody should look at them. Copies that spread over a corpus
 * take a little of each class. A wrong field, a slogan on each page or a source that was crawled
 * twice takes most of one. */
#ifndef ND_DEDUP_LOSS_ALARMS_H
#define ND_DEDUP_LOSS_ALARMS_H

#include "dedup/class_losses.h"
#include "dedup/group_losses.h"

/* Fewer documents are looked at by eye, and shares of few are chance. */
enum { ND_ALARM_LEAST = 100 };
/* A corpus that loses more than half is most often several versions of one corpus. */
#define ND_ALARM_MOST_SHARE 0.5
/* Groups have a few documents each. One with a tenth of all removed ones is of a text that is no
 * document, such as a notice or an error page. */
#define ND_ALARM_GROUP_SHARE 0.1
/* A class may well lose twice as much as the others: news agencies repeat each other, and short
 * texts are more often equal. Three times as much, and a fifth, is of another nature. */
#define ND_ALARM_CLASS_TIMES 3
#define ND_ALARM_CLASS_SHARE 0.2
/* Alarms of one kind of class. Beyond these the reader learns nothing new. */
enum { ND_ALARMS_OF_KIND = 5 };
enum { ND_ALARMS_MOST = 1 + ND_LARGEST_GROUPS + ND_LOSS_KINDS * ND_ALARMS_OF_KIND };

/* An alarm before its documents are named. */
typedef struct nd_loss_alarm {
    nd_alarm_kind kind;
    nd_loss_kind class_kind;
    const nd_class_entry *entry; /* ND_ALARM_CLASS; else NULL */
    uint64_t documents, removed;
    uint64_t other_documents, other_removed; /* ND_ALARM_CLASS: all that are not of the class */
    uint32_t example;                        /* a removed document */
} nd_loss_alarm;

/* Finds the alarms, in the order of kinds. Returns their number. */
size_t nd_loss_alarms_find(uint64_t documents, const nd_group_losses *groups,
                           const nd_class_losses *classes, nd_loss_alarm out[ND_ALARMS_MOST]);

/* Whether entry a loses more than entry b; of equal ones, whether it has more documents, or else
 * came first. */
bool nd_class_loses_more(const nd_class_entry *a, const nd_class_entry *b);

#endif
