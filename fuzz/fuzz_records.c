/* A file of JSON or CSV, behind a byte that says which. It has the same records in one piece and in
 * pieces; each row that is good has its text inside of it or of the buffer. Its format, and the
 * fields of its first record, are found in all of it and in any beginning. */
#include "target.h"

#include "corpus/csv_row.h"
#include "corpus/field_list.h"
#include "corpus/recognise.h"
#include "corpus/record_cut.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 1000, FORMATS = 4 };

static const nd_input_format formats[FORMATS] = {ND_FORMAT_JSON_LINES, ND_FORMAT_JSON,
                                                 ND_FORMAT_CSV, ND_FORMAT_TSV};

/* Cuts a file of which `step` bytes more are known each time; returns the number of records. */
static size_t cut(nd_input_format format, const char *bytes, size_t size, size_t step,
                  nd_cut *out) {
    nd_record_cutter cutter = {.format = format};
    size_t from = 0, count = 0, known = step < size ? step : size;
    for (;;) {
        nd_cut one;
        if (!nd_record_cut(&cutter, bytes, from, known, known == size, &one)) {
            if (known == size) break;
            known = size - known < step ? size : known + step;
            continue;
        }
        if (one.begin < from || one.end < one.begin || one.next < one.end || one.next > known ||
            (one.next == from && !one.fault))
            target_fail("a record of [%zu, %zu), and the next one at %zu", one.begin, one.end,
                        one.next);
        from = one.next;
        if (!one.blank && count < MOST_RECORDS) out[count++] = one;
    }
    if (from != size) target_fail("%zu bytes are left", size - from);
    return count;
}

/* Reads a row with a text of two columns, in memory of its own size. */
static void read_row(char delimiter, const char *row, size_t length) {
    static const char *const texts[] = {"2", "1"};
    const nd_record_fields fields = {texts, 2, "3", "4", NULL, "5"};
    const nd_allocator memory = nd_allocator_or_default(NULL);
    char *copy = malloc(length + !length), why[200];
    nd_csv_columns columns;
    nd_csv_buffer buffer = {0};
    nd_record_values values;
    nd_error error;
    if (!copy) target_fail("no memory");
    memcpy(copy, row, length);
    if (nd_csv_columns_find(&fields, delimiter, NULL, 0, &memory, &columns, &error) != ND_OK)
        target_fail("%s", error.message);
    nd_csv_problem problem = nd_csv_parse(&columns, copy, length, &memory, &buffer, &values, why,
                                          sizeof why);
    if (problem == ND_CSV_FINE && values.text_length > length + 1)
        target_fail("a row of %zu bytes has a text of %zu", length, values.text_length);
    nd_csv_columns_free(&columns, &memory);
    free(buffer.bytes);
    free(buffer.texts);
    free(copy);
}

/* nd_input_field_fn: reads all of the field. */
static bool read_field(void *context, const nd_input_field *field) {
    size_t *sum = context;
    for (size_t i = 0; i < field->value_length; i++) *sum += (unsigned char)field->value[i];
    *sum += strlen(field->name) + strlen(field->kind);
    return true;
}

static void look_at(nd_input_format format, const char *bytes, size_t size) {
    size_t sum = 0;
    char *copy = malloc(size + !size);
    if (!copy) target_fail("no memory");
    memcpy(copy, bytes, size);
    nd_list_fields(format, copy, size, read_field, &sum);
    if (*nd_input_format_name(nd_recognise("x.jsonl", copy, size)) == 0) target_fail("no format");
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *given, size_t size) {
    static nd_cut whole[MOST_RECORDS], parts[MOST_RECORDS];
    if (size < 1) return 0;
    nd_input_format format = formats[given[0] % FORMATS];
    size_t length = size - 1, steps[] = {1, 7, length / 3 + 1};
    char *bytes = malloc(size);
    if (!bytes) target_fail("no memory");
    memcpy(bytes, given + 1, length);
    size_t count = cut(format, bytes, length, length + 1, whole);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        if (cut(format, bytes, length, steps[s], parts) != count)
            target_fail("%zu records in one piece, others by %zu bytes", count, steps[s]);
        for (size_t i = 0; i < count; i++)
            if (parts[i].begin != whole[i].begin || parts[i].end != whole[i].end ||
                parts[i].fault != whole[i].fault)
                target_fail("record %zu is another one by %zu bytes", i, steps[s]);
        look_at(format, bytes, steps[s] < length ? steps[s] : length);
    }
    look_at(format, bytes, length);
    for (size_t i = 0; i < count && (format == ND_FORMAT_CSV || format == ND_FORMAT_TSV); i++)
        if (!whole[i].fault)
            read_row(format == ND_FORMAT_CSV ? ',' : '\t', bytes + whole[i].begin,
                     whole[i].end - whole[i].begin);
    free(bytes);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    return mutate_bytes(bytes, size, most, &random);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    static const char *const files[FORMATS] = {
        "\0{\"a\":\"b\",\"c\":{\"d\":[1,{\"e\":\"]\"}]}}\n\n{\"a\":null}\r\nx",
        "\1[{\"a\":\"\\\"}\"},\n{\"b\":[1,2]}, 3 {]\n{\"c\":\"",
        "\2a,\"b\"\"c\",d,2024-01-02\r\n\"x\ny\",z,,5\n,\"open\n1,2",
        "\3a\t\"b\tc\"\td\n\t\t\t\n\"q\"x\ty"};
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    for (size_t i = 0; i < FORMATS; i++)
        target_write_seed(seeds, nd_input_format_name(formats[i]), files[i],
                          1 + strlen(files[i] + 1));
    exit(0);
}
