/* Messages to the user, and the exit statuses that go with them. */
#ifndef CLI_COMPLAIN_H
#define CLI_COMPLAIN_H

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* One line on stderr: "neardup: " and the printf-formatted message, made printable (nd_printable),
 * for it may hold names and ids that others have chosen. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same on stdout, without "neardup: ": what a command has done. */
void announce(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
