/* Chapters that several man pages share, in the prose of manual/prose.h. */
#ifndef CLI_CHAPTERS_H
#define CLI_CHAPTERS_H

extern const char input_chapter[];              /* of jobs that compare documents with each other */
extern const char repeated_ids_input_chapter[]; /* of jobs in which ids may repeat */
extern const char segment_chapter[], simhash_chapter[], sentences_chapter[], tlsh_chapter[];
extern const char tsv_chapter[];
extern const char pair_tsv_chapter[]; /* of tables with two documents per row */
extern const char fingerprint_file_chapter[];
extern const char environment_chapter[];

/* Exit status: of jobs whose outputs appear as a whole; of commands that print results while they
 * find them; of commands that only read; of commands that change an index. */
extern const char whole_exit_chapter[], printed_exit_chapter[], read_exit_chapter[],
    index_change_exit_chapter[];

#endif
