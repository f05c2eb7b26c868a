/* Tables of flags: faults in a table are found, and each part of the settings gets the values of
 * its own flags. */
#include "flags/flags.h"

#include "test.h"

#include <string.h>

typedef struct part {
    uint32_t count;
    const char *text;
    unsigned choice;
} part;

typedef struct settings {
    part first, second;
    bool quiet;
} settings;

static const unsigned values[] = {16, 32};
static const flag first_flags[] = {
    {.name = "count",
     .letter = 'c',
     .kind = FLAG_COUNT,
     .high = 9,
     .argument = "N",
     .offset = offsetof(part, count),
     .help = "how many; at most 9"},
    {.name = "bits",
     .kind = FLAG_CHOICE,
     .choices = "16|32",
     .values = values,
     .offset = offsetof(part, choice),
     .help = "length"},
};
static const flag second_flags[] = {
    {.name = "keep",
     .kind = FLAG_CHOICE,
     .choices = "first|max:FIELD",
     .offset = offsetof(part, choice),
     .detail = offsetof(part, text),
     .help = "which"},
};
static const flag same_name[] = {{.name = "count", .kind = FLAG_SWITCH, .help = "other"}};
static const flag same_letter[] = {
    {.name = "clusters", .letter = 'c', .kind = FLAG_SWITCH, .help = "other"}};
static const flag_table first = FLAG_TABLE("First", first_flags);
static const flag_table second = FLAG_TABLE("Second", second_flags);
static const flag_table name_again = FLAG_TABLE("Third", same_name);
static const flag_table letter_again = FLAG_TABLE("Third", same_letter);

static const flag_group good[] = {FLAG_GROUP(settings, first, first),
                                  FLAG_GROUP(settings, second, second), HELP_GROUP, GROUPS_END};

static void wrong_tables_are_found(void **state) {
    (void)state;
    const flag_group name_twice[] = {FLAG_GROUP(settings, first, first),
                                     FLAG_GROUP(settings, quiet, name_again), GROUPS_END};
    const flag_group letter_twice[] = {FLAG_GROUP(settings, first, first),
                                       FLAG_GROUP(settings, quiet, letter_again), GROUPS_END};
    const flag_group one_twice[] = {FLAG_GROUP(settings, first, first),
                                    FLAG_GROUP(settings, second, first), GROUPS_END};
    assert_null(flags_wrong(good, sizeof(settings)));
    assert_null(flags_wrong(NULL, 0));
    assert_string_equal(flags_wrong(name_twice, sizeof(settings)), "count");
    assert_string_equal(flags_wrong(letter_twice, sizeof(settings)), "clusters");
    assert_string_equal(flags_wrong(one_twice, sizeof(settings)), "count");
    assert_string_equal(flags_wrong(good, sizeof(part)), "keep");
    assert_string_equal(flags_wrong(good, 1), "count");
}

static void values_go_to_their_parts(void **state) {
    (void)state;
    char *arguments[] = {"a", "-c7", "--bits=32", "--keep", "max:date", "--", "-x"};
    settings s;
    flags_given given;
    memset(&s, 0, sizeof s);
    assert_true(flags_parse(good, 7, arguments, &s, &given));
    assert_int_equal(s.first.count, 7);
    assert_int_equal(s.first.choice, 32);
    assert_int_equal(s.second.choice, 1);
    assert_string_equal(s.second.text, "date");
    assert_int_equal(given.operands, 2);
    assert_string_equal(arguments[1], "-x");
    assert_true(flag_is_given(&given, "keep"));
    assert_false(flag_is_given(&given, "help"));
}

static void unknown_flags_are_named(void **state) {
    (void)state;
    char *arguments[] = {"--count", "3", "--colour=red"};
    settings s;
    flags_given given;
    memset(&s, 0, sizeof s);
    assert_false(flags_parse(good, 3, arguments, &s, &given));
    assert_string_equal(given.unknown, "--colour=red");
}

static void defaults_come_from_the_part(void **state) {
    (void)state;
    char text[200];
    const part p = {.count = 5, .choice = 32};
    flag_explain(&first_flags[0], &p, text, sizeof text);
    assert_string_equal(text, "how many; at most 9 (0 to 9; default: 5)");
    flag_explain(&first_flags[1], &p, text, sizeof text);
    assert_string_equal(text, "length (default: 32)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_tables_are_found), cmocka_unit_test(values_go_to_their_parts),
        cmocka_unit_test(unknown_flags_are_named), cmocka_unit_test(defaults_come_from_the_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
