#include "commands/hamming_costs.h"

#include "output/complain.h"

#include <errno.h>
#include <string.h>

enum { SIZES = 4 };

void hamming_costs_print(FILE *out, const nd_hamming_costs *costs) {
    fputs("cost\t256K\t4M\t64M\t1G\nlook", out);
    for (int i = 0; i < SIZES; i++) fprintf(out, "\t%.3f", costs->look[i]);
    fputs("\nkey", out);
    for (int i = 0; i < SIZES; i++) fprintf(out, "\t%.4f", costs->key[i]);
    fprintf(out, "\nquery\t%.3f\n", costs->query);
}

bool hamming_costs_read(const char *path, nd_hamming_costs *costs) {
    char table[4096] = ""; /* such a file is much smaller */
    FILE *file = fopen(path, "r");
    if (!file) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    table[fread(table, 1, sizeof table - 1, file)] = '\0';
    bool good = sscanf(table, "cost\t%*[^\n] look %lf %lf %lf %lf key %lf %lf %lf %lf query %lf",
                       &costs->look[0], &costs->look[1], &costs->look[2], &costs->look[3],
                       &costs->key[0], &costs->key[1], &costs->key[2], &costs->key[3],
                       &costs->query) == 2 * SIZES + 1;
    for (int i = 0; good && i < SIZES; i++)
        good = costs->look[i] > 0 && costs->key[i] > 0 && costs->query > 0;
    fclose(file);
    if (!good) complain("%s: not a file of neardup hamming calibrate", path);
    return good;
}
