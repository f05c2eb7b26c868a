/* Bands and rows for some thresholds, and what they promise: P(found) at the threshold, and how
 * many unlike pairs are looked at in vain. */
#include <neardup.h>
#include <stdio.h>

int main(void) {
    printf("threshold  bands x rows  P(found) at the threshold  at 0.2 below it\n");
    for (int percent = 50; percent <= 95; percent += 5) {
        nd_plan plan;
        nd_error error;
        double threshold = percent / 100.0;
        if (nd_plan_choose(threshold, 0.999, 128, &plan, &error) != ND_OK) {
            printf("     %.2f  %s\n", threshold, error.message);
            continue;
        }
        printf("     %.2f      %3u x %-3u                   %.6f         %.4f\n", threshold,
               (unsigned)plan.bands, (unsigned)plan.rows, nd_plan_probability(&plan, threshold),
               nd_plan_probability(&plan, threshold - 0.2));
    }
    return 0;
}
