// Collects what the readers of the different formats find, and keeps the rules that are the same for all.
#include "crawl/sitemap.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "base/ascii.h"
#include "base/result.h"
#include "text/xml.h"

namespace quarry::crawl {

class SitemapBuilder {
public:
    // `base` is borrowed.
    SitemapBuilder(SitemapKind kind, const url::Url& base) : base_(base) { sitemap_.kind = kind; }

    SitemapKind kind() const { return sitemap_.kind; }
    void set_kind(SitemapKind kind) { sitemap_.kind = kind; }

    // Adds a page, or under SitemapKind::index a sitemap. Drops and counts what is not http(s).
    void add(SitemapEntry found);

    // Dropped locations count too, or a file of nothing else would be read to its end.
    bool is_full() const {
        return sitemap_.entries.size() + sitemap_.children.size() + sitemap_.dropped >= max_sitemap_urls;
    }
    bool is_empty() const { return sitemap_.entries.empty() && sitemap_.children.empty(); }

    // Adds a sentence on what is missing.
    void warn(std::string_view sentence);

    Sitemap take() { return std::move(sitemap_); }

private:
    const url::Url& base_;
    Sitemap sitemap_;
};

// Sitemaps, indexes and feeds in XML.

// Reads the document by the name of its root element. Fails as parse_sitemap does.
Result<Sitemap> parse_xml_sitemap(std::string_view bytes, const url::Url& base);

namespace {

constexpr std::size_t step_bytes = 256 << 10;
constexpr int gzip_only = 16 + MAX_WBITS;  // zlib's way to say: expect a gzip header

// One zlib stream, ended whatever happens.
class Inflater {
public:
    explicit Inflater(std::string_view bytes) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        ready_ = inflateInit2(&stream_, gzip_only) == Z_OK;
    }
    ~Inflater() {
        if (ready_) inflateEnd(&stream_);
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    bool is_ready() const { return ready_; }
    bool has_input() const { return stream_.avail_in > 0; }

    // Appends up to `room` bytes to `out`; zlib's verdict.
    int step(std::string& out, std::size_t room) {
        const std::size_t before = out.size();
        out.resize(before + std::min(room, step_bytes));
        stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
        stream_.avail_out = static_cast<uInt>(out.size() - before);
        const int status = inflate(&stream_, Z_NO_FLUSH);
        out.resize(out.size() - stream_.avail_out);
        return status;
    }

    // A gzip file may be several, one behind the other. Bytes behind the last that begin no other are
    // padding.
    bool begin_next_member() {
        const bool another =
            stream_.avail_in >= 2 && stream_.next_in[0] == 0x1f && stream_.next_in[1] == 0x8b;
        return another && inflateReset(&stream_) == Z_OK;
    }

private:
    z_stream stream_{};
    bool ready_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) {
    return bytes.starts_with("\x1f\x8b");
}

Result<Unpacked> gunzip_bounded(std::string_view bytes, std::size_t limit) {
    if (!is_gzip(bytes)) return fail(ErrorCode::corrupt, "the file is not in gzip format");
    Inflater inflater(bytes.substr(0, std::numeric_limits<uInt>::max()));
    if (!inflater.is_ready()) return fail(ErrorCode::unavailable, "there is no memory to unpack gzip");
    Unpacked unpacked;
    while (true) {
        // One byte more than allowed tells a file that ends at the limit from one that goes on.
        const int status = inflater.step(unpacked.bytes, limit + 1 - unpacked.bytes.size());
        if (unpacked.bytes.size() > limit) {
            unpacked.bytes.resize(limit);
            unpacked.warning = fmt::format("the gzip file unpacks to over {} bytes and was cut there", limit);
            return unpacked;
        }
        if (status == Z_STREAM_END) {
            if (!inflater.begin_next_member()) return unpacked;
        } else if (status != Z_OK) {
            break;
        }
    }
    unpacked.warning = inflater.has_input() ? "the gzip file is damaged" : "the gzip file ends too early";
    if (unpacked.bytes.empty()) return fail(ErrorCode::corrupt, unpacked.warning);
    return unpacked;
}

void SitemapBuilder::add(SitemapEntry found) {
    if (is_full()) return warn(fmt::format("it lists over {} URLs; the rest is left out", max_sitemap_urls));
    const auto url = url::Url::parse(trimmed(found.loc), &base_);
    if (!url || !url->is_http()) {
        ++sitemap_.dropped;
        return;
    }
    if (sitemap_.kind != SitemapKind::index) {
        found.loc = url->href();
        sitemap_.entries.push_back(std::move(found));
    } else if (*url != base_) {
        sitemap_.children.push_back(url->href());
    }
}

void SitemapBuilder::warn(std::string_view sentence) {
    if (sitemap_.warning.find(sentence) != std::string::npos) return;
    if (!sitemap_.warning.empty()) sitemap_.warning += "; ";
    sitemap_.warning += sentence;
}

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

// llms.txt is markdown: a list of links, each with a title. This reads links and nothing else of markdown.

namespace {

constexpr std::size_t max_title_bytes = 500;

// The location in "(location)", "(<location>)" or "(location "title")", and where the link ends.
struct Target {
    std::string_view location{};
    std::size_t end = 0;
};

// `text` begins behind the opening parenthesis. Parentheses inside a location come in pairs.
std::optional<Target> read_target(std::string_view text) {
    int open = 1;
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
        if (text[end] == '(') ++open;
        if (text[end] == ')' && --open == 0) break;
    }
    if (end == text.size()) return std::nullopt;
    std::string_view location = trimmed(text.substr(0, end));
    if (location.starts_with('<')) {
        location = location.substr(1, location.find('>') - 1);
    } else {
        location = location.substr(0, location.find_first_of(" \t"));
    }
    return Target{location, end + 1};
}

// Every "[title](location)" of one line, in order, but for pictures.
void add_links(std::string_view line, SitemapBuilder& builder) {
    while (!builder.is_full()) {
        const std::size_t middle = line.find("](");
        if (middle == std::string_view::npos) return;
        const std::size_t start = line.substr(0, middle).rfind('[');
        const auto target = read_target(line.substr(middle + 2));
        if (!target) return;
        const bool picture = start != std::string_view::npos && start > 0 && line[start - 1] == '!';
        if (start != std::string_view::npos && !picture && !target->location.empty() &&
            !target->location.starts_with('#')) {
            const std::string_view title = line.substr(start + 1, middle - start - 1);
            builder.add({.loc = std::string(target->location),
                         .title = std::string(title.substr(0, max_title_bytes))});
        }
        line.remove_prefix(middle + 2 + target->end);
    }
}

}  // namespace

Sitemap parse_llms_txt(std::string_view markdown, const url::Url& base) {
    SitemapBuilder builder(SitemapKind::llms_txt, base);
    if (markdown.size() > max_sitemap_bytes) builder.warn("the file is over 50 MB and was cut there");
    markdown = markdown.substr(0, max_sitemap_bytes);
    while (!markdown.empty() && !builder.is_full()) {
        const std::size_t end = std::min(markdown.find('\n'), markdown.size() - 1);
        add_links(markdown.substr(0, end + 1), builder);
        markdown.remove_prefix(end + 1);
    }
    return builder.take();
}

namespace {

// A line of a text sitemap. Anything else would, read as a relative URL, turn prose into locations.
bool looks_like_location(std::string_view line) {
    return line.starts_with("http:") || line.starts_with("https:") ||
           (line.starts_with('/') && line.find(' ') == line.npos);
}

Result<Sitemap> parse_text_sitemap(std::string_view text, const url::Url& base) {
    SitemapBuilder builder(SitemapKind::text, base);
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (text.size() > max_sitemap_bytes) builder.warn("the file is over 50 MB and was cut there");
    text = text.substr(0, max_sitemap_bytes);
    std::size_t others = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size() - 1);
        const std::string_view line = trimmed(text.substr(0, end + 1));
        text.remove_prefix(end + 1);
        if (looks_like_location(line)) {
            const bool full = builder.is_full();
            builder.add({.loc = std::string(line)});
            if (full) break;
        } else if (!line.empty() && !line.starts_with('#')) {
            ++others;
        }
    }
    if (builder.is_empty()) return fail(ErrorCode::unsupported, "this is no sitemap: it lists no URLs");
    Sitemap sitemap = builder.take();
    sitemap.dropped += others;
    return sitemap;
}

// Whether the bytes begin as XML does, in UTF-8 or UTF-16, perhaps behind a byte order mark or a server's
// warning.
bool looks_like_xml(std::string_view bytes) {
    if (bytes.substr(0, 1024).find("<?xml") != std::string_view::npos) return true;
    const std::size_t start = bytes.find_first_not_of(std::string_view("\xEF\xBB\xBF\xFE\xFF\0 \t\r\n", 10));
    return start != std::string_view::npos && bytes[start] == '<';
}

}  // namespace

Result<Sitemap> parse_sitemap(std::string_view bytes, const url::Url& base) {
    Unpacked unpacked;
    if (is_gzip(bytes)) {
        unpacked = TRY(gunzip_bounded(bytes, max_sitemap_bytes));
        bytes = unpacked.bytes;
    }
    if (trimmed(bytes).empty()) return fail(ErrorCode::corrupt, "the sitemap is empty");
    Sitemap sitemap =
        TRY(looks_like_xml(bytes) ? parse_xml_sitemap(bytes, base) : parse_text_sitemap(bytes, base));
    // A cut file is broken XML too; the reason is worth more than the symptom.
    if (!unpacked.warning.empty()) sitemap.warning = unpacked.warning;
    return sitemap;
}

}  // namespace quarry::crawl
