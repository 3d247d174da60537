// The formats differ in names, not in shape: a head, then items, each with a title, a link, a date and a
// text. One reader understands all of them by the names that an element may have.
#include "extract/feed/parser.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/ascii.h"
#include "extract/html_writer.h"
#include "extract/one_line.h"
#include "text/xml.h"

namespace quarry::extract {

namespace {

using text::XmlAttribute;
using text::XmlName;

constexpr std::size_t max_items = 2'000;
constexpr std::size_t max_line_bytes = 2'000;
constexpr std::size_t max_content_bytes = std::size_t{512} * 1024;
constexpr std::size_t max_total_bytes = std::size_t{32} * 1024 * 1024;

std::string_view attribute(std::span<const XmlAttribute> attributes, std::string_view name) {
    const auto found = std::ranges::find_if(attributes, [&](const XmlAttribute& each) {
        return each.name.prefix.empty() && each.name.local == name;
    });
    return found == attributes.end() ? std::string_view{} : found->value;
}

// What an element's text is for.
enum class Field : std::uint8_t { none, title, link, id, date, updated, author, summary, content, language };

// The names without prefix, or with one of the usual ones, which tell their namespace well enough.
Field field_named(const XmlName& name) {
    struct Entry {
        std::string_view prefix, local;
        Field field;
    };
    static constexpr std::array entries{
        Entry{"", "title", Field::title},      Entry{"", "link", Field::link},
        Entry{"", "guid", Field::id},          Entry{"", "pubDate", Field::date},
        Entry{"", "published", Field::date},   Entry{"", "issued", Field::date},
        Entry{"dc", "date", Field::date},      Entry{"", "updated", Field::updated},
        Entry{"", "modified", Field::updated}, Entry{"", "lastBuildDate", Field::updated},
        Entry{"", "author", Field::author},    Entry{"dc", "creator", Field::author},
        Entry{"", "name", Field::author},      Entry{"", "description", Field::summary},
        Entry{"", "subtitle", Field::summary}, Entry{"", "tagline", Field::summary},
        Entry{"", "summary", Field::summary},  Entry{"content", "encoded", Field::content},
        Entry{"", "content", Field::content},  Entry{"", "language", Field::language},
        Entry{"atom", "link", Field::link},
    };
    const auto found = std::ranges::find_if(entries, [&](const Entry& entry) {
        return entry.prefix == name.prefix && entry.local == name.local;
    });
    return found == entries.end() ? Field::none : found->field;
}

bool is_item(const XmlName& name) {
    return name.prefix.empty() && (name.local == "item" || name.local == "entry");
}

class FeedReader : public text::XmlHandler {
public:
    void start(const XmlName& name, std::span<const XmlAttribute> attributes) override {
        ++depth_;
        if (markup_depth_ > 0) {
            write_start_tag(name, attributes);
        } else if (is_item(name)) {
            start_item();
        } else if (depth_ == 1) {
            feed_.language = attribute_with_prefix(attributes, "xml", "lang");
        } else {
            start_field(name, attributes);
        }
    }

    void end(const XmlName& name) override {
        if (markup_depth_ > 0 && depth_ > markup_depth_) {
            text_ += "</" + std::string(name.local) + ">";
        } else if (field_ != Field::none && depth_ == field_depth_) {
            finish_field();
        } else if (is_item(name)) {
            in_item_ = false;
        }
        --depth_;
    }

    void text(std::string_view text) override {
        if (field_ == Field::none || text_.size() >= max_content_bytes) return;
        text = text.substr(0, max_content_bytes - text_.size());
        if (markup_depth_ > 0 || is_plain_) {
            append_text(text_, text);
        } else {
            text_ += text;
        }
    }

    bool wants_more() const override {
        return feed_.items.size() < max_items && total_bytes_ < max_total_bytes;
    }

    Feed take() {
        feed_.is_cut = !wants_more();
        // A guid that is said to be a permanent link stands for a missing <link>.
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (feed_.items[i].url.empty() && ids_[i].starts_with("http")) feed_.items[i].url = ids_[i];
        }
        return std::move(feed_);
    }

private:
    static std::string_view attribute_with_prefix(std::span<const XmlAttribute> attributes,
                                                  std::string_view prefix, std::string_view local) {
        const auto found = std::ranges::find_if(attributes, [&](const XmlAttribute& each) {
            return each.name.prefix == prefix && each.name.local == local;
        });
        return found == attributes.end() ? std::string_view{} : found->value;
    }

    void start_item() {
        in_item_ = true;
        feed_.items.emplace_back();
        ids_.emplace_back();
        field_ = Field::none;
    }

    void start_field(const XmlName& name, std::span<const XmlAttribute> attributes) {
        const Field field = field_named(name);
        // <author> of Atom holds elements; its <name> is the text we want.
        if (field_ != Field::none && !(field_ == Field::author && field == Field::author)) return;
        if (field == Field::none || is_about_the_logo()) return;
        if (field == Field::link && take_link_attributes(attributes)) return;
        field_ = field;
        field_depth_ = depth_;
        text_.clear();
        const std::string_view type = attribute(attributes, "type");
        is_plain_ = is_content() && type == "text";
        markup_depth_ = is_content() && type == "xhtml" ? depth_ : 0;
        is_permanent_ = attribute(attributes, "isPermaLink") != "false";
    }

    bool is_content() const { return field_ == Field::content || field_ == Field::summary; }

    // RSS has an <image> in its head, with a title and a link of its own, one level below the feed's.
    bool is_about_the_logo() const { return !in_item_ && depth_ > 3; }

    // <link rel="alternate" href="…"> of Atom; rel "self" and others lead elsewhere. RSS writes it as text.
    bool take_link_attributes(std::span<const XmlAttribute> attributes) {
        const std::string_view href = attribute(attributes, "href");
        if (href.empty()) return false;
        const std::string_view rel = attribute(attributes, "rel");
        std::string& url = in_item_ ? feed_.items.back().url : feed_.url;
        if ((rel.empty() || rel == "alternate") && url.empty()) url = trimmed(href);
        return true;
    }

    void finish_field() {
        total_bytes_ += text_.size();
        if (in_item_) {
            finish_item_field(feed_.items.back());
        } else {
            finish_head_field();
        }
        field_ = Field::none;
        markup_depth_ = 0;
    }

    void finish_item_field(FeedItem& item) {
        switch (field_) {
            case Field::title: fill(item.title, line_of_html(text_, max_line_bytes)); break;
            case Field::link: fill(item.url, trimmed(text_)); break;
            case Field::id:
                if (is_permanent_) fill(ids_.back(), trimmed(text_));
                break;
            case Field::date: item.published = one_line(text_, max_line_bytes); break;
            case Field::updated: fill(item.published, one_line(text_, max_line_bytes)); break;
            case Field::author: fill(item.author, line_of_html(text_, max_line_bytes)); break;
            case Field::summary: fill(item.content, std::move(text_)); break;
            case Field::content:
                if (!trimmed(text_).empty()) item.content = std::move(text_);
                break;
            default: break;
        }
    }

    void finish_head_field() {
        switch (field_) {
            case Field::title: fill(feed_.title, line_of_html(text_, max_line_bytes)); break;
            case Field::link: fill(feed_.url, trimmed(text_)); break;
            case Field::summary: fill(feed_.description, line_of_html(text_, max_line_bytes)); break;
            case Field::date:
            case Field::updated: fill(feed_.updated, one_line(text_, max_line_bytes)); break;
            case Field::language: fill(feed_.language, trimmed(text_)); break;
            default: break;
        }
    }

    static void fill(std::string& place, std::string_view value) {
        if (place.empty()) place = value;
    }

    void write_start_tag(const XmlName& name, std::span<const XmlAttribute> attributes) {
        if (text_.size() >= max_content_bytes) return;
        text_ += "<" + std::string(name.local);
        for (const XmlAttribute& each : attributes) {
            if (each.name.local != "href" && each.name.local != "src" && each.name.local != "alt") continue;
            text_ += " " + std::string(each.name.local) + "=\"";
            append_attribute_value(text_, each.value);
            text_ += '"';
        }
        text_ += '>';
    }

    Feed feed_;
    std::vector<std::string> ids_;  // guids, beside the items
    std::string text_;
    std::size_t total_bytes_ = 0;
    int depth_ = 0;
    int field_depth_ = 0;
    int markup_depth_ = 0;  // of the element whose XHTML is being copied; 0 if none is
    Field field_ = Field::none;
    bool in_item_ = false;
    bool is_plain_ = false;
    bool is_permanent_ = true;
};

}  // namespace

Result<Feed> parse_feed(std::string_view bytes) {
    FeedReader reader;
    const Result<void> read = text::read_xml(bytes, reader);
    Feed feed = reader.take();
    if (feed.title.empty() && feed.items.empty()) {
        return fail(ErrorCode::corrupt,
                    read ? "the feed has neither a title nor items" : read.error().message);
    }
    if (!read) feed.is_cut = true;
    return feed;
}

}  // namespace quarry::extract
