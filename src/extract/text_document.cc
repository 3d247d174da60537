#include "extract/text_document.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "extract/html_document.h"
#include "extract/html_writer.h"
#include "extract/metadata/dates.h"
#include "extract/metadata/links.h"
#include "extract/metadata/page_facts.h"
#include "extract/one_line.h"
#include "text/language.h"
#include "url/url.h"

namespace quarry::extract {

namespace {

constexpr std::size_t max_block_bytes = std::size_t{64} * 1024;
constexpr std::size_t max_fields = 100;
constexpr std::size_t max_value_bytes = 2'000;

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

std::string_view without_trailing_blanks(std::string_view line) {
    while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
    return line;
}

struct MetadataBlock {
    std::string_view lines;
    std::string_view body;
    char separator;  // between a name and its value
};

std::optional<MetadataBlock> find_metadata_block(std::string_view text) {
    std::string_view rest = text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
    const std::string_view fence = without_trailing_blanks(take_line(rest));
    if (fence != "---" && fence != "+++") return std::nullopt;
    const std::string_view start = rest;
    while (!rest.empty() && start.size() - rest.size() < max_block_bytes) {
        const std::string_view before = rest;
        const std::string_view line = without_trailing_blanks(take_line(rest));
        if (line == fence || (fence == "---" && line == "...")) {
            return MetadataBlock{start.substr(0, start.size() - before.size()), rest,
                                 fence == "---" ? ':' : '='};
        }
    }
    return std::nullopt;
}

// The inside of a quoted string, with the escapes that matter in titles; or the text up to a comment.
std::string scalar(std::string_view text) {
    text = trimmed(text);
    if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'')) {
        const char quote = text[0];
        std::string value;
        for (std::size_t i = 1; i < text.size() && text[i] != quote; ++i) {
            if (quote == '"' && text[i] == '\\' && i + 1 < text.size()) ++i;
            value += text[i];
        }
        return one_line(value, max_value_bytes);
    }
    if (const std::size_t comment = text.find(" #"); comment != std::string_view::npos) {
        text = text.substr(0, comment);
    }
    return one_line(text, max_value_bytes);
}

// "[a, 'b, c']" as "a, b, c".
std::string inline_list(std::string_view text) {
    text.remove_prefix(1);
    if (text.ends_with(']')) text.remove_suffix(1);
    std::string joined;
    while (!text.empty() && joined.size() < max_value_bytes) {
        text = trimmed(text);
        std::size_t end = 0;
        char quote = 0;
        for (; end < text.size() && (quote != 0 || text[end] != ','); ++end) {
            if (quote == 0 && end == 0 && (text[end] == '"' || text[end] == '\'')) {
                quote = text[end];
            } else if (text[end] == quote) {
                quote = 0;
            }
        }
        const std::string item = scalar(text.substr(0, end));
        if (!item.empty()) joined += (joined.empty() ? "" : ", ") + item;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return joined;
}

std::string value_of(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('[')) return inline_list(text);
    if (text.starts_with('|') || text.starts_with('>')) return {};  // a block of lines follows
    return scalar(text);
}

class FieldReader {
public:
    explicit FieldReader(char separator) : separator_(separator) {}

    void read(std::string_view line) {
        const std::string_view content = trimmed(line);
        if (content.empty() || content.starts_with('#')) return;
        const bool is_indented = line[0] == ' ' || line[0] == '\t';
        if (content.starts_with("- ") && separator_ == ':') {
            add_to_current(value_of(content.substr(2)), ", ");
        } else if (content.starts_with('[') && separator_ == '=') {
            parent_ = name_of(content.substr(1, std::min(content.find(']'), content.size()) - 1));
        } else {
            read_field(content, is_indented);
        }
    }

    std::vector<NamedValue> take() {
        std::erase_if(fields_, [](const NamedValue& field) { return field.second.empty(); });
        return std::move(fields_);
    }

private:
    static std::string name_of(std::string_view text) { return lower_case(scalar(text)); }

    void read_field(std::string_view content, bool is_indented) {
        const std::size_t separator = content.find(separator_);
        const std::string name = name_of(content.substr(0, std::min(separator, content.size())));
        const bool is_field = separator != std::string_view::npos && !name.empty() && name.size() <= 64 &&
                              name.find(' ') == std::string::npos;
        if (!is_field) {
            // A folded line of the value above it.
            if (is_indented) add_to_current(one_line(content, max_value_bytes), " ");
            return;
        }
        if (fields_.size() >= max_fields) return;
        if (separator_ == ':' && !is_indented) parent_.clear();
        std::string value = value_of(content.substr(separator + 1));
        const bool starts_map = value.empty() && separator_ == ':' && !is_indented;
        fields_.emplace_back(parent_.empty() ? name : parent_ + "." + name, std::move(value));
        if (starts_map) parent_ = name;
    }

    void add_to_current(const std::string& value, std::string_view joint) {
        if (fields_.empty() || fields_.back().second.size() + value.size() > max_value_bytes) return;
        std::string& current = fields_.back().second;
        if (!current.empty()) current += joint;
        current += value;
    }

    char separator_;
    std::string parent_;
    std::vector<NamedValue> fields_;
};

}  // namespace

FrontMatter read_front_matter(std::string_view text) {
    const auto block = find_metadata_block(text);
    if (!block) return {.body = text};
    FieldReader reader(block->separator);
    std::string_view lines = block->lines;
    while (!lines.empty()) {
        if (const std::string_view line = take_line(lines); !line.empty()) reader.read(line);
    }
    return {.fields = reader.take(), .body = block->body};
}

namespace {

// Indentation makes text longer: by at most twice the depth for each member.
constexpr std::size_t max_pretty_bytes = std::size_t{256} * 1024;

bool is_valid_json(std::string_view text) {
    boost::json::stream_parser parser;  // its default depth limit is 32
    boost::system::error_code error;
    parser.write(text.data(), text.size(), error);
    if (!error) parser.finish(error);
    return !error;
}

// Copies the string that starts here, quotes included; returns what follows it.
std::string_view copy_string(std::string_view text, std::string& out) {
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, text.size());
    out += text.substr(0, end);
    return text.substr(end);
}

class Indenter {
public:
    // Expects valid JSON.
    std::string run(std::string_view text) {
        while (!text.empty()) {
            if (text[0] == '"') {
                open_pending();
                text = copy_string(text, out_);
                continue;
            }
            add(text[0]);
            text.remove_prefix(1);
        }
        return std::move(out_);
    }

private:
    void add(char letter) {
        switch (letter) {
            case ' ':
            case '\t':
            case '\n':
            case '\r': break;
            case '{':
            case '[':
                open_pending();
                out_ += letter;
                just_opened_ = true;
                ++depth_;
                break;
            case '}':
            case ']':
                --depth_;
                if (!just_opened_) new_line();  // {} and [] stay together
                just_opened_ = false;
                out_ += letter;
                break;
            case ',':
                out_ += letter;
                new_line();
                break;
            case ':': out_ += ": "; break;
            default: open_pending(); out_ += letter;
        }
    }

    void open_pending() {
        if (just_opened_) new_line();
        just_opened_ = false;
    }

    void new_line() {
        out_ += '\n';
        out_.append(2 * depth_, ' ');
    }

    std::string out_;
    std::size_t depth_ = 0;
    bool just_opened_ = false;
};

}  // namespace

std::string pretty_json(std::string_view text) {
    if (text.size() > max_pretty_bytes || !is_valid_json(text)) return std::string(text);
    return Indenter().run(text);
}

std::string fenced(std::string_view text, std::string_view language) {
    std::size_t longest_run = 2;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && text[end] == '`') ++end;
        longest_run = std::max(longest_run, end - at);
        at = end + 1;
    }
    const std::string fence(longest_run + 1, '`');
    std::string block = fence;
    block += language;
    block += '\n';
    block += text;
    if (!text.ends_with('\n')) block += '\n';
    return block + fence + "\n";
}

namespace {

constexpr std::size_t max_heading_bytes = 300;

std::string title_from_url(std::string_view url_text) {
    const auto url = url::Url::parse(url_text);
    if (!url) return {};
    std::string_view path = url->path();
    while (path.ends_with('/')) path.remove_suffix(1);
    path.remove_prefix(std::min(path.rfind('/') + 1, path.size()));
    return one_line(path.empty() ? url->host() : path, max_heading_bytes);
}

// The first line with words in it, unless it is too long to be a title.
std::string title_from_first_line(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n\f");
    if (start == std::string_view::npos) return {};
    const std::string_view line = text.substr(start, text.find('\n', start) - start);
    constexpr std::size_t longest_title = 120;
    return line.size() <= longest_title ? one_line(line, max_heading_bytes) : std::string{};
}

// The text of the first heading: "# Title" or a line underlined with "===".
std::string title_from_heading(std::string_view markdown) {
    std::string_view before;
    while (!markdown.empty()) {
        const std::size_t end = std::min(markdown.find('\n'), markdown.size());
        const std::string_view line = trimmed(markdown.substr(0, end));
        markdown.remove_prefix(std::min(end + 1, markdown.size()));
        if (line.starts_with('#')) {
            const std::size_t text = line.find_first_not_of('#');
            if (text != std::string_view::npos && text <= 6 && line[text] == ' ') {
                return one_line(line.substr(text, line.find_last_not_of("# ") + 1 - text), max_heading_bytes);
            }
        }
        if (!before.empty() && line.size() >= 2 && line.find_first_not_of('=') == std::string_view::npos) {
            return one_line(before, max_heading_bytes);
        }
        before = line;
    }
    return {};
}

std::string preformatted_html(std::string_view text) {
    std::string html = "<pre>\n";
    append_text(html, text);
    return html + "</pre>";
}

// What all three kinds share. `text` is the document's text, `markdown` the same as markdown.
Result<Document> document_of(const Page& page, std::string_view text, std::string markdown,
                             const ExtractOptions& options) {
    const bool lacks_text = options.formats.wants_content() && trimmed(text).empty();
    if (lacks_text && options.when_empty == WhenEmpty::fail)
        return fail(ErrorCode::not_found, "the page has no text");
    Document document{.url = page.final_url};
    if (lacks_text) document.warning = document.no_text = "the page has no text";
    const Formats& formats = options.formats;
    if (formats.html) document.html = preformatted_html(text);
    if (formats.text) document.text = text;
    if (formats.links || formats.images) {
        const auto base = url::Url::parse(page.final_url);
        InlineLinks found = find_inline_links(markdown, base ? &*base : nullptr);
        if (formats.links) document.links = std::move(found.links);
        if (formats.images) document.images = std::move(found.images);
    }
    if (formats.markdown) document.markdown = std::move(markdown);
    add_robots_headers(page.headers, document.metadata.robots);
    return document;
}

std::string with_last_newline(std::string_view text) {
    std::string whole(text);
    if (!whole.empty() && !whole.ends_with('\n')) whole += '\n';
    return whole;
}

void finish(const ExtractOptions& options, const html::Decoded& decoded, Document& document) {
    detect_missing_language(options, document);
    if (decoded.had_errors) {
        add_warning(document, "some characters could not be read as " + std::string(decoded.encoding));
    }
    if (options.formats.raw_html) document.raw_html = decoded.text;
}

void apply_front_matter(const FrontMatter& matter, const url::Url* base, Metadata& metadata) {
    const auto field = [&](std::initializer_list<std::string_view> names) -> std::string {
        for (const std::string_view name : names) {
            const auto found = std::ranges::find(matter.fields, name, &NamedValue::first);
            if (found != matter.fields.end()) return found->second;
        }
        return {};
    };
    const auto date = [&](const std::string& value) { return iso_date(value).value_or(value); };
    metadata.title = field({"title"});
    metadata.description = field({"description", "summary", "excerpt", "subtitle"});
    metadata.language = text::normalise_language_tag(field({"lang", "language", "locale"}));
    metadata.author = field({"author", "author.name", "authors"});
    metadata.published = date(field({"date", "published", "pubdate", "publishdate", "created"}));
    metadata.modified = date(field({"updated", "lastmod", "modified", "last_modified"}));
    metadata.keywords = field({"keywords", "tags"});
    metadata.canonical = absolute_url(field({"canonical", "canonical_url"}), base);
    metadata.other = matter.fields;
}

}  // namespace

Result<Document> plain_document(const Page& page, const html::Decoded& decoded,
                                const ExtractOptions& options) {
    Document document = TRY(document_of(page, decoded.text, with_last_newline(decoded.text), options));
    document.metadata.title = title_from_first_line(decoded.text);
    if (document.metadata.title.empty()) document.metadata.title = title_from_url(page.final_url);
    finish(options, decoded, document);
    return document;
}

Result<Document> markdown_document(const Page& page, const html::Decoded& decoded,
                                   const ExtractOptions& options) {
    const FrontMatter matter = read_front_matter(decoded.text);
    Document document = TRY(document_of(page, matter.body, with_last_newline(matter.body), options));
    const auto base = url::Url::parse(page.final_url);
    apply_front_matter(matter, base ? &*base : nullptr, document.metadata);
    if (document.metadata.title.empty()) document.metadata.title = title_from_heading(matter.body);
    if (document.metadata.title.empty()) document.metadata.title = title_from_url(page.final_url);
    finish(options, decoded, document);
    return document;
}

Result<Document> json_document(const Page& page, const html::Decoded& decoded,
                               const ExtractOptions& options) {
    const std::string pretty = pretty_json(decoded.text);
    Document document = TRY(document_of(page, pretty, fenced(pretty, "json"), options));
    document.metadata.title = title_from_url(page.final_url);
    if (options.formats.raw_html) document.raw_html = decoded.text;
    return document;
}

}  // namespace quarry::extract
