#include "crawl/sitemap_xml.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "crawl/sitemap_builder.h"
#include "text/xml.h"

namespace quarry::crawl {

namespace {

using text::XmlAttribute;
using text::XmlName;

constexpr std::size_t max_field_bytes = 16 << 10;

// What a root element announces, and the name of the elements that hold one location each.
struct Format {
    std::string_view root;
    SitemapKind kind;
    std::string_view item;
};

constexpr Format formats[] = {
    {"urlset", SitemapKind::pages, "url"}, {"sitemapindex", SitemapKind::index, "sitemap"},
    {"rss", SitemapKind::rss, "item"},     {"RDF", SitemapKind::rss, "item"},  // RSS 1.0
    {"feed", SitemapKind::atom, "entry"},
};

std::string_view attribute(std::span<const XmlAttribute> attributes, std::string_view name) {
    const auto found = std::ranges::find_if(
        attributes, [&](const XmlAttribute& a) { return a.name.local == name && a.name.prefix.empty(); });
    return found == attributes.end() ? std::string_view{} : found->value;
}

// All these formats are lists of items, each with a few fields directly below it. Whatever lies deeper, such
// as the <image:loc> of a page's pictures, is not a location of its own.
class SitemapReader : public text::XmlHandler {
public:
    explicit SitemapReader(const url::Url& base) : builder_(SitemapKind::pages, base) {}

    void start(const XmlName& name, std::span<const XmlAttribute> attributes) override {
        ++depth_;
        if (depth_ == 1) begin_document(name.local);
        if (item_depth_ == 0 && depth_ > 1 && format_ != nullptr && name.local == format_->item) {
            item_depth_ = depth_;
            item_ = {};
            guid_.clear();
        } else if (in_field()) {
            text_.clear();
            read_attributes(name, attributes);
        }
    }

    void end(const XmlName& name) override {
        if (in_field()) read_field(name);
        if (depth_ == item_depth_) finish_item();
        --depth_;
    }

    void text(std::string_view text) override {
        if (item_depth_ > 0 && depth_ > item_depth_)
            text_ += text.substr(0, max_field_bytes - std::min(max_field_bytes, text_.size()));
    }

    // One item too many is read, so that the builder can say that there was more.
    bool wants_more() const override { return (format_ != nullptr || depth_ == 0) && !overflowed_; }

    // Closes what a broken document left open.
    SitemapBuilder& finish() {
        if (item_depth_ > 0) finish_item();
        return builder_;
    }

    bool knows_format() const { return format_ != nullptr; }
    const std::string& root() const { return root_; }

private:
    bool in_field() const { return item_depth_ > 0 && depth_ == item_depth_ + 1; }

    void begin_document(std::string_view root) {
        root_ = root.substr(0, 40);
        const auto* format = std::ranges::find(formats, root, &Format::root);
        if (format == std::end(formats)) return;
        format_ = format;
        builder_.set_kind(format->kind);
    }

    // Atom keeps the location in an attribute; feeds in RSS borrow Atom's element now and then.
    void read_attributes(const XmlName& name, std::span<const XmlAttribute> attributes) {
        guid_is_link_ = attribute(attributes, "isPermaLink") != "false";
        const bool is_feed = format_->kind == SitemapKind::atom || format_->kind == SitemapKind::rss;
        if (!is_feed || name.local != "link" || !item_.loc.empty()) return;
        const std::string_view relation = attribute(attributes, "rel");
        if (relation.empty() || relation == "alternate") item_.loc = attribute(attributes, "href");
    }

    void read_field(const XmlName& name) {
        const std::string_view text = trimmed(text_);
        const std::string_view field = name.local;
        if (field == "title" && name.prefix.empty()) item_.title = text;
        if (field == "lastmod" || field == "pubDate" || field == "updated") item_.lastmod = text;
        if ((field == "date" || field == "published") && item_.lastmod.empty()) item_.lastmod = text;
        if (field == "guid" && guid_is_link_) guid_ = text;
        const bool is_location = format_->kind == SitemapKind::rss
                                     ? field == "link" && name.prefix.empty()
                                     : field == "loc" && format_->kind != SitemapKind::atom;
        if (is_location && !text.empty()) item_.loc = text;
    }

    void finish_item() {
        item_depth_ = 0;
        if (item_.loc.empty()) item_.loc = std::exchange(guid_, {});
        if (item_.loc.empty()) return;
        overflowed_ = builder_.is_full();
        builder_.add(std::exchange(item_, {}));
    }

    SitemapBuilder builder_;
    const Format* format_ = nullptr;
    std::string root_;
    SitemapEntry item_;
    std::string guid_;  // an RSS item's id, which is its location unless it says otherwise
    std::string text_;
    int depth_ = 0;
    int item_depth_ = 0;  // of the open item; 0 if there is none
    bool guid_is_link_ = true;
    bool overflowed_ = false;
};

}  // namespace

Result<Sitemap> parse_xml_sitemap(std::string_view bytes, const url::Url& base) {
    SitemapReader reader(base);
    const auto read =
        text::read_xml(bytes, reader, {.max_bytes = max_sitemap_bytes, .max_text_bytes = 1 << 20});
    if (!reader.knows_format() && !reader.root().empty()) {
        return fail(ErrorCode::unsupported,
                    fmt::format("this is no sitemap or feed but a document of type <{}>", reader.root()));
    }
    SitemapBuilder& builder = reader.finish();
    if (!read) {
        if (builder.is_empty()) return std::unexpected(read.error());
        builder.warn(read.error().message);
    }
    return builder.take();
}

}  // namespace quarry::crawl
