// Element and attribute names as small integers. Names that the parser or the extractor asks about have a
// constant here; any other name met in a page gets the next free number in that page's tree (Tree::name gives
// the text back).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "html/name_hash.h"

namespace quarry::html {

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

}  // namespace quarry::html
