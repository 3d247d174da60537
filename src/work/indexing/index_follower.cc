#include "work/indexing/index_follower.h"

#include <algorithm>

#include <fmt/format.h>
#include <poll.h>

#include "base/threads.h"

namespace quarry::work {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// What a notification that was lost, or a pooler that hears none, costs.
constexpr auto longest_wait = 1000ms;
// Workers elsewhere do not say whether they have more to write. After this time without any they have not.
constexpr auto rest = 1000ms;

}  // namespace

index::Follower::Prepare fold_into(Spaces& spaces) {
    return [&spaces](const std::string& collection, const EmbedderFacts& embedder,
                     std::vector<index::IndexedPage>& pages) -> Result<std::shared_lock<std::shared_mutex>> {
        auto hold = spaces.hold();
        if (embedder.provider != "builtin") return hold;
        const Spaces::Current current = TRY(spaces.current(collection));
        const Spaces::Current next = spaces.next(collection);
        for (index::IndexedPage& page : pages) {
            page.next_space = next.version;
            for (index::IndexedChunk& chunk : page.chunks) {
                if (current.space) chunk.vector = current.space->fold_in(chunk.terms);
                if (next.space) chunk.next = next.space->fold_in(chunk.terms);
            }
        }
        return hold;
    };
}

Result<std::unique_ptr<IndexFollower>> IndexFollower::open(Parts parts) {
    std::unique_ptr<IndexFollower> follower(new IndexFollower(std::move(parts)));
    IndexFollower* raw = follower.get();
    const auto collections = TRY(raw->parts_.replica.collections());
    raw->keeper_ = std::make_unique<SpaceKeeper>(
        SpaceKeeper::Parts{.spaces = raw->parts_.spaces,
                           .is_quiet = [raw] { return raw->is_quiet(); },
                           .looked = [raw] { raw->report_progress(); },
                           .failed =
                               [raw](const Error& error) {
                                   if (raw->parts_.log)
                                       raw->parts_.log("index: space not renewed reason=" + error.message);
                               }},
        collections);
    raw->thread_ = std::jthread([raw](std::stop_token stop) { raw->run(stop); });
    return follower;
}

IndexFollower::~IndexFollower() {
    thread_.request_stop();
    wake_.wake();
    thread_ = {};
    keeper_->stop();
}

std::uint64_t IndexFollower::look() {
    const std::uint64_t number = looks_.with([](Looks& looks) { return looks.awaited = ++looks.asked; });
    wake_.wake();
    return number;
}

bool IndexFollower::is_settled(std::uint64_t look) const {
    return looks_.with([&](const Looks& looks) { return looks.done >= look; }) && keeper_->is_settled();
}

void IndexFollower::expect_more(bool more) {
    const bool was_expected =
        looks_.with([&](Looks& looks) { return std::exchange(looks.more_is_expected, more); });
    if (was_expected != more) keeper_->look_again();
}

void IndexFollower::on_progress(std::function<void()> progress) {
    progress_.with([&](auto& known) { known = std::move(progress); });
}

void IndexFollower::report_progress() {
    progress_.with([](const auto& progress) {
        if (progress) progress();
    });
}

bool IndexFollower::is_quiet() const {
    return looks_.with([](const Looks& looks) {
        const bool is_awaited = looks.done >= looks.awaited && looks.awaited > 0;
        return !looks.more_is_expected && (is_awaited || Clock::now() - looks.last_change >= rest);
    });
}

void IndexFollower::take_over(std::stop_token stop) {
    const std::uint64_t look = looks_.with([](const Looks& looks) { return looks.asked; });
    const auto caught_up = parts_.follower.catch_up([&](const std::string& collection) {
        looks_.with([](Looks& looks) {
            looks.last_change = Clock::now();
            looks.awaited = std::max(looks.awaited, looks.done + 1);
        });
        keeper_->written(collection);
        return !stop.stop_requested();
    });
    report(caught_up);
    if (!caught_up || stop.stop_requested()) return;
    looks_.with([&](Looks& looks) { looks.done = look; });
    keeper_->look_again();
    report_progress();
}

// Once for each state, not once a second.
void IndexFollower::report(const Result<void>& result) {
    const std::string now = result ? "" : result.error().message;
    if (now == trouble_) return;
    if (parts_.log) {
        parts_.log(result
                       ? "the search index follows PostgreSQL again"
                       : fmt::format("the search index cannot follow: {}. Answers may be out of date", now));
    }
    trouble_ = now;
}

// Until something has changed, somebody asks, or a second has passed.
void IndexFollower::wait() {
    if (listener_) {
        if (!listener_->wait(longest_wait, wake_.descriptor())) listener_.reset();
    } else {
        pollfd awaited{.fd = wake_.descriptor(), .events = POLLIN, .revents = 0};
        poll(&awaited, 1, static_cast<int>(longest_wait.count()));
    }
    wake_.clear();
}

void IndexFollower::run(std::stop_token stop) {
    name_this_thread("index follower");
    while (!stop.stop_requested()) {
        if (!listener_) {
            // Before the log is read: what changes in between is told.
            auto opened = db::PgListener::open(parts_.database, index::log_channel);
            if (opened) listener_ = *std::move(opened);
        }
        take_over(stop);
        if (!stop.stop_requested()) wait();
    }
}

}  // namespace quarry::work
