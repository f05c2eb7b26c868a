/* neardup: finds the command, reads its flags into its settings, and runs it. */
#include "commands.h"
#include "manual/find_command.h"
#include "manual/help_print.h"
#include "manual/manual_commands.h"
#include "output/complain.h"
#include "output/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A table with two flags of one name would obey one of them: that is a bug of the program. */
static void check_tables(const command *c) {
    const char *wrong = flags_wrong(c->groups, c->settings_size);
    if (!wrong && c->settings_size <= SETTINGS_MOST) return;
    complain("bug: %s: the table of flags is wrong at --%s", c->name, wrong ? wrong : "");
    abort();
}

static int run_command(const command *c, int count, char **arguments, char **words) {
    _Alignas(max_align_t) char settings[SETTINGS_MOST];
    flags_given given;
    check_tables(c);
    command_init_settings(c, settings);
    if (!flags_parse(c->groups, count, arguments, settings, &given)) {
        if (given.unknown) report_unknown_flag(commands, c, given.unknown);
        return EXIT_USAGE;
    }
    if (flag_is_given(&given, "help")) {
        help_print(c);
        return EXIT_DONE;
    }
    /* A list may name the last operands. */
    if (given.operands < c->operands_least - flag_is_given(&given, "files-from")) {
        complain("%s: %s", c->name, c->missing);
        return EXIT_USAGE;
    }
    if (given.operands > c->operands_most) {
        complain("%s: unexpected argument %s", c->name, arguments[c->operands_most]);
        return EXIT_USAGE;
    }
    if (c->settle) c->settle(&given, settings);
    const invocation call = {.self = c,
                             .commands = commands,
                             .given = &given,
                             .settings = settings,
                             .operands = arguments,
                             .count = given.operands,
                             .words = words,
                             .word_count = count};
    return c->run(&call);
}

/* Reads the flags and runs the command, or prints its help. Reading them changes the order of the
 * arguments, so `words` keeps it. */
static int start_command(const command *c, int count, char **arguments) {
    char **words = malloc(((size_t)count + 1) * sizeof *words);
    if (!words) {
        complain("out of memory");
        return EXIT_FAILED;
    }
    memcpy(words, arguments, (size_t)count * sizeof *words);
    int status = run_command(c, count, arguments, words);
    free(words);
    return status;
}

/* A supervisor may start the program without standard descriptors. Then the first files would get
 * their numbers, and messages would be written into these files. So each missing descriptor becomes
 * /dev/null, opened for the wrong direction: reading standard input and writing standard output
 * then fail instead of losing data silently. */
static void hold_standard_descriptors(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int count, char **arguments) {
    hold_standard_descriptors();
    /* Then a file over the limit of ulimit -f makes the write fail, and the command cleans up. */
    signal(SIGXFSZ, SIG_IGN);
    if (count < 2) {
        complain("a command is missing; neardup help lists the commands");
        return EXIT_USAGE;
    }
    int used = 1;
    const command *c = strcmp(arguments[1], "-h") == 0
                           ? &help_flag_command
                           : command_find(commands, count - 1, arguments + 1, &used);
    if (!c) return EXIT_USAGE;
    int status = start_command(c, count - 1 - used, arguments + 1 + used);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        int reason = errno;
        interrupt_obey(); /* a reader that went away is no error */
        if (status == EXIT_DONE) complain("standard output: %s", strerror(reason));
        return EXIT_FAILED;
    }
    return status;
}
