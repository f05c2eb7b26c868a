#include "report/report_words.h"

#include "output/html_text.h"

#include <string.h>

/* English, Chinese. */
static const char *const words[SAY_WORDS][2] = {
    [SAY_LANGUAGE] = {"en", "zh-Hans"},
    [SAY_TITLE] = {"neardup: report of a run", "neardup 运行报告"},
    [SAY_VERDICT] = {"neardup keeps {0} of {1} documents and removes {2}: {3}.",
                     "neardup 从 {1} 篇文档中保留 {0} 篇，删除 {2} 篇：{3}。"},
    [SAY_BASIS] =
        {"The documents have {0} of text. Two texts are near-duplicates from a similarity "
         "of {1} on.",
         "文档共有 {0} 文本。相似度达到 {1} 的两篇文本视为近似重复。"},
    [SAY_PARTS] = {"Parts of the page", "本页各部分"},
    [SAY_COMMAND] = {"Command", "命令"},
    [SAY_VERSION] = {"Version", "版本"},
    [SAY_NUMBERS] = {"The numbers", "数据"},
    [SAY_WARNINGS] = {"Warnings", "警告"},
    [SAY_NO_WARNINGS] = {"No loss is striking.", "没有异常的损失。"},
    [SAY_ALARM_MOST] = {"{0} of all documents are removed, {1} of {2}.",
                        "全部文档的 {0} 被删除：{2} 篇中的 {1} 篇。"},
    [SAY_ALARM_GROUP] = {"{0} of the removed documents, {1} of {2}, duplicate one document.",
                         "被删除文档的 {0} 与同一篇文档重复：{2} 篇中的 {1} 篇。"},
    [SAY_ALARM_CLASS] = {"{3}, {=4}: {0} of the documents are removed, {1} of {2}; of all others "
                         "{5}.",
                         "{3}，{=4}：文档的 {0} 被删除（{2} 篇中的 {1} 篇）；其余文档为 {5}。"},
    [SAY_ALARM_EXAMPLE] = {"For example {=0} duplicates {=1}.", "例如 {=0} 与 {=1} 重复。"},
    [SAY_STEPS] = {"From all documents to the kept ones", "从全部文档到保留的文档"},
    [SAY_STEPS_NOTE] = {"Documents are drawn as shares of all documents, pairs as shares of the "
                        "candidates.",
                        "文档按占全部文档的比例绘制，文档对按占候选对的比例绘制。"},
    [SAY_STEP] = {"Step", "步骤"},
    [SAY_COUNT] = {"Number", "数量"},
    [SAY_UNIT] = {"of", "单位"},
    [SAY_SHARE] = {"Share", "占比"},
    [SAY_OF_DOCUMENTS] = {"documents", "篇文档"},
    [SAY_OF_PAIRS] = {"pairs", "个文档对"},
    [SAY_DOCUMENTS] = {"Documents", "文档"},
    [SAY_EXACT_COPIES] = {"Exact copies", "完全相同的副本"},
    [SAY_CANDIDATES] = {"Candidates", "候选对"},
    [SAY_VERIFIED] = {"Verified exactly", "精确验证"},
    [SAY_REJECTED] = {"Rejected", "验证后未达阈值"},
    [SAY_REMOVED] = {"Removed", "删除"},
    [SAY_KEPT] = {"Kept", "保留"},
    [SAY_SKIPPED] = {"Bad records left out", "跳过的错误记录"},
    [SAY_DUPLICATE_IDS] = {"Documents with an id that an earlier one has",
                           "标识符与先前文档相同的文档"},
    [SAY_WITHOUT_VALUE] = {"Documents without the field of --keep", "缺少 --keep 字段的文档"},
    [SAY_SPARED] = {"Duplicates that --protect keeps", "由 --protect 保留的重复文档"},
    [SAY_BOUNDED] = {"Documents for which --max-compare left comparisons out",
                     "因 --max-compare 而省略部分比较的文档"},
    [SAY_SIMILARITIES] = {"Similarities of the compared pairs", "已比较文档对的相似度"},
    [SAY_SIMILARITIES_NOTE] =
        {"Each bar counts the pairs of a step of 0.01. Exact copies are not "
         "compared, so they are not among them.",
         "每个条形表示 0.01 一档的文档对数量。完全相同的副本不作比较，因此不在其中。"},
    [SAY_SIMILARITIES_PICTURE] = {"Histogram of similarities; duplicates: {0}; rejected pairs: "
                                  "{1}; threshold: {2}.",
                                  "相似度直方图；重复：{0} 对；未达阈值：{1} 对；阈值：{2}。"},
    [SAY_NOTHING_COMPARED] = {"No pair was compared.", "没有比较任何文档对。"},
    [SAY_SIMILARITY] = {"Similarity from", "相似度起点"},
    [SAY_SIMILARITY_AXIS] = {"Similarity", "相似度"},
    [SAY_PAIRS_AXIS] = {"Pairs", "文档对数"},
    [SAY_DUPLICATES] = {"Duplicates", "重复"},
    [SAY_REJECTED_PAIRS] = {"Rejected", "未达阈值"},
    [SAY_THRESHOLD] = {"threshold {0}", "阈值 {0}"},
    [SAY_CURVE] = {"How likely a pair is compared", "文档对被比较的概率"},
    [SAY_CURVE_NOTE] =
        {"With {0} bands of {1} rows, a pair with the similarity {2} becomes a "
         "candidate with the probability {3}.",
         "使用 {0} 个带、每带 {1} 行时，相似度为 {2} 的文档对成为候选对的概率为 {3}。"},
    [SAY_CURVE_COMPUTED] =
        {"The curve is computed. A run cannot measure it, because pairs that are "
         "no candidates stay unseen; neardup audit measures it on a sample.",
         "此曲线由计算得出。单次运行无法测量它，因为不是候选对的文档对不会被看到；"
         "neardup audit 可在样本上测量。"},
    [SAY_CURVE_PICTURE] = {"Curve of the probability that a pair becomes a candidate, by its "
                           "similarity; at the threshold {0} it is {1}.",
                           "文档对成为候选对的概率随相似度变化的曲线；在阈值 {0} 处为 {1}。"},
    [SAY_CURVE_SIMHASH] =
        {"Candidates are all pairs whose fingerprints differ in at most {0} of {1} "
         "bits, so there are no bands and no curve.",
         "候选对是指纹在 {1} 位中最多相差 {0} 位的所有文档对，因此没有带，也没有曲线。"},
    [SAY_CURVE_SENTENCES] =
        {"Candidates are pairs that share one of their {0} longest sentences, so "
         "there is no curve.",
         "候选对是在各自最长的 {0} 个句子中至少有一句相同的文档对，因此没有曲线。"},
    [SAY_CURVE_TLSH] =
        {"Candidates are all pairs whose TLSH digests are within a distance of {0}, "
         "so there are no bands and no curve.",
         "候选对是 TLSH 摘要的距离不超过 {0} 的所有文档对，因此没有带，也没有曲线。"},
    [SAY_CURVE_NONE] = {"This run found its candidates without bands, so there is no curve.",
                        "本次运行不用带来寻找候选对，因此没有曲线。"},
    [SAY_PROBABILITY] = {"Probability", "概率"},
    [SAY_GROUPS] = {"Sizes of groups", "组的大小"},
    [SAY_GROUPS_NOTE] = {"A group is a kept document with the documents that were removed for it. "
                         "Both axes are logarithmic.",
                         "一组由一篇保留的文档和因它而删除的文档组成。两个坐标轴均为对数刻度。"},
    [SAY_GROUPS_PICTURE] = {"Bars of the number of groups, by removed documents; all groups: {0}.",
                            "按删除篇数划分的组数条形图：共 {0} 组。"},
    [SAY_NO_GROUPS] = {"No document was removed.", "没有删除任何文档。"},
    [SAY_GROUP_SIZE] = {"Documents removed for one", "为一篇文档删除的篇数"},
    [SAY_GROUP_COUNT] = {"Groups", "组数"},
    [SAY_LARGEST_GROUPS] = {"The largest groups", "最大的组"},
    [SAY_GROUP] = {"Removed: {0}; of these exact copies: {1}; {2} of all removed documents",
                   "删除 {0} 篇，其中 {1} 篇为完全相同的副本：占全部删除文档的 {2}"},
    [SAY_LOSSES] = {"Where documents are removed", "删除的文档来自哪里"},
    [SAY_LOSSES_NOTE] = {"Of each kind the 20 classes that lose most.",
                         "每一类别列出损失最多的 20 项。"},
    [SAY_BY_SOURCE] = {"By source", "按来源"},
    [SAY_BY_LENGTH] = {"By length", "按长度"},
    [SAY_BY_SCRIPT] = {"By script", "按文字"},
    [SAY_BY_HOST] = {"By host", "按主机"},
    [SAY_BY_FIELD] = {"By the field of --losses-by", "按 --losses-by 的字段"},
    [SAY_SOURCE] = {"Source", "来源"},
    [SAY_LENGTH] = {"Length", "长度"},
    [SAY_SCRIPT] = {"Script", "文字"},
    [SAY_HOST] = {"Host", "主机"},
    [SAY_FIELD] = {"Value", "字段值"},
    [SAY_PAIRS] = {"Pairs around the threshold", "阈值附近的文档对"},
    [SAY_PAIRS_NOTE] = {"They come from a sample of the compared pairs. Words that only the left "
                        "text has are struck through; words that only the right one has are "
                        "underlined.",
                        "取自已比较文档对的样本。只在左侧文本中出现的词带删除线，只在右侧文本中出现"
                        "的词带下划线。"},
    [SAY_ABOVE] = {"Above it: duplicates", "阈值以上：重复"},
    [SAY_BELOW] = {"Below it: rejected", "阈值以下：不重复"},
    [SAY_NO_PAIRS] = {"The sample has no such pair.", "样本中没有这样的文档对。"},
    [SAY_PAIR_SIMILARITY] = {"similarity {0}", "相似度 {0}"},
    [SAY_KEPT_ROLE] = {"kept", "保留"},
    [SAY_REMOVED_ROLE] = {"removed", "删除"},
    [SAY_FIRST_ROLE] = {"first", "第一篇"},
    [SAY_SECOND_ROLE] = {"second", "第二篇"},
    [SAY_PLACE] = {"{=0}, line {1}", "{=0}，第 {1} 行"},
    [SAY_SAME_WORDS] = {"The words are the same.", "用词相同。"},
    [SAY_DIFFERENCES] = {"Differences: {0}. Words in common: {1}.",
                         "差异：{0} 处。相同的词：{1}。"},
    [SAY_MORE_DIFFERENCES] = {"More differences follow in the texts.", "文本中还有更多差异。"},
    [SAY_BEGINNING] = {"Only the first {0} of each text are compared here.",
                       "此处仅比较每篇文本的前 {0}。"},
    [SAY_NO_TEXT] = {"This document is in the index, which keeps no texts.",
                     "该文档在索引中，索引不保存文本。"},
    [SAY_ONLY_LEFT] = {"only left", "仅左侧"},
    [SAY_ONLY_RIGHT] = {"only right", "仅右侧"},
    [SAY_COSTS] = {"Time and memory", "时间与内存"},
    [SAY_STAGE] = {"Stage", "阶段"},
    [SAY_SECONDS] = {"Seconds", "秒"},
    [SAY_READ] = {"Read", "读取"},
    [SAY_MATCH] = {"Match", "匹配"},
    [SAY_DECIDE] = {"Decide", "判定"},
    [SAY_WRITE] = {"Write", "写出"},
    [SAY_SYNC] = {"Sync", "落盘"},
    [SAY_TOTAL] = {"Total", "合计"},
    [SAY_SPEED] = {"{0} MB of text a second; threads: {1}.", "每秒 {0} MB 文本；线程数：{1}。"},
    [SAY_MEMORY] = {"Peak memory: {0}. Working files: {1}.", "内存峰值：{0}。工作文件：{1}。"},
    [SAY_STREAM_VERDICT] =
        {"{0} documents came. {1} of them founded a cluster: {2}. {3} joined "
         "one: {4}.",
         "到达 {0} 篇文档：{1} 篇建立了新簇（{2}），{3} 篇加入了已有的簇（{4}）。"},
    [SAY_STREAM_BASIS] =
        {"The documents have {0} of text. A document joins a cluster if its similarity with the "
         "first document of the cluster is at least {1}.",
         "文档共有 {0} 文本。文档与簇中第一篇文档的相似度不低于 {1} 时加入该簇。"},
    [SAY_STREAM_BASIS_SIMHASH] =
        {"The documents have {0} of text. A document joins the cluster with the nearest centre, if "
         "their fingerprints differ in at most {1} of {2} bits.",
         "文档共有 {0} 文本。文档加入中心最近的簇，前提是指纹在 {2} 位中最多相差 {1} 位。"},
    [SAY_ANSWERS] = {"How the documents were answered", "文档的归属"},
    [SAY_ANSWERS_NOTE] =
        {"A document whose id one of the last 1,024 documents had gets the answer "
         "of that document again, and changes nothing.",
         "标识符与最近 1,024 篇文档之一相同的文档会再次得到该文档的答复，不作任何改变。"},
    [SAY_ANSWER] = {"Answer", "归属"},
    [SAY_FOUNDED] = {"New clusters", "新簇"},
    [SAY_JOINED] = {"Joined a cluster", "加入已有的簇"},
    [SAY_AGAIN] = {"Answered again", "再次答复"},
    [SAY_JOINED_SIMILARITIES] = {"Similarities of documents that joined", "加入的文档的相似度"},
    [SAY_JOINED_NOTE] =
        {"Each bar counts the documents of a step of 0.01, by their similarity with the first "
         "document of their cluster. Documents that founded a cluster are not among them.",
         "每个条形表示 0.01 一档的文档数量，相似度以簇中第一篇文档为准。建立新簇的文档不在其中。"},
    [SAY_JOINED_PICTURE] = {"Histogram of similarities; documents that joined: {0}; threshold: "
                            "{1}.",
                            "相似度直方图；加入的文档：{0} 篇；阈值：{1}。"},
    [SAY_JOINED_AXIS] = {"Documents", "文档数"},
    [SAY_NONE_JOINED] = {"No document joined a cluster.", "没有文档加入已有的簇。"},
    [SAY_DISTANCES] = {"Distances of documents that joined", "加入的文档的距离"},
    [SAY_DISTANCES_NOTE] =
        {"Each bar counts the documents whose fingerprint differed in so many bits from the centre "
         "of their cluster. Documents that founded a cluster are not among them.",
         "每个条形表示指纹与簇中心相差若干位的文档数量。建立新簇的文档不在其中。"},
    [SAY_DISTANCES_PICTURE] = {"Bars of distances; documents that joined: {0}; largest distance "
                               "allowed: {1}.",
                               "距离条形图；加入的文档：{0} 篇；允许的最大距离：{1}。"},
    [SAY_DISTANCE] = {"Distance in bits", "相差的位数"},
    [SAY_LARGEST_DISTANCE] = {"at most {0}", "至多 {0}"},
    [SAY_CLUSTERS] = {"Sizes of clusters", "簇的大小"},
    [SAY_CLUSTERS_NOTE] =
        {"These are the clusters that this run founded, and older ones that grew in it. A size "
         "counts the documents of earlier runs, too. Both axes are logarithmic.",
         "此处为本次运行建立的簇，以及在本次运行中增大的旧簇。大小也包括以前运行的文档。"
         "两个坐标轴均为对数刻度。"},
    [SAY_FORGOTTEN_NOTE] = {"Clusters that the stream has forgotten (--expire) are not among them.",
                            "已被遗忘的簇（--expire）不在其中。"},
    [SAY_CLUSTERS_PICTURE] = {"Bars of the number of clusters, by documents; all clusters: {0}.",
                              "按文档数划分的簇数条形图：共 {0} 个簇。"},
    [SAY_NO_CLUSTERS] = {"No cluster was founded or grew.", "没有簇建立或增大。"},
    [SAY_CLUSTER_SIZE] = {"Documents of a cluster", "一个簇的文档数"},
    [SAY_CLUSTER_COUNT] = {"Clusters", "簇数"},
    [SAY_LARGEST_CLUSTERS] = {"The largest clusters", "最大的簇"},
    [SAY_CLUSTER] = {"First document", "第一篇文档"},
    [SAY_FOUNDED_BY] = {"Founded in", "建立于"},
    [SAY_THIS_RUN] = {"this run", "本次运行"},
    [SAY_EARLIER_RUN] = {"an earlier run", "以前的运行"},
    [SAY_TOPICS] = {"Topics", "主题词"},
    [SAY_SOURCES_NOTE] = {"The 20 sources with most documents.", "列出文档最多的 20 个来源。"},
    [SAY_STREAM_TIME] = {"The run took {0} s: {1} documents a second, including the time in which "
                         "it waited for input.",
                         "运行用时 {0} 秒：每秒 {1} 篇文档，包括等待输入的时间。"},
    [SAY_PAPERS_VERDICT] =
        {"{0} of {1} papers have passages of the sources: {2} of all {3} tokens, {4}.",
         "{1} 篇论文中有 {0} 篇含有来源中的段落：全部 {3} 个词元中的 {2} 个，占 {4}。"},
    [SAY_PAPERS_BASIS] =
        {"A passage is a run of at least {0} tokens that a source has, too; runs with at most {1} "
         "tokens between them are one passage. A token in several passages counts once.",
         "段落是来源中也有的、至少 {0} 个连续词元；相隔不超过 {1} 个词元的片段合为一个段落。"
         "同时位于多个段落中的词元只计一次。"},
    [SAY_PAPERS_SHARES] = {"Shares", "占比"},
    [SAY_PAPERS_SHARES_NOTE] =
        {"The share of a paper is the part of its tokens that lies in passages of sources.",
         "论文的占比是其词元中位于来源段落内的部分。"},
    [SAY_NO_PAPERS] = {"No paper has a passage of a source.", "没有论文含有来源中的段落。"},
    [SAY_MORE_SHARES] = {"Papers with smaller shares that are not listed: {0}. neardup passages "
                         "--shares lists all of them.",
                         "另有 {0} 篇占比更小的论文未列出；neardup passages --shares 会全部列出。"},
    [SAY_PAPER] = {"Paper", "论文"},
    [SAY_TOKENS] = {"Tokens", "词元"},
    [SAY_FOUND] = {"Found", "找到"},
    [SAY_SOURCES] = {"Sources", "来源数"},
    [SAY_PAPERS] = {"Papers beside their sources", "论文与来源对照"},
    [SAY_PAPERS_NOTE] =
        {"The paper is on the left, with its passages marked; beside them are the passages of the "
         "sources, or below them on a narrow screen. A number stands for a source of the paper; "
         "the source with number 1 has most of it.",
         "左侧为论文，其中的段落有标记；旁边为来源中的段落，屏幕较窄时在其下方。"
         "编号表示论文的一个来源，编号 1 的来源含有最多内容。"},
    [SAY_MORE_PAPERS] = {"Papers of the table that are left out here, because the page stays below "
                         "1 MB: {0}.",
                         "为使本页小于 1 MB，表中另有 {0} 篇论文未在此显示。"},
    [SAY_PAPER_SHARE] = {"{0} found: {1} of {2} tokens, in sources: {3}.",
                         "找到 {0}：{2} 个词元中的 {1} 个，来源数：{3}。"},
    [SAY_MORE_SOURCES] =
        {"Sources that are not listed: {0}. neardup passages --source-shares lists "
         "all of them.",
         "另有 {0} 个来源未列出；neardup passages --source-shares 会全部列出。"},
    [SAY_PASSAGE_TOKENS] = {"tokens: {0}", "词元：{0}"},
    [SAY_MORE_BESIDE] = {"Passages that begin here, too: {0}.", "另有 {0} 个段落也始于此处。"},
    [SAY_MORE_PASSAGES] = {"Passages of this paper that are left out: {0}.",
                           "本论文另有 {0} 个段落未显示。"},
    [SAY_LEFT_OUT] = {"[\u2026 {0} \u2026]", "[\u2026 {0} \u2026]"},
};

const char *report_words(page_language language, report_word word) { return words[word][language]; }

/* Most characters of an argument. */
enum { ARGUMENT_MOST = 120 };

void put_words(FILE *out, page_language language, report_word word, const char *const *arguments) {
    for (const char *at = words[word][language]; *at; at++) {
        if (*at != '{') {
            putc(*at, out);
            continue;
        }
        bool foreign = at[1] == '=';
        at += foreign ? 2 : 1;
        const char *argument = arguments[*at++ - '0'];
        if (foreign) fputs("<bdi>", out);
        put_foreign(out, argument, strlen(argument), ARGUMENT_MOST);
        if (foreign) fputs("</bdi>", out);
    }
}

void put_foreign(FILE *out, const char *text, size_t length, size_t most) {
    size_t end = 0, characters = 0;
    for (; end < length && characters < most; characters++)
        for (end++; end < length && ((unsigned char)text[end] & 0xc0) == 0x80;) end++;
    if (end > 4 * most) end = 4 * most; /* it is not UTF-8 */
    for (size_t at = 0; at < end;) {
        size_t valid = nd_utf8_valid_prefix(text + at, end - at);
        put_html(out, text + at, valid);
        at += valid;
        if (at == end) break;
        fputs("\xef\xbf\xbd", out);
        at++;
    }
    if (end < length) fputs(" \u2026", out);
}
