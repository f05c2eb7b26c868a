#include "manual/chapters.h"

#define INPUT_CHAPTER                                                                              \
    "An INPUT is a file, a directory, or a glob for files; - is standard input. "                  \
    "--files-from names a file with further inputs. Inputs are read in the order given. "          \
    "gzip, Zstandard, bzip2, xz and LZ4, with any number of members, are recognised by "           \
    "their first bytes, not by the file's name.\n\n"                                               \
    "A file has records: JSON Lines, with one object per line; JSON, with objects in an "          \
    "array or one behind the other, over any number of lines; CSV (RFC 4180) or TSV, with"         \
    " a header, unless --text-field is the number of a column; Parquet, whose rows "               \
    "DuckDB's library reads (--duckdb), and writes to a file or a directory, but not to "          \
    "standard output. Or the file is a text, one document, whose id is its name. JSON "            \
    "and Parquet are recognised by their content. Otherwise the ending of the name "               \
    "decides, in front of .gz or .zst: .csv, .tsv, .json, .jsonl, .ndjson; a file with "           \
    "another ending is a text. Standard input has no name. --format decides in all cases."         \
    "\n\n"                                                                                         \
    "If the first file of a directory has records, all its files do; files whose names "           \
    "begin with _ are left out, unless -g has that character: -g '_part-*'. In any other "         \
    "directory each file, at any depth, is one "                                                   \
    "document. Its id is its relative path, and documents are in bytewise order of the "           \
    "path. If there are other inputs, too, the id begins with the directory's name.\n\n"           \
    "-g and --exclude choose files of directories. In a GLOB * stands for any characters "         \
    "but a slash, ? for one of them, [a-z] and [!a-z] for one of a set, {a,b} for each of"         \
    " several globs, and ** as a whole part of a path for any number of directories. "             \
    "Without --hidden files and directories whose names begin with a dot are left out, unless"     \
    " a GLOB has that dot: -g '.*'. So"                                                            \
    " are symbolic links to files, and a warning says how many; --follow reads them, too."         \
    " Links to directories are never followed. One command reads either texts or records "         \
    "of one format, and files of CSV must have the same columns.\n\n"                              \
    "A record without a text, or with a text that is not a string, is an error; so is a "          \
    "row that has more or fewer fields than the header. The message names file and line. "         \
    "Empty lines, a byte order mark at the beginning and CRLF line ends are accepted. "            \
    "Where a bracket or a quote stays open, only the line where the record begins is bad."

const char input_chapter[] = INPUT_CHAPTER
    " If an id occurs more than once, there is a warning, and the documents are told apart by "
    "their position.";
const char repeated_ids_input_chapter[] = INPUT_CHAPTER " An id may occur more than once.";

const char segment_chapter[] =
    "With --analyzer segment, text in scripts written without spaces (Chinese, Japanese, Thai, "
    "Lao, Khmer, Burmese) is split into words by ICU's dictionaries. Text in other scripts has the "
    "same words as with --analyzer words.\n\n"
    "--dict FILE replaces ICU's dictionaries. FILE has one word per line, then its frequency (1 if "
    "there is none) and a tag that is ignored, separated by blanks or tabs: the format of jieba. "
    "The most probable split is chosen; ICU splits what the dictionary does not contain. A word "
    "may contain letters and digits, too. FILE jieba is the dictionary of Debian's package "
    "python3-jieba, if it is installed.\n\n"
    "The words depend on the version of ICU and on the dictionary. Use the same ones for all texts "
    "that are compared. A stream keeps the ones that it was made with. Indexes do not support "
    "--analyzer segment.";

const char simhash_chapter[] =
    "With --sketch simhash each document has a fingerprint (neardup-simhash(1)), and the "
    "candidates are exactly the pairs whose fingerprints differ in at most K bits (-k). --verify "
    "decides about a candidate: exact by the Jaccard similarity of the shingle sets; cosine by the "
    "cosine of the feature vectors behind the fingerprints, and --threshold is then a cosine; none "
    "accepts every candidate. In the tables, cosine or distance then replaces jaccard.\n\n"
    "With --weights tfidf the features are single words, and rare words decide. If the input is "
    "small, or most of it is duplicates, its counts say little about how rare a word is: then give "
    "a table that neardup-idf(1) has counted in more text (tfidf:FILE), or use --weights tf.\n\n"
    "A document may have more than --max-compare earlier documents within distance K, for example "
    "a page of a template. It is compared with the first ones only, and such documents are "
    "counted. --index works with --sketch minhash only.";

const char sentences_chapter[] =
    "With --sketch sentences:N (1 to 64; 3 is usual) the candidates are the pairs of documents "
    "that share a sentence, among the N longest sentences of each. Case, spacing and punctuation "
    "make no difference. The texts then decide, as with --sketch minhash.\n\n"
    "It finds an article that is embedded in another page, or whose paragraphs were moved, if "
    "--threshold is low enough for the rest of the page. It does not find a document in which all "
    "long sentences were changed, or whose lines are broken elsewhere, because a line break ends a "
    "sentence.\n\n"
    "Sentences of fewer than 6 words are left out. A text with only such sentences has no "
    "candidates except exact copies. A long sentence that many documents share, such as a notice, "
    "makes candidates of all of them; --max-compare of these are compared.";

const char tlsh_chapter[] =
    "With --sketch tlsh each document has a TLSH digest of the bytes of its text "
    "(neardup-tlsh(1)), and the candidates are exactly the pairs whose digests are within the "
    "distance N (--distance). --verify decides about a candidate: exact by the Jaccard similarity "
    "of the shingle sets; none accepts every candidate. In the tables, distance then replaces "
    "jaccard.\n\n"
    "A digest counts triples of bytes, not words. So a changed sentence moves the digest of a "
    "short text far, and the digests of long texts in one language are near each other although "
    "their contents differ. --sketch minhash finds more, in less time; TLSH is for digests that "
    "are shared with other programs. The time grows with the square of the documents.\n\n"
    "A text of fewer than 50 bytes, or with too little variety, has no digest and no candidates. "
    "The summary counts such texts. Exact copies are always found. A document with more than "
    "--max-compare near documents before it is compared with the nearest ones, and such documents "
    "are counted. --index works with --sketch minhash only.";

#define TSV_CHAPTER                                                                                \
    "Tables are tab-separated and begin with a header line. In ids a tab is written \\t, a "       \
    "newline \\n, a carriage return \\r and a backslash \\\\. All other bytes are unchanged, so "  \
    "an id may contain escape sequences of a terminal. Similarities have six decimals."

const char tsv_chapter[] = TSV_CHAPTER;
const char pair_tsv_chapter[] = TSV_CHAPTER
    "\n\nThe last four columns tell documents with equal ids apart: the input, as it was named, "
    "and the line of the first document (in a directory the number of the file), then the same of "
    "the second document. For a document of an index both are empty.";

const char fingerprint_file_chapter[] =
    "A file of fingerprints has one of three formats (--format). hex: lines as neardup-simhash(1) "
    "writes them: id, tab, and one hexadecimal digit for each four bits. u64: 8 bytes per "
    "fingerprint, little-endian, for 16 to 64 bits. u128: 16 bytes per fingerprint, for 128 bits. "
    "In u64 and u128 the id is the position in the file, from 0. An index made for them has "
    "numbers as ids, which take about a byte each. gzip and Zstandard are recognised by their "
    "first bytes; - is standard input.";

const char environment_chapter[] =
    "NO_COLOR: no colours. TMPDIR: the system's directory for temporary files. ND_DISABLE_CPU: "
    "instruction sets that are not used, a comma-separated list of avx512, avx2 and neon; the "
    "results do not depend on it. NEARDUP_DUCKDB: DuckDB's library, if --duckdb does not name "
    "one.";

#define FAILED "1: it failed, and the message says why"
#define USAGE "2: the command line is wrong"

const char whole_exit_chapter[] =
    "0: done. " FAILED "; the outputs are as they were before. " USAGE
    ". A command that SIGINT, SIGTERM or SIGHUP ends first removes its unfinished files, and then "
    "ends by that signal.";

const char printed_exit_chapter[] =
    "0: done. " FAILED "; results that were already printed are correct, and a file of -o is as it "
    "was before. " USAGE ".";

const char read_exit_chapter[] = "0: done. " FAILED ". " USAGE ".";

const char index_change_exit_chapter[] =
    "0: done. " FAILED "; the index is as it was before. " USAGE
    ". If the process or the machine dies at any moment, the index is as it was before or as it "
    "would be after the command.";
