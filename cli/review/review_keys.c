#include "review/review_keys.h"

#include "output/colour.h"
#include "output/interrupt.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

enum { ALL_DIFFERENCES = 1 << 20 };

bool review_is_interactive(void) { return isatty(STDIN_FILENO) && terminal_capable(STDOUT_FILENO); }

/* Has keys come at once and unseen. False: it is not to be had. */
static bool take_keys(struct termios *before) {
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, before) != 0) return false;
    raw = *before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

/* 0: the input has ended, or a signal has come. A signal that comes just before the wait, or to
 * another thread, does not end the wait, so each wait is short. */
static char read_key(void) {
    enum { PATIENCE = 200 }; /* milliseconds */
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    char key = 0;
    while (!interrupt_pending() && poll(&keys, 1, PATIENCE) <= 0) continue;
    return !interrupt_pending() && read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
}

static size_t first_unmarked(const review_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (list->pairs[i].mark == MARK_NONE) return i;
    return 0;
}

static nd_status show(const review_list *list, size_t i, const review_form *form, bool all,
                      nd_error *error) {
    review_form shown = *form;
    if (all) shown.differences = ALL_DIFFERENCES;
    fputs("\033[2J\033[H", stdout); /* an empty screen */
    nd_status status = review_print(stdout, list, i, &shown, error);
    fputs("\nAre these two the same to you?  s same  d different  u unmarked  space next  b back  "
          "a all differences  q end\n",
          stdout);
    fflush(stdout);
    return status;
}

static void set_mark(review_pair *p, review_mark mark, bool *changed) {
    *changed |= p->mark != mark;
    p->mark = mark;
}

static nd_status ask(review_list *list, const review_form *form, bool *changed, nd_error *error) {
    nd_status status = ND_OK;
    bool all = false;
    *changed = false;
    for (size_t i = first_unmarked(list); i < list->count && status == ND_OK;) {
        status = show(list, i, form, all, error);
        if (status != ND_OK) break;
        all = false;
        switch (read_key()) {
        case 's': set_mark(&list->pairs[i++], MARK_SAME, changed); break;
        case 'd': set_mark(&list->pairs[i++], MARK_DIFFERENT, changed); break;
        case 'u': set_mark(&list->pairs[i], MARK_NONE, changed); break;
        case ' ': i++; break;
        case 'b': i -= i > 0; break;
        case 'a': all = true; break;
        case 'q':
        case 0: return ND_OK;
        default: break;
        }
    }
    return status;
}

nd_status review_by_keys(review_list *list, const review_form *form, bool *changed,
                         nd_error *error) {
    struct termios before;
    bool taken = take_keys(&before);
    nd_status status = ask(list, form, changed, error);
    if (taken) tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return status;
}
