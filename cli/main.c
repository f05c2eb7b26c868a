/* neardup: the commands and how one is found and started. */
#include "command.h"

#include "output/complain.h"
#include "output/interrupt.h"
#include "manual/suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

const command *const commands[] = {&dedup_command,    &pairs_command,      &simhash_command,
                                   &idf_command,      &keywords_command,   &compare_command,
                                   &passages_command, &plan_command,       &index_command,
                                   &hamming_command,  &stream_command,     &clusters_command,
                                   &help_command,     &help_flag_command,  &version_command,
                                   &man_command,      &completion_command, NULL};

static const flag help_flags[] = {{.name = "help",
                                   .letter = 'h',
                                   .kind = FLAG_SWITCH,
                                   .offset = SETTING(help),
                                   .help = "this text"}};
const flag_group help_group = {"Help", help_flags, 1};

void settings_init(settings *given) {
    memset(given, 0, sizeof *given);
    nd_job_options_init(&given->job);
    given->bits = 2;
    given->least = 2;
    given->topics = ND_STREAM_TOPICS;
    nd_compare_options_init(&given->compare);
    nd_idf_options_init(&given->idf);
    nd_keywords_options_init(&given->keywords);
    nd_passages_options_init(&given->passages);
    nd_hamming_options_init(&given->hamming);
    given->k = UINT32_MAX;
}

bool command_is_verb(const command *c) { return c->name[0] != '-'; }

const char *command_word(const command *c) {
    const char *space = strrchr(c->name, ' ');
    return space ? space + 1 : c->name;
}

/* The member of a family, or of the program (NULL), that a word names; NULL: none, and told. */
static const command *member_find(const command *family, const char *word) {
    suggestion best = {.typed = word, .length = strlen(word)};
    for (const command *const *c = family ? family->members : commands; *c; c++) {
        if (strcmp(command_word(*c), word) == 0) return *c;
        suggestion_offer(&best, command_word(*c));
    }
    const char *what = word[0] == '-' ? "unknown option" : "unknown command";
    const char *before = family ? family->name : "", *space = family ? " " : "";
    if (best.word)
        complain("%s%s%s: %s; did you mean %s%s%s?", before, space, word, what, before, space,
                 best.word);
    else
        complain("%s%s%s: %s; neardup help%s%s lists the commands", before, space, word, what,
                 space, before);
    return NULL;
}

const command *command_find(int count, char *const *words, int *used) {
    const command *c = member_find(NULL, words[0]);
    for (*used = 1; c && c->members && *used < count && words[*used][0] != '-'; ++*used)
        c = member_find(c, words[*used]);
    return c;
}

bool command_named(const command *self, int count, char *const *words, const command **out) {
    int used = 0;
    *out = count ? command_find(count, words, &used) : NULL;
    if (count && !*out) return false;
    if (used < count) complain("%s: unexpected argument %s", self->name, words[used]);
    return used == count;
}

static int version_run(const command *self, settings *given, int count, char **operands) {
    (void)self, (void)given, (void)count, (void)operands;
    const char *features = nd_features();
    printf("neardup %s\nfeatures: %s\ninstruction set: %s\nUnicode: %s\n", nd_version(),
           *features ? features : "none", nd_instruction_set(), ND_UNICODE_VERSION);
    return EXIT_DONE;
}

const command version_command = {
    .name = "--version",
    .summary = "version, libraries built in, instruction set in use, Unicode version",
    .run = version_run};

static int command_start(const command *c, int count, char **arguments) {
    static const flag_group *const no_flags[] = {NULL};
    settings given;
    int operands;
    settings_init(&given);
    if (!flags_parse(c->groups ? c->groups : no_flags, count, arguments, &given, &given.flags,
                     &operands))
        return EXIT_USAGE;
    if (given.help) {
        help_print(c);
        return EXIT_DONE;
    }
    if (operands < c->operands_least) {
        complain("%s: %s", c->name, c->missing);
        return EXIT_USAGE;
    }
    if (operands > c->operands_most) {
        complain("%s: unexpected argument %s", c->name, arguments[c->operands_most]);
        return EXIT_USAGE;
    }
    return c->run(c, &given, operands, arguments);
}

/* A supervisor may start the program without standard descriptors. Files would then get their
 * numbers, and messages would be written into files. So each of them is /dev/null, opened the wrong
 * way round: reading standard input and writing standard output fail, instead of losing data
 * without a word. */
static void hold_standard_descriptors(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int count, char **arguments) {
    hold_standard_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit of ulimit -f is an error of the write, after
                                 which everything is cleaned up */
    if (count < 2) {
        complain("a command is missing; neardup help lists the commands");
        return EXIT_USAGE;
    }
    int used = 1;
    const command *c = strcmp(arguments[1], "-h") == 0
                           ? &help_flag_command
                           : command_find(count - 1, arguments + 1, &used);
    if (!c) return EXIT_USAGE;
    int status = command_start(c, count - 1 - used, arguments + 1 + used);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        int reason = errno;
        interrupt_obey(); /* a reader that went away is no error */
        if (status == EXIT_DONE) complain("standard output: %s", strerror(reason));
        return EXIT_FAILED;
    }
    return status;
}
