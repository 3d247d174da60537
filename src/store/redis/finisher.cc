#include "store/redis/finisher.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/threads.h"
#include "store/redis/encoding.h"

namespace quarry::store::redis {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_on_their_way = 5'000;
constexpr std::size_t items_per_script = 300;
constexpr auto patience = 3ms;  // of outcomes that nobody waits for

// Verdicts of scripts beyond those of Verdict: of check.lua, and of finish.lua for one whose event is made
// here.
constexpr std::int64_t is_copy = 3, applied_quietly = 4;

bool has_content(const Outcome& outcome) {
    return !outcome.pages.empty() || !outcome.gone.empty() || outcome.settle;
}

KeptCrawl crawl_of(db::RedisValue value) {
    return {.id = GroupId(value[0].integer()),
            .kind = value[1].string(),
            .name = value[2].string(),
            .collection = value[3].string(),
            .owner = value[4].string(),
            .site = value[5].string(),
            .priority = static_cast<int>(value[8].integer()),
            .index_pages = value[6].is_true(),
            .zero_retention = value[7].is_true(),
            .keeping = keeping_of(value[10], value[11]),
            .page_keeping = page_keeping_of(value[12].integer()),
            .request_id = value[13].string(),
            .created_at = time_of(value[9]).value_or(Timestamp{})};
}

// No URL's key is this one, but for one in 2^64.
UrlKey key_of_job(JobId id) {
    return {.high = ~std::uint64_t{0}, .low = static_cast<std::uint64_t>(number(id))};
}

Visit visit_of(Finished& finished, db::RedisValue checked) {
    Outcome& outcome = finished.outcome;
    const bool is_url = checked[3].text().size() == 16;
    return {.lease = finished.lease,
            .url = checked[2].string(),
            .final_url = outcome.final_url,
            .key = is_url ? key_of_bytes(checked[3].text()) : key_of_job(finished.lease.id),
            .status = outcome.status,
            .timings = outcome.timings,
            .pages = std::move(outcome.pages),
            .gone = outcome.gone,
            .settle = outcome.settle};
}

}  // namespace

Finisher::Finisher(Parts parts) : parts_(std::move(parts)), thread_([this] { run(); }) {}

Finisher::~Finisher() {
    {
        std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    changed_.notify_all();
}

void Finisher::submit(std::vector<Finished> finished, Store::FinishCallback callback, CommitMode mode) {
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return on_their_way_ < most_on_their_way; });
        on_their_way_ += finished.size();
        const std::size_t count = finished.size();
        queue_.push_back({.finished = std::move(finished),
                          .callback = std::move(callback),
                          .mode = mode,
                          .verdicts = std::vector<Verdict>(count, Verdict::conflict)});
    }
    changed_.notify_all();
}

// All that waits, but for what the next script would not take.
std::deque<Finisher::Call> Finisher::next_calls(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [&] { return is_stopping_ || !queue_.empty(); });
    const auto may_wait = [&] {
        std::size_t count = 0;
        for (const Call& call : queue_)
            count += call.mode == CommitMode::batched ? call.finished.size() : items_per_script;
        return !is_stopping_ && count < items_per_script;
    };
    if (!queue_.empty() && may_wait()) changed_.wait_for(lock, patience, [&] { return !may_wait(); });
    std::deque<Call> calls;
    for (std::size_t count = 0; !queue_.empty() && count < items_per_script;) {
        count += queue_.front().finished.size();
        calls.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    return calls;
}

void Finisher::run() {
    name_this_thread("redis finish");
    while (true) {
        std::unique_lock lock(mutex_);
        std::deque<Call> calls = next_calls(lock);
        if (calls.empty()) return;
        lock.unlock();
        finish_all(calls);
        std::size_t count = 0;
        for (Call& call : calls) {
            count += call.finished.size();
            if (call.error) {
                call.callback(std::unexpected(*std::move(call.error)));
            } else {
                call.callback(std::move(call.verdicts));
            }
        }
        lock.lock();
        on_their_way_ -= count;
        lock.unlock();
        changed_.notify_all();
    }
}

void Finisher::finish_all(std::deque<Call>& calls) {
    std::vector<Item> items;
    for (Call& call : calls) {
        for (std::size_t index = 0; index < call.finished.size(); ++index)
            items.push_back({.call = &call, .index = index});
    }
    for (std::size_t first = 0; first < items.size(); first += items_per_script) {
        finish_some(std::span(items).subspan(first, std::min(items_per_script, items.size() - first)));
    }
}

void Finisher::settle(Item& item, Verdict verdict) {
    item.call->verdicts[item.index] = verdict;
    item.is_settled = true;
}

void Finisher::finish_some(std::span<Item> items) {
    keep_pages(items);
    const auto done = end_leases(items);
    if (done) return;
    for (Item& item : items) {
        if (!item.is_settled) item.call->error = done.error();
    }
}

void Finisher::keep_pages(std::span<Item> items) {
    std::vector<Item*> with_content;
    for (Item& item : items) {
        item.has_content = has_content(item.finished().outcome);
        if (item.has_content) with_content.push_back(&item);
    }
    if (with_content.empty()) return;
    const auto kept = check_and_keep(with_content);
    if (kept) return;
    for (Item* item : with_content) {
        if (item->is_settled) continue;
        item->call->error = kept.error();
        item->is_settled = true;
    }
}

Result<void> Finisher::check_and_keep(std::span<Item*> items) {
    Message message;
    message.list(items.size());
    for (const Item* item : items) {
        const Finished& finished = item->finished();
        const bool completes = std::holds_alternative<Completed>(finished.outcome.end);
        message.list(3).add(number(finished.lease.id)).add(number(finished.lease.token));
        message.add(finished.outcome.canonical && completes ? bytes_of(*finished.outcome.canonical)
                                                            : std::string());
    }
    const ScriptAnswer answer = TRY(parts_.link.call("check", message));
    parts_.on_answer(answer);
    const db::RedisValue checked = answer.result()[0], crawls = answer.result()[1];
    std::map<std::int64_t, std::pair<std::vector<Item*>, std::vector<Visit>>> by_group;
    for (std::size_t index = 0; index < items.size(); ++index) {
        const std::int64_t verdict = checked[index][0].integer();
        if (verdict == is_copy) continue;  // its page is not kept; finish.lua finds the same
        if (verdict != 0) {
            settle(*items[index], static_cast<Verdict>(verdict));
        } else if (const std::int64_t group = checked[index][1].integer(); group != 0) {
            by_group[group].first.push_back(items[index]);
            by_group[group].second.push_back(visit_of(items[index]->finished(), checked[index]));
        }
    }
    for (std::size_t index = 0; index < crawls.size(); ++index) {
        const KeptCrawl crawl = crawl_of(crawls[index]);
        auto& [some, visits] = by_group[number(crawl.id)];
        if (!visits.empty()) TRY(keep_visits(crawl, some, std::move(visits)));
    }
    return {};
}

Result<void> Finisher::keep_visits(const KeptCrawl& crawl, std::span<Item*> items,
                                   std::vector<Visit> visits) {
    const auto kept = TRY(parts_.content.keep_visits(crawl, std::move(visits)));
    for (std::size_t index = 0; index < items.size() && index < kept.size(); ++index) {
        items[index]->kept = kept[index];
        if (kept[index].is_outdated) settle(*items[index], Verdict::conflict);
    }
    return {};
}

// Those that only complete come first: the script does them all at once.
Message Finisher::message_of(std::span<Item*> open) {
    const auto others = std::ranges::stable_partition(open, [](const Item* item) {
        return !item->has_content && only_completes(item->finished().outcome);
    });
    const std::vector<std::int64_t> begun = parts_.take_begun();
    Message message;
    message.list(3).list(begun.size());
    for (const std::int64_t value : begun) message.add(value);
    const std::span plain(open.begin(), others.begin());
    message.list(plain.size() * 3);
    for (const Item* item : plain) {
        const Finished& finished = item->finished();
        message.add(std::to_string(number(finished.lease.id))).add(number(finished.lease.token));
        message.add(std::get<Completed>(finished.outcome.end).result);
    }
    message.list(others.size());
    for (const Item* item : others) {
        const Finished& finished = item->finished();
        message.list(3).add(number(finished.lease.id)).add(number(finished.lease.token));
        add_outcome(message, finished.outcome, item->kept);
    }
    return message;
}

Result<void> Finisher::end_leases(std::span<Item> items) {
    std::vector<Item*> open;
    for (Item& item : items) {
        if (!item.is_settled) open.push_back(&item);
    }
    if (open.empty()) return {};
    const Message message = message_of(open);
    bool was_lost = false;
    auto answer = parts_.link.call("finish", message, &was_lost);
    // Whether it was done is not known: sent again, it is recognised.
    if (!answer && was_lost) answer = parts_.link.call("finish", message);
    if (!answer) return std::unexpected(answer.error());
    for (std::size_t index = 0; index < open.size(); ++index) {
        const std::int64_t verdict = answer->result()[index].integer();
        settle(*open[index], verdict == applied_quietly ? Verdict::applied : static_cast<Verdict>(verdict));
        if (verdict != applied_quietly) continue;
        answer->events.push_back({.what = Event::What::job_ended,
                                  .id = open[index]->finished().lease.id,
                                  .state = JobState::completed});
    }
    parts_.on_answer(*answer);
    return {};
}

}  // namespace quarry::store::redis
