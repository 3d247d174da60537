// The quality of the markdown as a number: what cmark-gfm makes of it is compared with the page (round trips
// of the GFM specification) or with what it makes of another converter's markdown (pairs). A drop below the
// floor fails.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <boost/json.hpp>
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <doctest/doctest.h>

#include "extract/content/main_content.h"
#include "extract/markdown/markdown.h"
#include "html/parser.h"

namespace quarry::extract {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

std::string render(const std::string& markdown) {
    cmark_gfm_core_extensions_ensure_registered();
    const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
        cmark_parser_new(CMARK_OPT_UNSAFE), cmark_parser_free);
    for (const char* name : {"table", "strikethrough", "tasklist"}) {
        cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
    }
    cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
    const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(cmark_parser_finish(parser.get()),
                                                                           cmark_node_free);
    const std::unique_ptr<char, decltype(&std::free)> html(
        cmark_render_html(document.get(), CMARK_OPT_UNSAFE, cmark_parser_get_syntax_extensions(parser.get())),
        std::free);
    return html.get();
}

// HTML as a line of tags and words in which only what a reader would notice makes a difference: white space
// is collapsed, <b> is <strong>, and a paragraph in a list item is its text.
class Outline {
public:
    explicit Outline(const std::string& html) : tree_(html::parse_fragment(html, {})) {
        children(tree_.html());
    }
    const std::string& text() const { return text_; }

private:
    static constexpr html::TagSet ignored{Tag::tbody, Tag::thead};
    static constexpr html::TagSet blocks{Tag::p,   Tag::ul,    Tag::ol, Tag::li, Tag::blockquote, Tag::h1,
                                         Tag::h2,  Tag::h3,    Tag::h4, Tag::h5, Tag::h6,         Tag::hr,
                                         Tag::pre, Tag::table, Tag::tr, Tag::th, Tag::td,         Tag::br};

    void children(NodeId id) {
        for (NodeId child = id + 1; child < tree_[id].end; child = tree_[child].end) {
            if (tree_.is_text(child)) words(tree_[child].text);
            if (tree_.is_element(child)) element(child);
        }
    }

    void element(NodeId id) {
        const Tag tag = tree_[id].tag;
        const bool text_of_item = tag == Tag::p && tree_.is(tree_[id].parent, Tag::li);
        if (ignored.contains(tag) || text_of_item) {
            if (text_of_item) words(" ");
            children(id);
            if (text_of_item) words(" ");
            return;
        }
        const bool outer = in_pre_;
        mark(id, true);
        in_pre_ |= tag == Tag::pre;
        children(id);
        in_pre_ = outer;
        mark(id, false);
    }

    void mark(NodeId id, bool opens) {
        const Tag tag = tree_[id].tag;
        if (blocks.contains(tag)) {
            while (text_.ends_with(' ')) text_.pop_back();
        }
        text_ += opens ? "<" : "</";
        const std::string_view name = tree_.name(tag);
        text_ += name == "b" ? "strong" : name == "i" ? "em" : name == "s" || name == "strike" ? "del" : name;
        for (const html::Attribute& attribute : tree_.attributes(id)) {
            const bool counts = attribute.name == Attr::href || attribute.name == Attr::src ||
                                attribute.name == Attr::alt || attribute.name == Attr::start ||
                                attribute.name == Attr::checked || attribute.name == Attr::align ||
                                (attribute.name == Attr::class_ && in_pre_);
            if (!opens || !counts) continue;
            text_ += ' ';
            text_ += attribute.value;
        }
        text_ += '>';
        after_block_ = blocks.contains(tag);
    }

    void words(std::string_view text) {
        if (in_pre_) {
            text_ += text.substr(0, text.find_last_not_of('\n') + 1);
            return;
        }
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool no_break_space = text.substr(i, 2) == "\xC2\xA0";
            const bool space = no_break_space || text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');
            if (no_break_space) ++i;
            if (!space) {
                text_ += text[i];
                after_block_ = false;
            } else if (!text_.ends_with(' ') && !after_block_) {
                text_ += ' ';
            }
        }
    }

    Tree tree_;
    std::string text_;
    bool in_pre_ = false;
    bool after_block_ = true;
};

struct Score {
    int right = 0;
    int all = 0;
    double rate() const { return all == 0 ? 0 : static_cast<double>(right) / all; }
};

boost::json::value read_cases() {
    std::ifstream in(QUARRY_SUITES "/bench/extraction/data/mdcases/cases.json", std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    return text.empty() ? boost::json::value() : boost::json::parse(text);
}

}  // namespace

TEST_CASE("markdown renders back to the page's structure, and to what other converters mean") {
    const boost::json::value cases = read_cases();
    if (!cases.is_array()) {
        MESSAGE("skipped: no cases in " QUARRY_SUITES);
        return;
    }
    std::map<std::string, Score> scores;

    for (const boost::json::value& one : cases.as_array()) {
        const std::string kind(one.at("kind").as_string());
        if (kind != "roundtrip" && kind != "pair") continue;
        const std::string html(one.at("html").as_string());
        const Tree tree = html::parse(html);
        const std::string markdown = to_markdown(tree, select_full_page(tree));
        const std::string wanted = kind == "roundtrip" ? html : render(std::string(one.at("md").as_string()));
        const bool right = Outline(render(markdown)).text() == Outline(wanted).text();
        for (const std::string& group : {kind, kind + " " + std::string(one.at("group").as_string())}) {
            scores[group].right += right ? 1 : 0;
            ++scores[group].all;
        }
    }

    for (const auto& [group, score] : scores) MESSAGE(group << ": " << score.right << " of " << score.all);
    CHECK(scores["roundtrip"].rate() >= 0.97);
    CHECK(scores["pair"].rate() >= 0.83);
    CHECK(scores["pair table"].rate() >= 0.86);
    CHECK(scores["pair list"].rate() >= 0.97);
    CHECK(scores["pair codeblock"].rate() >= 0.88);
    CHECK(scores["pair code-inline"].rate() >= 0.85);
}

}  // namespace quarry::extract
