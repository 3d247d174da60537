#include "crawl/options/webhook.h"

#include <algorithm>
#include <array>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/suggest.h"
#include "crawl/options/json.h"
#include "url/url.h"

namespace quarry::crawl {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_url = 2'048;
constexpr std::size_t most_headers = 32;
constexpr std::size_t most_header_bytes = 8u << 10;
constexpr std::size_t most_metadata = 64;
constexpr std::size_t most_metadata_bytes = 16u << 10;

constexpr std::array<std::string_view, 5> event_names{"started", "page", "completed", "failed", "cancelled"};

// They frame the message or the connection, or are ours to say.
constexpr std::array<std::string_view, 14> reserved_headers{"accept-encoding",
                                                            "connection",
                                                            "content-length",
                                                            "expect",
                                                            "host",
                                                            "keep-alive",
                                                            "proxy-authorization",
                                                            "proxy-connection",
                                                            "te",
                                                            "trailer",
                                                            "trailers",
                                                            "transfer-encoding",
                                                            "upgrade",
                                                            "x-firecrawl-signature"};

std::string_view after_first_dot(std::string_view name) {
    const auto dot = name.find('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::unexpected<Error> wrong_webhook(std::string message) {
    return fail(ErrorCode::invalid_argument, std::move(message));
}

Result<void> check_url(const std::string& text) {
    if (text.size() > longest_url)
        return wrong_webhook(fmt::format("a webhook's URL has at most {} bytes", longest_url));
    const auto url = url::Url::parse(text);
    if (!url || !url->is_http() || url->host().empty())
        return wrong_webhook(fmt::format("\"{}\" is no http or https URL to send messages to", text));
    if (!url->username().empty() || !url->password().empty())
        return wrong_webhook(
            "a webhook's URL has no user name or password: send an Authorization header instead");
    return {};
}

// Values stay out of the sentences: they may be secrets.
Result<void> check_header(const Header& header) {
    if (header.name.empty() || !std::ranges::all_of(header.name, is_http_token_character))
        return wrong_webhook(fmt::format("\"{}\" is not the name of a header", header.name));
    if (std::ranges::find(reserved_headers, lower_case(header.name)) != reserved_headers.end())
        return wrong_webhook(fmt::format("the header {} cannot be set", header.name));
    if (header.value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
        return wrong_webhook(
            fmt::format("the value of the header {} holds a line break or a NUL", header.name));
    return {};
}

Result<void> check_headers(const std::vector<Header>& headers) {
    std::size_t bytes = 0;
    for (const Header& header : headers) {
        TRY(check_header(header));
        bytes += header.name.size() + header.value.size();
    }
    if (headers.size() > most_headers || bytes > most_header_bytes)
        return wrong_webhook(
            fmt::format("a webhook may have {} headers of {} bytes in all", most_headers, most_header_bytes));
    return {};
}

Result<void> check_metadata(const std::map<std::string, std::string>& metadata) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : metadata) bytes += name.size() + value.size();
    if (metadata.size() > most_metadata || bytes > most_metadata_bytes)
        return wrong_webhook(fmt::format("a webhook's metadata may have {} values of {} bytes in all",
                                         most_metadata, most_metadata_bytes));
    return {};
}

Result<void> check_event(const std::string& event) {
    const std::string_view name = after_first_dot(event);
    if (std::ranges::find(event_names, name) != event_names.end()) return {};
    const std::vector<std::string> names(event_names.begin(), event_names.end());
    const std::string meant = nearest_word(name, names);
    return wrong_webhook(fmt::format("there is no event \"{}\"{}", event.substr(0, 40),
                                     meant.empty() ? "" : fmt::format(", did you mean \"{}\"?", meant)));
}

Result<std::map<std::string, std::string>> read_metadata(const json::value& value) {
    if (!value.is_object()) return wrong_kind(value, "metadata", "an object of texts");
    std::map<std::string, std::string> metadata;
    for (const auto& member : value.get_object()) {
        if (!member.value().is_string()) return wrong_kind(member.value(), "metadata", "an object of texts");
        metadata.emplace(member.key(), member.value().get_string());
    }
    return metadata;
}

Result<Webhook> read_object(const json::object& in) {
    Webhook webhook;
    const auto given = [&](std::string_view name) -> const json::value* {
        const json::value* value = in.if_contains(name);
        return value && !value->is_null() ? value : nullptr;
    };
    const json::value* url = given("url");
    if (!url) return wrong_webhook("a webhook needs a \"url\"");
    if (!url->is_string()) return wrong_kind(*url, "url", "a text");
    webhook.url = url->get_string();
    if (const json::value* headers = given("headers")) webhook.headers = TRY(read_headers(*headers));
    if (const json::value* metadata = given("metadata")) webhook.metadata = TRY(read_metadata(*metadata));
    if (const json::value* events = given("events")) webhook.events = TRY(read_texts(*events, "events"));
    return webhook;
}

}  // namespace

std::string type_of(std::string_view kind, WebhookEvent event) {
    return fmt::format("{}.{}", kind, event_names[static_cast<std::size_t>(event)]);
}

bool wants(const Webhook& webhook, std::string_view type) {
    return std::ranges::any_of(webhook.events, [&](const std::string& event) {
        return event == type || event == after_first_dot(type);
    });
}

Result<Webhook> parse_webhook(const json::value& value) {
    if (!value.is_string() && !value.is_object())
        return wrong_kind(value, "webhook", "a URL, or an object with one");
    Webhook webhook{.url = value.is_string() ? std::string(value.get_string()) : ""};
    if (value.is_object()) webhook = TRY(read_object(value.get_object()));
    TRY(check(webhook));
    return webhook;
}

json::object to_json(const Webhook& webhook) {
    json::object metadata;
    for (const auto& [name, value] : webhook.metadata) metadata[name] = value;
    json::array events;
    for (const std::string& event : webhook.events) events.emplace_back(event);
    return {{"url", webhook.url},
            {"headers", write_headers(webhook.headers)},
            {"metadata", std::move(metadata)},
            {"events", std::move(events)}};
}

Result<void> check(const Webhook& webhook) {
    TRY(check_url(webhook.url));
    TRY(check_headers(webhook.headers));
    TRY(check_metadata(webhook.metadata));
    for (const std::string& event : webhook.events) TRY(check_event(event));
    return {};
}

}  // namespace quarry::crawl
