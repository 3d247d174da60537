#include "extract/html_writer.h"

#include <string_view>

#include "base/ascii.h"
#include "extract/metadata/images.h"
#include "extract/metadata/links.h"
#include "extract/selection.h"

namespace quarry::extract {

namespace {

std::string_view escape(char letter) {
    switch (letter) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\r': return "&#13;";  // a bare one would be read as a newline
        default: return {};
    }
}

void append_escaped(std::string& html, std::string_view text, std::string_view special) {
    while (true) {
        const std::size_t at = text.find_first_of(special);
        html += text.substr(0, at);
        if (at == std::string_view::npos) return;
        html += escape(text[at]);
        text.remove_prefix(at + 1);
    }
}

}  // namespace

void append_text(std::string& html, std::string_view text) {
    append_escaped(html, text, "&<>\r");
}

void append_attribute_value(std::string& html, std::string_view value) {
    append_escaped(html, value, "&<>\"\r");
}

namespace {

using html::Attr;
using html::Namespace;
using html::NodeId;
using html::Tag;
using html::Tree;

constexpr html::TagSet dropped{
    Tag::script, Tag::style,   Tag::template_, Tag::head,     Tag::title,   Tag::meta,     Tag::link,
    Tag::base,   Tag::select,  Tag::option,    Tag::datalist, Tag::input,   Tag::textarea, Tag::iframe,
    Tag::object, Tag::embed,   Tag::canvas,    Tag::applet,   Tag::noembed, Tag::noframes, Tag::frameset,
    Tag::frame,  Tag::param,   Tag::area,      Tag::map,      Tag::svg,     Tag::col,      Tag::colgroup,
    Tag::keygen, Tag::bgsound, Tag::basefont};

constexpr html::TagSet written{
    Tag::a,      Tag::abbr,   Tag::address,    Tag::article, Tag::aside,   Tag::audio,   Tag::b,
    Tag::bdi,    Tag::bdo,    Tag::blockquote, Tag::br,      Tag::caption, Tag::cite,    Tag::code,
    Tag::data,   Tag::dd,     Tag::del,        Tag::details, Tag::dfn,     Tag::div,     Tag::dl,
    Tag::dt,     Tag::em,     Tag::figcaption, Tag::figure,  Tag::footer,  Tag::h1,      Tag::h2,
    Tag::h3,     Tag::h4,     Tag::h5,         Tag::h6,      Tag::header,  Tag::hgroup,  Tag::hr,
    Tag::i,      Tag::img,    Tag::ins,        Tag::kbd,     Tag::li,      Tag::main,    Tag::mark,
    Tag::menu,   Tag::nav,    Tag::ol,         Tag::p,       Tag::pre,     Tag::q,       Tag::rb,
    Tag::rp,     Tag::rt,     Tag::rtc,        Tag::ruby,    Tag::s,       Tag::samp,    Tag::section,
    Tag::small,  Tag::source, Tag::span,       Tag::strong,  Tag::sub,     Tag::summary, Tag::sup,
    Tag::table,  Tag::tbody,  Tag::td,         Tag::tfoot,   Tag::th,      Tag::thead,   Tag::time,
    Tag::tr,     Tag::tt,     Tag::u,          Tag::ul,      Tag::var,     Tag::video,   Tag::wbr,
    Tag::strike, Tag::big};

constexpr html::TagSet without_end_tag{Tag::br, Tag::hr, Tag::img, Tag::source, Tag::wbr};

// Elements in which every space counts. All are written as <pre>: the others mean the same, but their
// contents would have to be written raw.
constexpr html::TagSet preformatted{Tag::pre, Tag::listing, Tag::xmp, Tag::plaintext};

constexpr html::TagSet math_without_text{Tag::annotation, Tag::annotation_xml, Tag::script, Tag::style};

bool is_kept_attribute(Attr name, Tag tag) {
    switch (name) {
        case Attr::alt:
        case Attr::title:
        case Attr::colspan:
        case Attr::rowspan:
        case Attr::start:
        case Attr::reversed:
        case Attr::lang:
        case Attr::dir:
        case Attr::datetime: return true;
        case Attr::type:
        case Attr::value: return tag == Tag::ol || tag == Tag::li || tag == Tag::ul;
        case Attr::class_: return tag == Tag::code || tag == Tag::pre;  // the language
        case Attr::open: return tag == Tag::details;
        case Attr::scope: return tag == Tag::th;
        case Attr::align: return tag == Tag::td || tag == Tag::th;
        default: return false;
    }
}

bool has_scheme(std::string_view reference, std::string_view scheme) {
    return reference.size() > scheme.size() && equals_ignore_case(reference.substr(0, scheme.size()), scheme);
}

class CleanHtmlWriter {
public:
    CleanHtmlWriter(const Tree& tree, const CleanHtmlOptions& options) : tree_(tree), options_(options) {}

    Descend open(NodeId id) {
        const html::Node& node = tree_[id];
        if (node.space == Namespace::svg) return Descend::past;
        if (node.space == Namespace::mathml) return open_math(id);
        if (dropped.contains(node.tag)) return Descend::past;
        if (node.tag == Tag::img) {
            write_image(id);
            return Descend::past;
        }
        if (const std::string_view name = written_name(node.tag); !name.empty()) {
            out_ += '<';
            out_ += name;
            write_attributes(id);
            out_ += '>';
            if (name == "pre") protect_first_newline(id);
        }
        return Descend::into;
    }

    void text(NodeId id) { append_text(out_, tree_[id].text); }

    void close(NodeId id) {
        const html::Node& node = tree_[id];
        const std::string_view name =
            node.space == Namespace::mathml ? tree_.name(node.tag) : written_name(node.tag);
        if (name.empty() || (node.space == Namespace::html && without_end_tag.contains(node.tag))) return;
        out_ += "</";
        out_ += name;
        out_ += '>';
    }

    std::string take() { return std::move(out_); }

private:
    std::string_view written_name(Tag tag) const {
        if (preformatted.contains(tag)) return "pre";
        return written.contains(tag) ? tree_.name(tag) : std::string_view{};
    }

    // The source of a formula is kept beside it in annotations; readers would see both.
    Descend open_math(NodeId id) {
        const Tag tag = tree_[id].tag;
        const bool is_known = tag < Tag::first_unlisted;
        if (!is_known || math_without_text.contains(tag)) return Descend::past;
        out_ += '<';
        out_ += tree_.name(tag);
        if (tag == Tag::math) write_plain_attribute(id, Attr::display);
        out_ += '>';
        return Descend::into;
    }

    // The parser drops a newline that follows <pre>; one that is text needs another before it.
    void protect_first_newline(NodeId id) {
        const NodeId child = tree_.first_child(id);
        if (child != html::no_node && tree_.is_text(child) && tree_[child].text.starts_with('\n'))
            out_ += '\n';
    }

    void write_attribute(std::string_view name, std::string_view value) {
        out_ += ' ';
        out_ += name;
        out_ += "=\"";
        append_attribute_value(out_, value);
        out_ += '"';
    }

    void write_plain_attribute(NodeId id, Attr name) {
        if (const auto value = tree_.attribute(id, name)) write_attribute(tree_.name(name), *value);
    }

    void write_attributes(NodeId id) {
        const Tag tag = tree_[id].tag;
        for (const html::Attribute& attribute : tree_.attributes(id)) {
            if (attribute.space != html::AttributeNamespace::none) continue;
            if (is_kept_attribute(attribute.name, tag)) {
                write_attribute(tree_.name(attribute.name), attribute.value);
            } else if (attribute.name == Attr::href && tag == Tag::a) {
                write_url("href", attribute.value);
            } else if (attribute.name == Attr::src &&
                       (tag == Tag::audio || tag == Tag::video || tag == Tag::source)) {
                write_url("src", attribute.value);
            } else if (attribute.name == Attr::cite && (tag == Tag::blockquote || tag == Tag::q)) {
                write_url("cite", attribute.value);
            }
        }
    }

    void write_url(std::string_view name, std::string_view reference) {
        if (std::string url = absolute_url(reference, options_.base); !url.empty()) {
            write_attribute(name, url);
            return;
        }
        const std::string_view text = trimmed(reference);
        if (has_scheme(text, "mailto:") || has_scheme(text, "tel:") ||
            (options_.base == nullptr && is_relative(text))) {
            write_attribute(name, text);
        }
    }

    // Without a base a relative reference stays as it is, as long as no program could take it for a scheme.
    static bool is_relative(std::string_view reference) {
        return reference.substr(0, reference.find_first_of("/?#")).find(':') == std::string_view::npos;
    }

    void write_image(NodeId id) {
        const std::string_view source = image_source(tree_, id);
        const bool is_data = has_scheme(source, "data:");
        if (source.empty() || (is_data && !(options_.keep_data_images && has_scheme(source, "data:image/"))))
            return;
        out_ += "<img";
        if (is_data) {
            write_attribute("src", source);
        } else {
            write_url("src", source);
        }
        write_plain_attribute(id, Attr::alt);
        write_plain_attribute(id, Attr::title);
        out_ += '>';
    }

    const Tree& tree_;
    const CleanHtmlOptions& options_;
    std::string out_;
};

}  // namespace

std::string to_clean_html(const Tree& tree, const Selection& selection, const CleanHtmlOptions& options) {
    CleanHtmlWriter writer(tree, options);
    walk_kept(tree, selection, writer);
    return writer.take();
}

}  // namespace quarry::extract
