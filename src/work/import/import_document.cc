#include "work/import/import_document.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

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
        if (!is_one) return fail(ErrorCode::invalid_argument, "a page's \"status\" is a number from 100 to 999");
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

}  // namespace quarry::work
