/* Where documents were lost (nd_losses): collected without the GIL, and then made a list. */
#ifndef ND_PYTHON_LOSSES_H
#define ND_PYTHON_LOSSES_H

#include "py_documents.h"
#include "py_results.h"

/* Zeros at first. */
typedef struct losses {
    array entries;
    texts words; /* four of each entry */
} losses;

/* Keeps a copy of the losses; `d`: the documents of the job, which know the rows. false: no memory.
 */
bool losses_take(losses *l, documents *d, const nd_losses *found);
/* A list of tuples, in the order of nd_losses: "group", "class" or "alarm"; the words for its kind
 * and its class; documents, removed, exact copies; the class's name; the message; and for the kept
 * document and for an example its id and its row, which is None where it is not known. */
PyObject *losses_list(const losses *l, const documents *d);
void losses_free(losses *l);

#endif
