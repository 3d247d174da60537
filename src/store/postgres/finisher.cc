#include "store/postgres/finisher.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/threads.h"
#include "store/postgres/writing/operations.h"

namespace quarry::store::postgres {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_queued = 10'000;
constexpr std::size_t most_at_once = 512;
constexpr auto gathering = 5ms;

}  // namespace

Finisher::Finisher(Transactor& transactor, Transactor::Tell tell)
    : transactor_(transactor), tell_(std::move(tell)), thread_([this] { run(); }) {}

Finisher::~Finisher() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    filled_.notify_all();
    thread_.join();
}

void Finisher::submit(std::vector<Finished> finished, Store::FinishCallback callback, CommitMode mode) {
    {
        std::unique_lock lock(mutex_);
        emptied_.wait(lock, [&] { return queued_ < most_queued; });
        queued_ += finished.size();
        if (mode != CommitMode::batched) ++immediate_waiting_;
        queue_.push_back({std::move(finished), std::move(callback), mode});
    }
    filled_.notify_one();
}

std::vector<Finisher::Call> Finisher::next_batch() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    filled_.wait_for(lock, gathering,
                     [&] { return stopping_ || immediate_waiting_ > 0 || queued_ >= most_at_once; });
    std::vector<Call> batch;
    std::size_t taken = 0;
    while (!queue_.empty() && taken < most_at_once) {
        taken += queue_.front().finished.size();
        if (queue_.front().mode != CommitMode::batched) --immediate_waiting_;
        batch.push_back(std::move(queue_.front()));
        queue_.pop_front();
    }
    queued_ -= taken;
    emptied_.notify_all();
    return batch;
}

void Finisher::run() {
    name_this_thread("pg-finisher");
    while (true) {
        std::vector<Call> batch = next_batch();
        if (batch.empty()) return;
        finish(batch);
    }
}

void Finisher::finish(std::vector<Call>& calls) {
    std::vector<Finished> all;
    bool is_awaited = true;
    for (Call& call : calls) {
        is_awaited = is_awaited && call.mode == CommitMode::not_durable;
        std::ranges::move(call.finished, std::back_inserter(all));
    }
    const Durability durability = is_awaited ? Durability::later : Durability::fenced;
    Verdicts verdicts = finish_all(all, durability);
    std::size_t first = 0;
    for (Call& call : calls) {
        const std::size_t count = call.finished.size();
        const auto share = std::span(all).subspan(first, count);
        first += count;
        if (verdicts) {
            const auto own = verdicts->begin() + static_cast<std::ptrdiff_t>(first - count);
            call.callback(std::vector(own, own + static_cast<std::ptrdiff_t>(count)));
        } else if (calls.size() == 1) {
            call.callback(std::unexpected(verdicts.error()));
        } else {
            // One of them cannot be written: the others shall not suffer for it.
            call.callback(finish_all(share, durability));
        }
    }
}

Result<void> Finisher::finish_plain(std::span<Finished> finished,
                                    std::vector<std::optional<Verdict>>& verdicts, Durability durability) {
    std::vector<Finished> plain;
    std::unordered_map<std::int64_t, std::size_t> places;
    for (std::size_t index = 0; index < finished.size(); ++index) {
        if (!is_plain(finished[index].outcome)) continue;
        if (!places.try_emplace(number(finished[index].lease.id), index).second) continue;
        plain.push_back(finished[index]);
    }
    if (plain.empty()) return {};
    auto connection = TRY(transactor_.borrow());
    db::PgBatch batch(*connection);  // what is sent together is one transaction
    transactor_.add_settings(batch, durability);
    const PlainEnd end = TRY(finish_plain_jobs(batch, plain));
    std::vector<Event> events;
    std::vector<std::int64_t> tokens;
    for (const std::int64_t id : end.ids) {
        const std::size_t place = places.at(id);
        verdicts[place] = Verdict::applied;
        tokens.push_back(number(finished[place].lease.token));
        events.push_back({.what = Event::What::job_ended, .id = JobId(id), .state = JobState::completed});
    }
    transactor_.process().begun.forget(tokens);
    tell_(events, {.wakes = end.has_backlog});
    return {};
}

Finisher::Verdicts Finisher::finish_all(std::span<Finished> finished, Durability durability) {
    std::vector<std::optional<Verdict>> verdicts(finished.size());
    // What goes wrong here is told by what follows, or goes well there.
    (void)finish_plain(finished, verdicts, durability);
    std::vector<Finished> rest;
    for (std::size_t index = 0; index < finished.size(); ++index) {
        if (!verdicts[index]) rest.push_back(finished[index]);
    }
    if (!rest.empty()) {
        const auto found = TRY(transactor_.run<std::vector<Verdict>>(
            durability, [&](Ledger& ledger) { return postgres::finish(ledger, rest); }));
        auto next = found.begin();
        for (auto& verdict : verdicts) {
            if (!verdict) verdict = *next++;
        }
    }
    std::vector<Verdict> all;
    all.reserve(verdicts.size());
    for (const auto& verdict : verdicts) all.push_back(*verdict);
    return all;
}

}  // namespace quarry::store::postgres
