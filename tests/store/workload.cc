#include "store/workload.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "store/rows/pages.h"

namespace quarry::test {

using store::Completed;
using store::Failed;
using store::Finished;
using store::Outcome;
using store::Retry;
using store::Skipped;
using store::Snooze;
using store::Verdict;

namespace {

std::string_view query_of(Promise::What what) {
    switch (what) {
        case Promise::What::job_added:
            return "SELECT (SELECT count(*) FROM job WHERE id = ?1) + (SELECT count(*) FROM done WHERE id = "
                   "?1)";
        case Promise::What::job_ended: return "SELECT count(*) FROM done WHERE id = ?1";
        case Promise::What::group_added: return "SELECT count(*) FROM grp WHERE id = ?1";
        case Promise::What::url_ended:
            return "SELECT count(*) FROM frontier WHERE id = ?1 AND state IN (2, 3, 4)";
        case Promise::What::page_saved:
            return "SELECT count(*) FROM result JOIN content ON content.id = result.content"
                   " JOIN frontier ON frontier.id = result.url AND frontier.state = 2 WHERE result.url = ?1";
        case Promise::What::group_cancelled: return "SELECT count(*) FROM grp WHERE id = ?1 AND state = 4";
        case Promise::What::page_written:
            return "SELECT count(*) FROM page JOIN content ON content.id = page.content"
                   " WHERE collection = 'kept' AND url = 'https://kept.example/' || ?1";
        case Promise::What::change_ended:
            return "SELECT NOT EXISTS (SELECT 1 FROM outbox WHERE id = ?1 AND state = 0)";
        case Promise::What::page_forgotten:
            return "SELECT NOT EXISTS (SELECT 1 FROM page WHERE collection = 'lost'"
                   " AND url = 'https://lost.example/' || ?1)";
    }
    return {};
}

// The database's error goes up; a rule of the store that said no is part of life.
template <typename T>
Result<void> unless_refused(const Result<T>& result) {
    if (result || result.error().code == ErrorCode::conflict || result.error().code == ErrorCode::not_found) {
        return {};
    }
    return std::unexpected(result.error());
}

}  // namespace

std::vector<std::string> broken_promises(db::Connection& connection, const std::vector<Promise>& promises) {
    std::vector<std::string> broken;
    for (const Promise& promise : promises) {
        auto statement = connection.prepare(query_of(promise.what));
        const bool kept =
            statement && statement->bind(promise.id).step().value_or(false) && statement->integer(0) == 1;
        if (!kept) {
            broken.push_back(
                fmt::format("promise {} of {} is broken", static_cast<int>(promise.what), promise.id));
        }
    }
    return broken;
}

Workload::Workload(store::Store& store, std::uint64_t seed, std::function<void(const Promise&)> keep)
    : store_(store), random_(seed), keep_(std::move(keep)) {}

Result<void> Workload::step() {
    if (!worker_) worker_ = TRY(store_.register_worker("workload"));
    const std::uint64_t dice = below(100);
    if (groups_.empty() || dice < 4) return add_group();
    if (dice < 20) return add_jobs();
    if (dice < 45) return lease();
    if (dice < 47) return stop_a_group();
    if (dice < 50) return beat();
    if (dice < 55) return write_pages();
    if (dice < 57) return forget_pages();
    return finish();
}

Result<void> Workload::add_jobs() {
    std::vector<NewJob> jobs(1 + below(3));
    for (NewJob& job : jobs) {
        job.kind = below(2) == 0 ? "scrape" : "webhook";
        job.payload = fmt::format("{{\"data\":\"{}\"}}", std::string(below(600), 'x'));
        job.priority = static_cast<int>(1 + below(3));
        if (below(4) == 0) job.unique_key = fmt::format("key-{}", below(50));
        if (below(4) == 0) job.group = groups_[below(groups_.size())];
        job.owner = below(2) == 0 ? "ann" : "bob";
    }
    const auto added = store_.add(jobs);
    if (added) {
        for (const Added& one : *added) keep_({Promise::What::job_added, number(one.id)});
    }
    return unless_refused(added);
}

FoundUrl Workload::some_url() {
    const std::uint64_t page = below(400);
    return {.url = fmt::format("https://host{}.example/{}", page % 5, page),
            .key = {.high = page, .low = page},
            .host = fmt::format("host{}.example", page % 5),
            .priority = static_cast<int>(below(3))};
}

Result<void> Workload::add_group() {
    NewGroup group{.name = "https://host0.example/",
                   .collection = below(2) == 0 ? "docs" : "blog",
                   .owner = below(2) == 0 ? "ann" : "bob",
                   .page_limit = static_cast<std::int64_t>(5 + below(30)),
                   .url_limit = 60,
                   .index_pages = below(4) != 0,
                   .site = "host.example"};
    if (below(2) == 0) group.closing_jobs.push_back({.kind = "scrape", .payload = "{}"});
    std::vector<FoundUrl> seeds;
    for (std::uint64_t count = 1 + below(4); count > 0; --count) seeds.push_back(some_url());
    const auto added = store_.add_group(group, {}, seeds);
    if (added) {
        groups_.push_back(*added);
        keep_({Promise::What::group_added, number(*added)});
    }
    return unless_refused(added);
}

Result<void> Workload::lease() {
    const auto leased =
        store_.lease({.worker = *worker_, .kinds = {{"scrape", 3}, {"webhook", 2}}, .urls = 6, .changes = 4});
    if (!leased) return unless_refused(leased);
    for (const store::JobLease& job : leased->jobs) {
        store_.begin(job.lease);
        held_.push_back({.lease = job.lease});
    }
    for (const store::UrlLease& url : leased->urls) {
        store_.begin(url.lease);
        held_.push_back(
            {.lease = url.lease, .is_url = true, .group = url.group, .key = url.key, .url = url.url});
    }
    for (const store::ChangeLease& change : leased->changes) {
        store_.begin(change.lease);
        held_.push_back({.lease = change.lease, .is_change = true});
    }
    return {};
}

namespace {

PageWrite imported(const std::string& site, std::uint64_t number, std::uint64_t version) {
    const std::string words = fmt::format("words {} of {}", version, number);
    return {.key = {.high = number, .low = 7},
            .facts = {.url = fmt::format("https://{}.example/{}", site, number),
                      .status = 200,
                      .content_hash = store::content_hash("", words)},
            .content = store::pack({.markdown = words, .details = "{}"}).value()};
}

}  // namespace

Result<void> Workload::write_pages() {
    const bool is_kept = below(3) != 0;
    const std::string name = is_kept ? "kept" : "lost";
    store::PageBatch batch{.collection = name, .priority = static_cast<int>(1 + below(3))};
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t count = 1 + below(4); count > 0; --count) {
        // Those that are forgotten once never come again.
        numbers.push_back(is_kept ? below(60) : random_() >> 1);
        batch.pages.push_back(imported(name, numbers.back(), below(4)));
    }
    const auto written = store_.write_pages(std::move(batch));
    if (!written) return unless_refused(written);
    for (const std::uint64_t number : numbers) {
        if (is_kept) keep_({Promise::What::page_written, static_cast<std::int64_t>(number)});
        if (!is_kept) to_forget_.push_back(number);
    }
    return {};
}

Result<void> Workload::forget_pages() {
    if (to_forget_.empty() || below(3) == 0) {
        return unless_refused(store_.index_again({.collection = below(2) == 0 ? "kept" : "docs"}));
    }
    const std::uint64_t number = to_forget_.back();
    to_forget_.pop_back();
    const auto forgotten = store_.forget({.urls = {fmt::format("https://lost.example/{}", number)}});
    if (!forgotten) return unless_refused(forgotten);
    keep_({Promise::What::page_forgotten, static_cast<std::int64_t>(number)});
    return {};
}

PageWrite Workload::page_of(const Held& held) {
    // Few different words, so that crawls find pages unchanged.
    const std::string words = fmt::format("words {} of {}", below(3), held.url);
    return {.key = held.key,
            .facts = {.url = held.url,
                      .status = 200,
                      .content_hash = store::content_hash("", words),
                      .body_bytes = 1'000},
            .content = store::pack({.markdown = words, .details = "{}"}).value()};
}

Outcome Workload::outcome_of(const Held& held) {
    Outcome outcome;
    const std::uint64_t dice = below(20);
    if (dice < 14) {
        outcome.end = Completed{.result = held.is_url ? "" : "{}"};
        if (held.is_url) outcome.pages.push_back(page_of(held));
        outcome.timings = {.fetch = std::chrono::milliseconds(3), .embed = std::chrono::milliseconds(4)};
    } else if (dice < 16) {
        outcome.end = Retry{.error = "try again", .not_before = store_.now()};
    } else if (dice < 18) {
        outcome.end = Failed{.error = "no use"};
        outcome.status = 404;
    } else if (dice < 19 && held.is_url) {
        outcome.end = Skipped{.reason = SkipReason::robots};
    } else {
        outcome.end = Snooze{.until = store_.now()};
    }
    if (held.is_url) {
        for (std::uint64_t count = below(4); count > 0; --count) outcome.found.push_back(some_url());
    }
    if (below(10) == 0) outcome.jobs.push_back({.kind = "webhook", .payload = "{}", .owner = "ann"});
    if (held.is_url && below(15) == 0) outcome.gone.push_back(some_url().key);
    return outcome;
}

void Workload::keep_what(const Held& held, const Outcome& outcome) {
    const bool completed = std::holds_alternative<Completed>(outcome.end);
    const bool over = completed || std::holds_alternative<Failed>(outcome.end) ||
                      std::holds_alternative<Skipped>(outcome.end);
    if (!over) return;
    if (held.is_change) return keep_({Promise::What::change_ended, number(held.lease.id)});
    keep_({held.is_url ? Promise::What::url_ended : Promise::What::job_ended, number(held.lease.id)});
    if (held.is_url && completed) keep_({Promise::What::page_saved, number(held.lease.id)});
}

Result<void> Workload::finish() {
    if (held_.empty()) return lease();
    std::ranges::shuffle(held_, random_);
    std::vector<Held> held(
        held_.end() - static_cast<std::ptrdiff_t>(1 + below(std::min<std::size_t>(held_.size(), 6))),
        held_.end());
    held_.resize(held_.size() - held.size());
    std::vector<Finished> finished;
    for (const Held& one : held) finished.push_back({one.lease, outcome_of(one)});
    const auto verdicts = store_.finish(finished);
    if (!verdicts) return unless_refused(verdicts);
    for (std::size_t index = 0; index < held.size(); ++index) {
        if ((*verdicts)[index] == Verdict::applied) keep_what(held[index], finished[index].outcome);
    }
    return {};
}

Result<void> Workload::stop_a_group() {
    const GroupId group = groups_[below(groups_.size())];
    const std::uint64_t dice = below(4);
    if (dice == 0) {
        const auto cancelled = store_.cancel(group);
        if (cancelled) keep_({Promise::What::group_cancelled, number(group)});
        return unless_refused(cancelled);
    }
    return unless_refused(dice == 1 ? store_.pause(group) : store_.resume(group));
}

Result<void> Workload::beat() {
    return unless_refused(store_.beat(*worker_, {}));
}

}  // namespace quarry::test
