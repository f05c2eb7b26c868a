/* The dictionary is the item `cjdict` of ICU's data for break iterators, opened through ICU's
 * interface for data (udata.h). Behind the header, which udata_getInfo describes, stand eight words
 * of 32 bits: the first is the offset of the trie, and the low bits of the fifth are its kind. The
 * states are those of UCharsTrie. */
extern "C" {
#include "base/alloc.h"
#include "base/status.h"
}
#include "unicode/icu_han_trie.h"

#include <cstring>
#include <new>
#include <unicode/appendable.h>
#include <unicode/ucharstrie.h>
#include <unicode/udata.h>

namespace {

enum { TRIE_OFFSET = 0, TRIE_KIND = 4, KIND_BITS = 7, KIND_OF_UNITS = 1 };

/* UDataMemoryIsAcceptable: accepts a dictionary in format 1, in this machine's byte order. */
UBool is_known(void *, const char *, const char *, const UDataInfo *info) {
    return info->isBigEndian == U_IS_BIG_ENDIAN && info->charsetFamily == U_CHARSET_FAMILY &&
           memcmp(info->dataFormat, "Dict", 4) == 0 && info->formatVersion[0] == 1;
}

/* Receives units from the trie, and passes them to a callback. */
class unit_receiver : public icu::Appendable {
  public:
    unit_receiver(nd_trie_unit_fn *given, void *of) : fn(given), context(of) {}
    UBool appendCodeUnit(char16_t unit) override {
        fn(context, unit);
        return true;
    }

  private:
    nd_trie_unit_fn *fn;
    void *context;
};

} // namespace

struct nd_han_trie {
    nd_allocator allocator;
    UDataMemory *data;
    icu::UCharsTrie trie;
    uint64_t root;

    nd_han_trie(const nd_allocator &memory, UDataMemory *opened, const char16_t *units)
        : allocator(memory), data(opened), trie(units), root(trie.getState64()) {}
};

nd_status nd_han_trie_open(const nd_allocator *allocator, nd_han_trie **out, nd_error *error) {
    UErrorCode code = U_ZERO_ERROR;
    *out = nullptr;
    UDataMemory *data = udata_openChoice(U_ICUDATA_ALIAS "-brkitr", "dict", "cjdict", is_known,
                                         nullptr, &code);
    if (code == U_MEMORY_ALLOCATION_ERROR) return nd_fail_memory(error, 1, "ICU's dictionary");
    if (U_FAILURE(code)) return ND_OK;
    const char *bytes = static_cast<const char *>(udata_getMemory(data));
    int32_t offset, kind;
    memcpy(&offset, bytes + TRIE_OFFSET * sizeof offset, sizeof offset);
    memcpy(&kind, bytes + TRIE_KIND * sizeof kind, sizeof kind);
    void *memory = (kind & KIND_BITS) == KIND_OF_UNITS
                       ? nd_allocate(allocator, 1, sizeof(nd_han_trie))
                       : nullptr;
    if (!memory) {
        udata_close(data);
        return (kind & KIND_BITS) == KIND_OF_UNITS
                   ? nd_fail_memory(error, sizeof(nd_han_trie), "ICU's dictionary")
                   : ND_OK;
    }
    *out = new (memory)
        nd_han_trie(*allocator, data, reinterpret_cast<const char16_t *>(bytes + offset));
    return ND_OK;
}

void nd_han_trie_close(nd_han_trie *trie) {
    if (!trie) return;
    nd_allocator allocator = trie->allocator;
    udata_close(trie->data);
    trie->~nd_han_trie();
    nd_release(&allocator, trie);
}

uint64_t nd_han_trie_root(const nd_han_trie *trie) { return trie->root; }

nd_trie_step nd_han_trie_step(nd_han_trie *trie, uint64_t state, uint16_t unit) {
    UStringTrieResult result = trie->trie.resetToState64(state).next(unit);
    return {USTRINGTRIE_HAS_NEXT(result) ? trie->trie.getState64() : 0,
            USTRINGTRIE_HAS_VALUE(result) ? static_cast<uint32_t>(trie->trie.getValue())
                                          : ND_TRIE_NO_WORD};
}

void nd_han_trie_units(nd_han_trie *trie, uint64_t state, nd_trie_unit_fn *fn, void *context) {
    unit_receiver receiver(fn, context);
    trie->trie.resetToState64(state).getNextUChars(receiver);
}
