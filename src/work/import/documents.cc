#include "work/import/documents.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <boost/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/ascii.h"
#include "text/language.h"
#include "url/percent.h"

namespace quarry::work {

namespace {

namespace json = boost::json;

constexpr std::string_view file_scheme = "file://";

// The fields that are texts, by their names in a page of `write_pages`.
constexpr std::array<std::pair<std::string_view, std::string ImportDocument::*>, 8> texts = {{
    {"url", &ImportDocument::url},
    {"id", &ImportDocument::id},
    {"title", &ImportDocument::title},
    {"markdown", &ImportDocument::markdown},
    {"language", &ImportDocument::language},
    {"content_type", &ImportDocument::content_type},
    {"etag", &ImportDocument::etag},
    {"last_modified", &ImportDocument::last_modified},
}};

// What is kept with the words is read again as JSON of 32 levels, of which the record takes one.
constexpr int most_levels = 31;

bool has_more_levels(const json::value& value, int levels) {
    if (!value.is_structured()) return false;
    if (levels == 0) return true;
    if (const json::array* array = value.if_array())
        return std::ranges::any_of(
            *array, [&](const json::value& item) { return has_more_levels(item, levels - 1); });
    return std::ranges::any_of(
        value.get_object(), [&](const auto& member) { return has_more_levels(member.value(), levels - 1); });
}

}  // namespace

json::object to_json(const ImportDocument& document) {
    json::object page;
    page.reserve(texts.size() + 3);
    for (const auto& [name, field] : texts) {
        const std::string& text = document.*field;
        if (!text.empty()) page.emplace(name, text);
    }
    if (document.status > 0) page.emplace("status", document.status);
    if (document.body_bytes > 0) page.emplace("body_bytes", document.body_bytes);
    if (!document.metadata.empty()) page.emplace("metadata", document.metadata);
    return page;
}

Result<ImportDocument> parse_import_document(const json::value& page) {
    const json::object* object = page.if_object();
    if (!object) return fail(ErrorCode::invalid_argument, "a page has to be an object");
    ImportDocument document;
    for (const auto& [name, field] : texts) {
        const json::value* value = object->if_contains(name);
        if (!value) continue;
        if (!value->is_string())
            return fail(ErrorCode::invalid_argument, fmt::format("a page's \"{}\" has to be a text", name));
        document.*field = std::string_view(value->get_string());
    }
    if (document.url.empty()) return fail(ErrorCode::invalid_argument, "a page has no \"url\"");
    if (const json::value* status = object->if_contains("status")) {
        const bool is_one = status->is_int64() && status->get_int64() >= 100 && status->get_int64() <= 999;
        if (!is_one)
            return fail(ErrorCode::invalid_argument, "a page's \"status\" is a number from 100 to 999");
        document.status = static_cast<int>(status->get_int64());
    }
    if (const json::value* bytes = object->if_contains("body_bytes"); bytes && bytes->is_int64())
        document.body_bytes = bytes->get_int64();
    const json::value* metadata = object->if_contains("metadata");
    if (metadata && has_more_levels(*metadata, most_levels))
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("the metadata of {} is nested more than {} levels deep", document.url, most_levels));
    if (metadata && metadata->is_object()) document.metadata = metadata->get_object();
    return document;
}

std::string file_url(std::string_view absolute_path) {
    std::string url(file_scheme);
    // A '%' would begin an escape, and URLs take a backslash for a slash.
    for (const char c : absolute_path) {
        if (c == '%')
            url += "%25";
        else if (c == '\\')
            url += "%5C";
        else
            url::append_encoded({&c, 1}, url::EncodeSet::path, url);
    }
    return url;
}

std::optional<std::string> path_of_file_url(std::string_view url) {
    if (!url.starts_with(file_scheme) || !url.substr(file_scheme.size()).starts_with('/')) return {};
    return url::percent_decoded(url.substr(file_scheme.size()));
}

namespace {

namespace json = boost::json;

constexpr std::size_t read_bytes = 1 << 20;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// A document's values are parsed into memory that is given back all at once. What suffices for most lines
// lies on the stack.
constexpr std::size_t stack_bytes = 32 << 10;

std::string text_at(const json::object& object, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        const json::value* value = object.if_contains(name);
        if (!value) continue;
        if (value->is_string() && !value->get_string().empty()) return std::string(value->get_string());
        if (value->is_int64() || value->is_uint64()) return json::serialize(*value);
    }
    return {};
}

Result<ImportDocument> document_of(const json::object& object) {
    ImportDocument document{.url = text_at(object, {"url"}),
                            .id = text_at(object, {"_id", "id"}),
                            .title = text_at(object, {"title"}),
                            .markdown = text_at(object, {"markdown", "text"}),
                            .language = text::normalise_language_tag(text_at(object, {"language", "lang"}))};
    if (document.url.empty()) document.url = std::exchange(document.id, "");
    if (document.url.empty())
        return fail(ErrorCode::invalid_argument, "has neither \"_id\" nor \"url\" to be known by");
    if (trimmed(document.markdown).empty()) document.markdown = document.title;
    if (trimmed(document.markdown).empty())
        return fail(ErrorCode::not_found, "has no words: neither \"text\" nor \"title\"");
    if (document.language.empty()) document.language = text::detect_language(document.markdown);
    if (const json::value* metadata = object.if_contains("metadata"); metadata && metadata->is_object())
        document.metadata = json::object(metadata->get_object(), json::storage_ptr());
    return document;
}

class LinesSource : public ImportSource {
public:
    LinesSource(int descriptor, std::string name)
        : descriptor_(descriptor), lines_(descriptor), name_(std::move(name)) {}
    ~LinesSource() override {
        if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
    }

    std::optional<Result<ImportDocument>> next() override;

private:
    int descriptor_;
    LineReader lines_;
    std::string name_;
    bool is_over_ = false;
};

std::optional<Result<ImportDocument>> LinesSource::next() {
    while (!is_over_) {
        const auto line = lines_.next();
        const auto failure = [&](const Error& error) {
            return fail(error.code, fmt::format("{}: line {} {}", name_, lines_.number(), error.message));
        };
        if (!line) {
            is_over_ = line.error().code == ErrorCode::unavailable;
            return failure(line.error());
        }
        if (!*line) break;
        std::string_view text = **line;
        if (lines_.number() == 1 && text.starts_with(byte_order_mark)) text.remove_prefix(3);
        if (trimmed(text).empty()) continue;
        auto document = parse_document_line(text);
        if (!document) return failure(document.error());
        document->body_bytes = static_cast<std::int64_t>(text.size());
        return document;
    }
    is_over_ = true;
    return std::nullopt;
}

}  // namespace

Result<bool> LineReader::read_more() {
    if (is_at_end_) return false;
    if (start_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
        end_ -= start_;
        start_ = 0;
    }
    if (buffer_.size() < end_ + read_bytes) buffer_.resize(std::max(end_ + read_bytes, 2 * buffer_.size()));
    while (true) {
        const ssize_t got = ::read(descriptor_, buffer_.data() + end_, read_bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            is_at_end_ = true;
            return fail(ErrorCode::unavailable, fmt::format("cannot be read: {}", std::strerror(errno)));
        }
        end_ += static_cast<std::size_t>(got);
        is_at_end_ = got == 0;
        return got > 0;
    }
}

Result<std::optional<std::string_view>> LineReader::next() {
    std::size_t searched = 0;
    while (true) {
        const std::string_view rest(buffer_.data() + start_, end_ - start_);
        const std::size_t end = rest.find('\n', searched);
        if (end != std::string_view::npos && end <= longest_line_) {
            start_ += end + 1;
            ++number_;
            return rest.substr(0, end);
        }
        if (rest.size() > longest_line_) return skip_line();
        searched = rest.size();
        if (TRY(read_more())) continue;
        if (start_ == end_) return std::nullopt;
        ++number_;
        const std::string_view last(buffer_.data() + start_, end_ - start_);
        start_ = end_;
        return last;
    }
}

Result<std::optional<std::string_view>> LineReader::skip_line() {
    ++number_;
    while (true) {
        const std::string_view rest(buffer_.data() + start_, end_ - start_);
        const std::size_t end = rest.find('\n');
        start_ = end == std::string_view::npos ? end_ : start_ + end + 1;
        if (end != std::string_view::npos || !TRY(read_more()))
            return fail(ErrorCode::too_large, fmt::format("is longer than {} MB", longest_line_ >> 20));
    }
}

Result<ImportDocument> parse_document_line(std::string_view line) {
    std::array<unsigned char, stack_bytes> memory;
    json::monotonic_resource resource(memory.data(), memory.size());
    boost::system::error_code error;
    const json::value value = json::parse(line, error, &resource);
    if (error) return fail(ErrorCode::corrupt, fmt::format("is no JSON object: {}", error.message()));
    const json::object* object = value.if_object();
    if (!object) return fail(ErrorCode::corrupt, "is no JSON object");
    return document_of(*object);
}

Result<std::unique_ptr<ImportSource>> open_lines(const std::string& path) {
    if (path == "-") return std::make_unique<LinesSource>(STDIN_FILENO, "standard input");
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) return std::make_unique<LinesSource>(descriptor, path);
    if (errno == ENOENT) return fail(ErrorCode::not_found, fmt::format("File not found: {}", path));
    return fail(ErrorCode::unavailable, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
}

}  // namespace quarry::work
