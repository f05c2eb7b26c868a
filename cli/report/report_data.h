/* What a run tells while it goes on, kept for the page that shows it. */
#ifndef CLI_REPORT_DATA_H
#define CLI_REPORT_DATA_H

#include "neardup.h"

/* The structures point to copies, which the data owns. Zeros at first. */
typedef struct report_data {
    nd_losses losses;
    nd_example *examples;
    size_t example_count;
    char **texts;
    size_t text_count, text_capacity;
    bool no_memory; /* a text is not there */
} report_data;

/* The bodies of nd_losses_fn and nd_example_fn. False: out of memory. */
bool report_data_take_losses(report_data *data, const nd_losses *losses);
bool report_data_take_example(report_data *data, const nd_example *example);
void report_data_free(report_data *data);

#endif
