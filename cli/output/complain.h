/* Messages to the user, and the exit statuses that go with them. */
#ifndef CLI_COMPLAIN_H
#define CLI_COMPLAIN_H

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Prints one line on stderr: "neardup: " and the printf-formatted message. The message is made
 * printable (nd_printable): it may hold names and ids from foreign input. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same on stdout, without "neardup: ": a report of work done. */
void announce(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
