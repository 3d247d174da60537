// Element and attribute names as small integers. Names that the parser or the extractor asks about have a
// constant here. Any other name met in a page gets the next free number in that page's NameTable
// (Tree::name gives the text back). The table is bounded in size and in time per lookup, so that a page of
// a million invented names costs no more than any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace quarry::html {

// The hash of element and attribute names, shared by the fixed table of listed names and each tree's table of
// the others. Most names have at most eight bytes and so are one word: comparing words compares the names.

namespace name_hash_detail {

// Written byte by byte so that it works in constant expressions; compilers turn it into one load.
template <std::size_t Bytes>
constexpr std::uint64_t load(const char* at) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < Bytes; ++i) {
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
    }
    return word;
}

}  // namespace name_hash_detail

// The last (at most eight) bytes of the name in one word. Two names of the same length, at most eight, are
// equal if and only if their words are.
constexpr std::uint64_t tail_word(std::string_view name) {
    using namespace name_hash_detail;
    const std::size_t size = name.size();
    const char* at = name.data();
    if (size >= 8) return load<8>(at + size - 8);
    if (size >= 4) return load<4>(at) | load<4>(at + size - 4) << 32;
    if (size == 0) return 0;
    return load<1>(at) | load<1>(at + size / 2) << 8 | load<1>(at + size - 1) << 16;
}

// A name with what the tables need to find it, so that it is computed once for all of them.
struct HashedName {
    constexpr explicit HashedName(std::string_view name) : text(name), word(tail_word(name)) {
        constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15;
        std::uint64_t mixed = name.size();
        for (std::size_t i = 0; i + 8 < name.size(); i += 8) {
            mixed = (mixed ^ name_hash_detail::load<8>(name.data() + i)) * multiplier;
            mixed ^= mixed >> 29;
        }
        hash = static_cast<std::uint32_t>(((mixed ^ word) * multiplier) >> 32);
    }

    std::string_view text;
    std::uint64_t word;
    std::uint32_t hash = 0;
};

// Element and attribute names as small integers. Names that the parser or the extractor asks about have a
// constant here; any other name met in a page gets the next free number in that page's tree (Tree::name gives
// the text back).

// clang-format off
#define QUARRY_HTML_TAGS(X) \
    X(a) X(abbr) X(acronym) X(address) X(applet) X(area) X(article) X(aside) X(audio) X(b) X(base) X(basefont) X(bdi) \
    X(bdo) X(bgsound) X(big) X(blink) X(blockquote) X(body) X(br) X(button) X(canvas) X(caption) X(center) X(cite) \
    X(code) X(col) X(colgroup) X(command) X(content) X(data) X(datalist) X(dd) X(del) X(details) X(dfn) X(dialog) \
    X(dir) X(div) X(dl) X(dt) X(em) X(embed) X(fieldset) X(figcaption) X(figure) X(font) X(footer) X(form) X(frame) \
    X(frameset) X(h1) X(h2) X(h3) X(h4) X(h5) X(h6) X(head) X(header) X(hgroup) X(hr) X(html) X(i) X(iframe) X(image) \
    X(img) X(input) X(ins) X(isindex) X(kbd) X(keygen) X(label) X(legend) X(li) X(link) X(listing) X(main) X(map) \
    X(mark) X(marquee) X(menu) X(menuitem) X(meta) X(meter) X(nav) X(nobr) X(noembed) X(noframes) X(noscript) \
    X(object) X(ol) X(optgroup) X(option) X(output) X(p) X(param) X(picture) X(plaintext) X(pre) X(progress) X(q) \
    X(rb) X(rp) X(rt) X(rtc) X(ruby) X(s) X(samp) X(script) X(search) X(section) X(select) X(selectedcontent) \
    X(slot) X(small) X(source) X(spacer) X(span) X(strike) X(strong) X(style) X(sub) X(summary) X(sup) X(table) \
    X(tbody) X(td) X(textarea) X(tfoot) X(th) X(thead) X(time) X(title) X(tr) X(track) X(tt) X(u) X(ul) X(var) \
    X(video) X(wbr) X(xmp) \
    X(svg) X(desc) X(path) X(g) X(use) X(text) X(tspan) \
    X(math) X(mi) X(mn) X(mo) X(ms) X(mtext) X(mrow) X(mfrac) X(msqrt) X(mroot) X(msub) X(msup) X(msubsup) X(munder) \
    X(mover) X(munderover) X(mtable) X(mtr) X(mtd) X(mlabeledtr) X(mspace) X(mstyle) X(mpadded) X(mphantom) X(menclose) \
    X(merror) X(mfenced) X(mmultiscripts) X(mprescripts) X(none) X(semantics) X(annotation) X(mglyph) X(malignmark)

// Names that are no C++ identifiers.
#define QUARRY_HTML_TAGS_SPELT(X) \
    X(template_, "template") X(annotation_xml, "annotation-xml") X(foreign_object, "foreignObject")

#define QUARRY_HTML_ATTRIBUTES(X) \
    X(abbr) X(action) X(align) X(alt) X(checked) X(cite) X(color) X(cols) X(colspan) X(content) X(coords) X(data) \
    X(datetime) X(dir) X(disabled) X(display) X(encoding) X(face) X(headers) X(height) X(hidden) X(href) X(hreflang) \
    X(id) X(itemid) X(itemprop) X(itemref) X(itemscope) X(itemtype) X(label) X(lang) X(language) X(loading) X(media) X(name) \
    X(nowrap) X(open) X(poster) X(prefix) X(property) X(rel) X(resource) X(reversed) X(role) X(rowspan) X(scope) X(shape) \
    X(size) X(sizes) X(src) X(srcdoc) X(srcset) X(start) X(style) X(summary) X(tabindex) X(target) X(title) X(type) \
    X(value) X(version) X(vocab) X(width) X(xmlns)

#define QUARRY_HTML_ATTRIBUTES_SPELT(X) \
    X(class_, "class") X(for_, "for") X(default_, "default") X(http_equiv, "http-equiv") X(charset, "charset") X(typeof_, "typeof") \
    X(aria_hidden, "aria-hidden") X(aria_label, "aria-label") X(aria_level, "aria-level") X(aria_modal, "aria-modal") \
    X(data_lang, "data-lang") X(data_language, "data-language") X(data_src, "data-src") X(data_srcset, "data-srcset") \
    X(data_original, "data-original") X(data_lazy_src, "data-lazy-src") X(data_line_number, "data-line-number") \
    X(data_math, "data-math") X(data_testid, "data-testid") X(definition_url, "definitionURL") X(xml_lang, "xml:lang")
// clang-format on

enum class Tag : std::uint16_t {
#define QUARRY_NAME(name) name,
#define QUARRY_NAME_SPELT(name, spelling) name,
    QUARRY_HTML_TAGS(QUARRY_NAME) QUARRY_HTML_TAGS_SPELT(QUARRY_NAME_SPELT) first_unlisted
};

enum class Attr : std::uint16_t {
    QUARRY_HTML_ATTRIBUTES(QUARRY_NAME) QUARRY_HTML_ATTRIBUTES_SPELT(QUARRY_NAME_SPELT) first_unlisted
#undef QUARRY_NAME
#undef QUARRY_NAME_SPELT
};

inline constexpr std::size_t listed_tags = static_cast<std::size_t>(Tag::first_unlisted);
inline constexpr std::size_t listed_attributes = static_cast<std::size_t>(Attr::first_unlisted);

// The name of a listed tag or attribute as the standard spells it.
std::string_view spelling(Tag tag);
std::string_view spelling(Attr name);

// The number of a listed name, or nothing. Case matters: the tokenizer asks with lower-case names.
std::optional<Tag> find_listed_tag(const HashedName& name);
std::optional<Attr> find_listed_attribute(const HashedName& name);
inline std::optional<Tag> find_listed_tag(std::string_view name) {
    return find_listed_tag(HashedName(name));
}
inline std::optional<Attr> find_listed_attribute(std::string_view name) {
    return find_listed_attribute(HashedName(name));
}

// A set of listed names with constant-time membership: `constexpr TagSet blocks{Tag::p, Tag::div};` Names
// that are not listed are never in it.
template <typename Name>
class NameSet {
public:
    template <typename... Names>
    constexpr explicit NameSet(Names... names) {
        (add(names), ...);
    }
    constexpr bool contains(Name name) const {
        const auto bit = static_cast<std::size_t>(name);
        return bit < listed && (words_[bit / 64] >> (bit % 64) & 1) != 0;
    }
    constexpr void add(Name name) {
        const auto bit = static_cast<std::size_t>(name);
        if (bit < listed) words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }

private:
    static constexpr auto listed = static_cast<std::size_t>(Name::first_unlisted);
    std::uint64_t words_[listed / 64 + 1] = {};
};
using TagSet = NameSet<Tag>;
using AttrSet = NameSet<Attr>;

// The names of one page that names.h does not list: each gets the next free number. Bounded in size and in
// time per lookup, so that a page of a million invented names costs no more than any other.

class NameTable {
public:
    // What a name gets when the table is full, or when too many names share its place in the table.
    static constexpr std::uint16_t overflow = UINT16_MAX;

    explicit NameTable(std::size_t listed) : first_(static_cast<std::uint16_t>(listed)) {}

    // The number of the name, new if need be. The table keeps the view: its bytes must live as long.
    std::uint16_t intern(const HashedName& name);
    std::optional<std::uint16_t> find(const HashedName& name) const;
    // The text of a number that `intern` gave.
    std::string_view name(std::uint16_t number) const;

private:
    static constexpr std::size_t max_names = 20'000;
    // Names made to collide would otherwise make every lookup a walk over all of them.
    static constexpr std::size_t max_probes = 48;

    struct Slot {
        std::uint32_t hash = 0;
        std::uint16_t number = overflow;  // overflow: an empty slot
    };
    void grow();

    std::vector<Slot> slots_;
    std::vector<std::string_view> names_;
    std::uint16_t first_;
};

}  // namespace quarry::html
