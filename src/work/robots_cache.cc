#include "work/robots_cache.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "fetch/redirect.h"
#include "net/http_message.h"

namespace quarry::work {

namespace {

constexpr std::chrono::hours lifetime{24};
// RFC 9309 forbids everything while the rules cannot be had; soon they may be. Shorter than any wait before
// another attempt, which then asks again.
constexpr std::chrono::milliseconds lifetime_of_an_error{500};
constexpr std::size_t max_entries = 20'000;

net::HttpLimits robots_limits() {
    net::HttpLimits limits;
    limits.body_bytes = crawl::max_robots_bytes;
    limits.when_too_large = net::WhenTooLarge::truncate;
    return limits;
}

}  // namespace

std::string RobotsCache::key_of(const url::Url& url, const net::AddressPolicy& policy,
                                const std::vector<Header>& headers) {
    std::string key = url.origin();
    if (policy.allow_private) key += " private";
    for (const net::Network& network : policy.allowed_networks) key += " " + network.text();
    std::string secrets;
    for (const Header& header : headers)
        if (fetch::headers_without_secrets({header}).empty())
            secrets += header.name + ": " + header.value + "\n";
    if (!secrets.empty()) key += " " + hex_of(sha256(secrets));
    return key;
}

const RobotsCache::Rules* RobotsCache::find(const std::string& key, Timestamp now,
                                            const std::function<Question()>& ask) {
    auto found = entries_.find(key);
    if (found != entries_.end() && (!found->second || found->second->expires_at > now)) {
        return found->second.get();
    }
    if (entries_.size() >= max_entries) forget_expired(now);
    entries_[key] = nullptr;
    Question question = ask();
    const auto address = url::Url::parse("/robots.txt", &question.url);
    // With a circuit of its own: what becomes of some crawl's pages says nothing about the rules for all.
    fetcher_.fetch({.url = address.value_or(question.url),
                    .owner = "robots.txt " + key,
                    .headers = std::move(question.headers),
                    .policy = std::move(question.policy),
                    .limits = robots_limits(),
                    .retry = fetch::Retry::none},
                   [key, deliver = deliver_](Result<Page> page) { deliver({key, std::move(page)}); });
    return nullptr;
}

void RobotsCache::take(Answer answer, Timestamp now) {
    auto rules = std::make_unique<Rules>();
    if (!answer.page && answer.page.error().code == ErrorCode::refused) {
        // The address policy will refuse the page as well, and say why.
        rules->robots = crawl::Robots::parse({});
    } else if (!answer.page) {
        rules->robots = crawl::Robots::from_response(0, {});
        rules->error = answer.page.error().message;
        rules->has_answered = false;
    } else {
        const int status = answer.page->status;
        rules->robots = crawl::Robots::from_response(status, answer.page->body);
        if (status >= 500 || status == 429) rules->error = net::http_status_line(status);
        rules->is_asked_too_often = status == 429;
    }
    rules->expires_at =
        now + (rules->error.empty() ? std::chrono::milliseconds(lifetime) : lifetime_of_an_error);
    entries_[answer.key] = std::move(rules);
}

void RobotsCache::forget_expired(Timestamp now) {
    std::erase_if(entries_,
                  [&](const auto& entry) { return entry.second && entry.second->expires_at <= now; });
    // Still full: everything that is not under way can be had again.
    if (entries_.size() >= max_entries) {
        std::erase_if(entries_, [](const auto& entry) { return entry.second != nullptr; });
    }
}

}  // namespace quarry::work
