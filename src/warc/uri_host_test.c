#include "warc/uri_host.h"

#include "test.h"

#include <string.h>

static void test_hosts(void **state) {
    (void)state;
    static const struct {
        const char *uri, *host;
    } cases[] = {{"", ""},
                 {"a.example", ""},
                 {"mailto:a@b.example", ""},
                 {"http://", ""},
                 {"http://a.example", "a.example"},
                 {"https://a.example/b:80", "a.example"},
                 {"https://a.example:8080/", "a.example"},
                 {"https://a.example?x@y", "a.example"},
                 {"https://me:secret@a.example:1#x", "a.example"},
                 {"https://a.example:", "a.example"},
                 {"https://[::1]:80/", "[::1]"},
                 {"https://80", "80"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nd_span host = nd_uri_host((nd_span){cases[i].uri, strlen(cases[i].uri)});
        assert_int_equal(host.length, strlen(cases[i].host));
        assert_memory_equal(host.bytes ? host.bytes : "", cases[i].host, host.length);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hosts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
