/* An index that grows: documents are added one by one, and each that is a duplicate is named with
 * the document that it duplicates; then a text is searched for. grow_index DIRECTORY makes the
 * index there. */
#include <neardup.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const arrivals[][2] = {
    {"monday-1", "Rain is expected in the north and along the coast this evening"},
    {"monday-2", "Trains to the airport leave every ten minutes from platform two"},
    {"tuesday-1", "Rain is expected in the north and along the coast this evening again"},
    {"tuesday-2", "The library opens at nine on weekdays and at ten on Saturdays"},
};

static void must(nd_status status, const nd_error *error) {
    if (status == ND_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: grow_index DIRECTORY\n");
        return 2;
    }
    const char *directory = arguments[1];
    nd_error error;
    nd_index *index;
    nd_index_searcher *searcher;

    nd_analyzer_options analyzer;
    nd_analyzer_options_init(&analyzer, sizeof analyzer);
    analyzer.ngram = 3;
    nd_index_options options;
    nd_index_options_init(&options, sizeof options);
    options.analyzer = &analyzer;
    must(nd_index_create(directory, &options, &error), &error);
    must(nd_index_open(directory, ND_INDEX_WRITE, NULL, &index, &error), &error);
    must(nd_index_searcher_create(index, &searcher, &error), &error);

    for (size_t i = 0; i < sizeof arrivals / sizeof *arrivals; i++) {
        const char *id = arrivals[i][0], *text = arrivals[i][1];
        nd_record document = {
            .text = text, .length = strlen(text), .id = id, .id_length = strlen(id)};
        bool added;
        const nd_match *evidence;
        must(nd_index_add(index, searcher, &document, &added, &evidence, &error), &error);
        if (added) printf("%s is new\n", id);
        else
            printf("%s duplicates %.*s: %.3f\n", id, (int)evidence->id_length, evidence->id,
                   evidence->jaccard);
    }

    static const char question[] =
        "the library opens at nine on weekdays and at ten on saturdays only";
    const nd_match *matches;
    size_t found;
    must(nd_index_search(searcher, question, strlen(question), ND_SEARCH_ALL, &matches, &found,
                         &error),
         &error);
    for (size_t i = 0; i < found; i++)
        printf("asked for: %.*s, %.3f\n", (int)matches[i].id_length, matches[i].id,
               matches[i].jaccard);

    nd_index_searcher_free(searcher);
    nd_index_close(index);
    return 0;
}
