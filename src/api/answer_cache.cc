#include "api/answer_cache.h"

#include <utility>

#include "api/server/message.h"
#include "api/server/server.h"

namespace quarry::api {
namespace {

constexpr std::size_t most_entries = 1'000;
constexpr std::size_t most_bytes = 32u << 20;

}  // namespace

// Answers all who wait. If it is let go without an answer, they hear that.
class AnswerCache::Maker : public WrappedExchange {
public:
    Maker(std::shared_ptr<AnswerCache> cache, std::string key, std::uint64_t number,
          std::shared_ptr<Exchange> first)
        : WrappedExchange(std::move(first)),
          cache_(std::move(cache)),
          key_(std::move(key)),
          number_(number) {}
    ~Maker() override {
        try {
            if (!is_told_)
                cache_->tell(key_, number_, reply_error(500, "UNKNOWN_ERROR", "there was no answer"));
        } catch (const std::exception&) {
            // Without memory for that sentence each of those who wait is answered as it is let go.
        }
    }

    void respond(Response response) override {
        if (std::exchange(is_told_, true)) return;
        cache_->tell(key_, number_, std::move(response));
    }
    // Others wait for the answer as well.
    std::stop_token gone() const override { return {}; }

private:
    const std::shared_ptr<AnswerCache> cache_;
    const std::string key_;
    const std::uint64_t number_;
    bool is_told_ = false;
};

std::shared_ptr<Exchange> AnswerCache::ask(const std::string& key, std::shared_ptr<Exchange> exchange) {
    std::unique_lock lock(mutex_);
    const auto known = entries_.find(key);
    if (known != entries_.end()) {
        Entry& entry = *known->second;
        if (!entry.is_made) {
            entry.waiting.push_back(std::move(exchange));
            return nullptr;
        }
        if (std::chrono::steady_clock::now() - entry.made_at < fresh_for_) {
            Response response = entry.response;
            lock.unlock();
            exchange->respond(std::move(response));
            return nullptr;
        }
        bytes_ -= entry.response.text().size();
        entries_.erase(known);
    }
    const auto entry = std::make_shared<Entry>(++last_number_);
    entry->waiting.push_back(exchange);
    entries_[key] = entry;
    in_making_[entry->number] = entry;
    return std::make_shared<Maker>(shared_from_this(), key, entry->number, std::move(exchange));
}

void AnswerCache::tell(const std::string& key, std::uint64_t number, Response response) {
    response.share_body();
    std::vector<std::shared_ptr<Exchange>> waiting;
    {
        const std::lock_guard lock(mutex_);
        const auto made = in_making_.extract(number);
        if (made.empty()) return;
        Entry& entry = *made.mapped();
        waiting = std::exchange(entry.waiting, {});
        const auto known = entries_.find(key);
        const bool is_current = known != entries_.end() && known->second == made.mapped();
        const std::size_t bytes = response.text().size();
        if (is_current && response.status == 200 && bytes <= most_bytes / 4) {
            entry.response = response;
            entry.made_at = std::chrono::steady_clock::now();
            entry.is_made = true;
            bytes_ += bytes;
        } else if (is_current) {
            entries_.erase(known);
        }
        if (bytes_ > most_bytes || entries_.size() > most_entries) {
            std::erase_if(entries_, [](const auto& item) { return item.second->is_made; });
            bytes_ = 0;
        }
    }
    for (const auto& exchange : waiting) exchange->respond(response);
}

void AnswerCache::forget() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
    bytes_ = 0;
}

}  // namespace quarry::api
