#include "work/indexing/prepared_page.h"

#include <boost/json.hpp>

#include "url/url.h"

namespace quarry::work {

namespace {

namespace json = boost::json;

std::string text_at(const json::object& object, std::string_view key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

json::object details_of(const StoredPage& page) {
    if (!page.content) return {};
    boost::system::error_code error;
    json::value details = json::parse(page.content->details, error);
    return error || !details.is_object() ? json::object() : std::move(details.get_object());
}

// A file or an imported record has no host: its name is its path.
void set_place(index::PageLabel& label) {
    const auto url = url::Url::parse(label.url);
    if (url && url->is_http()) {
        label.host = std::string(url->host());
        label.path = std::string(url->path());
    } else {
        label.path = url ? std::string(url->path()) : label.url;
    }
}

}  // namespace

index::PageLabel label_of(const StoredPage& page) {
    const PageFacts& facts = page.facts;
    const json::object details = details_of(page);
    index::PageLabel label{.id = text_at(details, "id"),
                           .url = facts.url,
                           .title = facts.title,
                           .language = facts.language,
                           .status = facts.status,
                           .content_hash = facts.content_hash,
                           .fetched_at = facts.fetched_at};
    if (label.id.empty()) label.id = facts.url;
    if (const json::value* metadata = details.if_contains("metadata"); metadata && metadata->is_object())
        label.description = text_at(metadata->get_object(), "description");
    set_place(label);
    return label;
}

text::TermBag terms_of(const Chunk& chunk, text::TermReader& reader) {
    std::vector<std::string_view> texts(chunk.headings.begin(), chunk.headings.end());
    texts.push_back(chunk.text);
    return reader.count(texts);
}

std::string embedding_text(const Chunk& chunk) {
    std::string text;
    for (const std::string& heading : chunk.headings) {
        if (!text.empty()) text += " > ";
        text += heading;
    }
    if (!text.empty()) text += "\n\n";
    return text + chunk.text;
}

index::IndexedPage prepare_page(const StoredPage& page, std::int64_t version,
                                const text::ChunkLimits& limits) {
    index::IndexedPage prepared{.page = page.id, .version = version, .label = label_of(page)};
    if (!page.content) return prepared;
    for (Chunk& chunk : text::chunk_markdown(page.content->markdown, page.facts.title, limits))
        prepared.chunks.push_back({.chunk = std::move(chunk)});
    return prepared;
}

void count_terms(index::IndexedPage& page, text::TermReader& terms) {
    for (index::IndexedChunk& chunk : page.chunks) chunk.terms = terms_of(chunk.chunk, terms);
}

bool waits(ErrorCode code) {
    switch (code) {
        case ErrorCode::unavailable:
        case ErrorCode::refused:
        case ErrorCode::conflict:
        case ErrorCode::interrupted: return true;
        default: return false;
    }
}

store::Outcome outcome_of(const Error& error, const store::ChangeLease& change, const Backoff& backoff,
                          Timestamp now) {
    if (error.code == ErrorCode::interrupted) return {.end = store::Snooze{now, ""}};
    if (waits(error.code))
        return {.end = store::Snooze{next_attempt(backoff, change.snoozes + 1, now), error.message}};
    return {.end = store::Retry{error.message, next_attempt(backoff, change.attempt, now)}};
}

}  // namespace quarry::work
