#include "commands/result_command.h"

#include "output/complain.h"

bool result_open(results *r, const result_settings *s) {
    nd_error error;
    if (results_open(r, s->output, NULL, &error) == ND_OK) return true;
    complain("%s", error.message);
    return false;
}

int result_close(results *r) {
    nd_error error;
    if (results_close(r, ND_OK, &error) == ND_OK) return EXIT_DONE;
    complain("%s", error.message);
    return EXIT_FAILED;
}
