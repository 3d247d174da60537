// Somebody who does what a command asks for as long as it runs: the owner of the data folder, and this
// process whenever there is none.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>
#include <fmt/format.h>

#include "app/data_source.h"
#include "app/owner/background.h"
#include "app/owner/client.h"
#include "app/owner/process.h"
#include "app/services/web_access.h"
#include "base/clock.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/commands/index_wait.h"
#include "cli/data_access.h"
#include "cli/exit.h"
#include "cli/output/crawl_text.h"
#include "work/import/watched_folder.h"

namespace quarry::cli {

namespace json = boost::json;
using namespace std::chrono_literals;

// Used by one thread.
class StandingOwner {
public:
    // `place` outlives it. Once `stop` is asked for, nothing more is done.
    StandingOwner(const app::DataSource& place, std::stop_token stop)
        : place_(place), on_stop_(std::move(stop), [this] { stop_.request_stop(); }) {}
    ~StandingOwner() { stop_.request_stop(); }
    StandingOwner(const StandingOwner&) = delete;
    StandingOwner& operator=(const StandingOwner&) = delete;

    // What app/owner/methods.h names. It has to bear being repeated: an owner may leave in the middle of it.
    Result<boost::json::value> perform(std::string_view method, const boost::json::object& params);

    // To be called now and then: takes the place of an owner that has left, so that work goes on. Fails if
    // this process cannot work any more.
    Result<void> keep_working();

    // Finishes what is under way. Work that is left then is for a worker in the background.
    Result<void> leave();

private:
    // This process as the owner. Its thread works until the end.
    struct Own {
        std::unique_ptr<app::OwnerProcess> owner{};
        Result<void> worked{};
        std::atomic<bool> has_ended = false;
        std::jthread thread{};
    };
    Result<void> reach();
    Result<void> begin_to_work(app::FolderLock lock);

    const app::DataSource& place_;
    std::stop_source stop_;
    std::stop_callback<std::function<void()>> on_stop_;
    std::unique_ptr<app::OwnerLink> client_;
    std::unique_ptr<Own> own_;
};

Result<json::value> StandingOwner::perform(std::string_view method, const json::object& params) {
    while (true) {
        TRY(reach());
        if (own_) return own_->owner->handle(std::string(method), params);
        auto answer = client_->call(method, params);
        const bool has_left = !answer && (!client_->was_heard() || !client_->next_event(0ms));
        if (!has_left) return answer;
        client_.reset();
    }
}

Result<void> StandingOwner::keep_working() {
    if (client_ && !client_->next_event(0ms)) client_.reset();
    if (own_ && own_->has_ended && !stop_.stop_requested()) {
        own_->thread.join();
        TRY(own_->worked);
        own_.reset();
    }
    return reach();
}

Result<void> StandingOwner::reach() {
    if (own_ || client_) return {};
    auto reached = TRY(app::reach_owner(place_, stop_.get_token()));
    if (auto* lock = std::get_if<app::FolderLock>(&reached)) return begin_to_work(std::move(*lock));
    client_ = std::get<std::unique_ptr<app::OwnerLink>>(std::move(reached));
    return {};
}

Result<void> StandingOwner::begin_to_work(app::FolderLock lock) {
    auto own = std::make_unique<Own>();
    own->owner = TRY(app::OwnerProcess::open(place_, std::move(lock), app::OwnerRole::foreground));
    own->thread = std::jthread([raw = own.get(), stop = stop_.get_token()] {
        raw->worked = raw->owner->work_until({}, stop);
        raw->has_ended = true;
    });
    own_ = std::move(own);
    return {};
}

Result<void> StandingOwner::leave() {
    stop_.request_stop();
    client_.reset();
    if (!own_) return {};
    own_->thread.join();
    const bool work_is_left = TRY(own_->owner->leave(app::Stalled::no));
    const Result<void> worked = own_->worked;
    own_.reset();
    if (work_is_left) TRY(app::start_background_worker(place_, place_.settings.duration("worker.idle_exit")));
    return worked;
}

// `quarry watch`: folders whose documents are searchable a moment after they were saved.

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;
using work::Notice;
using work::WatchedChange;

// Told in rounds, so that what somebody saves meanwhile need not wait for all the others.
constexpr std::size_t files_per_round = 500;
constexpr auto look_after_owner_every = 1'000ms;
constexpr auto pause_after_failure = 5'000ms;

struct WatchArguments {
    std::vector<std::string> folders{}, ignored_globs{};
    std::string collection = "default";
    bool once = false;
};

// The folders without those that lie in another of them. `not_found`.
Result<std::vector<std::string>> real_folders(const std::vector<std::string>& named) {
    std::vector<std::string> folders;
    for (const std::string& name : named) {
        std::error_code error;
        const fs::path real = fs::canonical(name, error);
        if (error || !fs::is_directory(real, error))
            return fail(ErrorCode::invalid_argument, fmt::format("Folder not found: {}", name));
        folders.push_back(real.string());
    }
    std::ranges::sort(folders);
    std::vector<std::string> outer;
    for (std::string& folder : folders)
        if (outer.empty() || !work::is_inside(folder, outer.back())) outer.push_back(std::move(folder));
    return outer;
}

class WatchRun {
public:
    WatchRun(const CommandContext& session, const app::DataSource& place, const WatchArguments& arguments)
        : session_(session),
          writer_({.collection = arguments.collection, .site = "watch", .folder = place.folder.path},
                  app::pdf_limits(place.settings),
                  static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U))) {}

    // Reads what the store has of the folders.
    Result<void> open(const app::DataSource& place, const WatchArguments& arguments) {
        const auto folders = TRY(real_folders(arguments.folders));
        const auto reader = app::open_reader(place);
        if (!reader && reader.error().code != ErrorCode::not_found) return std::unexpected(reader.error());
        for (const std::string& folder : folders) {
            auto stored = reader ? TRY(work::stored_files(**reader, arguments.collection, folder))
                                 : work::StoredFiles();
            folders_.push_back(
                std::make_unique<work::WatchFolder>(folder, arguments.ignored_globs, std::move(stored)));
        }
        return {};
    }

    // Once: tells the store of everything that differs.
    Result<void> catch_up(const Perform& perform) {
        for (const auto& folder : folders_) {
            say_all(TRY(folder->look()));
            while (folder->next_due() && !was_interrupted()) TRY(tell(*folder, perform));
        }
        return {};
    }

    // Until Ctrl-C.
    Result<void> keep_up(StandingOwner& owner) {
        notices_.emplace(TRY(work::FolderNotices::open()));
        const std::stop_callback on_stop(stop_on_interrupt(), [this] { notices_->wake(); });
        TRY(look_at_everything());
        say(fmt::format("Watching {} folder{}. Ctrl-C ends it",
                        with_commas(static_cast<std::int64_t>(notices_->watched())),
                        notices_->watched() == 1 ? "" : "s"));
        while (!was_interrupted()) {
            TRY(tell_what_is_due(owner));
            TRY(hear());
        }
        return {};
    }

    bool any_failed() const { return any_failed_; }

private:
    Result<void> look_at_everything() {
        for (const auto& folder : folders_) {
            say_all(TRY(folder->look(before_folder())));
            TRY(std::exchange(watched_, {}));
        }
        return {};
    }

    // Watching comes before looking: what is written in between is noticed, at worst twice.
    work::BeforeFolder before_folder() {
        return [this](const std::string& folder) {
            const auto watched = notices_->watch(folder);
            if (!watched && watched.error().code != ErrorCode::not_found) watched_ = watched;
        };
    }

    Result<void> tell_what_is_due(StandingOwner& owner) {
        if (const auto working = owner.keep_working(); !working)
            return was_interrupted() ? Result<void>() : working;
        if (clock_.now() < paused_until_) return {};
        const Perform perform = [&](std::string_view method, const json::object& params) {
            return owner.perform(method, params);
        };
        for (const auto& folder : folders_) {
            const auto told = tell(*folder, perform);
            if (told || was_interrupted()) continue;
            say_error(session_.terminal, fmt::format("{}. Trying again soon", told.error().message));
            paused_until_ = clock_.now() + pause_after_failure;
        }
        return {};
    }

    Result<void> tell(work::WatchFolder& folder, const Perform& perform) {
        auto changes = folder.take_due(clock_.now(), files_per_round);
        if (changes.is_empty()) return {};
        return writer_.apply(folder, std::move(changes), perform,
                             [this](const WatchedChange& change) { print(change); });
    }

    // Waits until something happens or is due.
    Result<void> hear() {
        Timestamp until = clock_.now() + look_after_owner_every;
        for (const auto& folder : folders_)
            if (const auto due = folder->next_due()) until = std::min(until, std::max(*due, paused_until_));
        const auto notices = notices_->read(std::max(0ms, until - clock_.now()));
        for (const Notice& notice : notices) {
            TRY(check_lost(notice));
            for (const auto& folder : folders_) folder->handle(notice, clock_.now(), before_folder());
        }
        TRY(std::exchange(watched_, {}));
        const bool has_to_look =
            std::ranges::any_of(folders_, [](const auto& folder) { return folder->has_to_look(); });
        return has_to_look ? look_at_everything() : Result<void>();
    }

    // A folder that is gone as a whole may be a disk that was taken out: its documents are not forgotten.
    Result<void> check_lost(const Notice& notice) const {
        std::error_code error;
        const bool is_lost =
            notice.what == Notice::What::lost && !fs::is_directory(notice.path, error) &&
            std::ranges::any_of(folders_, [&](const auto& folder) { return folder->path() == notice.path; });
        if (!is_lost) return {};
        return fail(
            ErrorCode::not_found,
            fmt::format("{} is gone. What was in it can still be found; to change that: quarry forget",
                        notice.path));
    }

    void print(const WatchedChange& change) {
        if (change.what == WatchedChange::What::failed) {
            any_failed_ = true;
            say_error(session_.terminal, printable(change.error));
            return;
        }
        const std::string_view what = name_of(change.what);
        write_data(session_.json
                       ? json::serialize(json::object{{"event", what}, {"path", change.path}}) + "\n"
                       : fmt::format("{} {}\n", what, printable(change.path)));
    }

    void say_all(const std::vector<std::string>& problems) {
        for (const std::string& problem : problems) say_error(session_.terminal, printable(problem));
        any_failed_ |= !problems.empty();
    }

    const CommandContext& session_;
    work::WatchWriter writer_;
    std::vector<std::unique_ptr<work::WatchFolder>> folders_;
    std::optional<work::FolderNotices> notices_;
    Result<void> watched_;  // an error of the callback, until somebody can return it
    WallClock clock_;
    Timestamp paused_until_{};
    bool any_failed_ = false;
};

int watch_once(const CommandContext& session, const app::DataSource& place, const WatchArguments& arguments,
               WatchRun& run) {
    const auto counts = work_until_indexed(
        session, place, {.collection = arguments.collection, .begin = [&](const Perform& perform) {
                             return run.catch_up(perform);
                         }});
    if (!counts) return give_up(session, counts.error());
    const int indexed = report_index(session, *counts);
    return run.any_failed() ? std::max<int>(indexed, exit_incomplete) : indexed;
}

int watch_on(const CommandContext& session, const app::DataSource& place, WatchRun& run) {
    StandingOwner owner(place, stop_on_interrupt());
    const auto kept_up = run.keep_up(owner);
    const auto left = owner.leave();
    if (!kept_up) return give_up(session, kept_up.error());
    if (!left) return give_up(session, left.error());
    return exit_interrupted;
}

int run_watch(const CommandContext& session, const WatchArguments& arguments) {
    stop_on_interrupt();
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (const auto made = place->folder.create(); !made) return give_up(session, made.error());
    WatchRun run(session, *place, arguments);
    if (const auto opened = run.open(*place, arguments); !opened) return give_up(session, opened.error());
    return arguments.once ? watch_once(session, *place, arguments, run) : watch_on(session, *place, run);
}

}  // namespace

Command add_watch(CommandBuilder& builder) {
    Parser& parser = builder.add("watch", "Keep folders searchable: what is saved is found a moment later",
                                 "quarry watch ~/notes\n"
                                 "quarry watch docs/ wiki/ --collection team --ignore 'draft-*'\n"
                                 "quarry watch ~/notes --once      # catch up, then end");
    const auto arguments = std::make_shared<WatchArguments>();
    parser.add_option("folder", arguments->folders, "Folders, with all below them; .quarryignore is obeyed")
        .required();
    parser.add_option("--collection", arguments->collection, "Which set of pages they belong to (default)");
    parser.add_option("--ignore", arguments->ignored_globs,
                      "Leave out what matches, as in .gitignore; repeatable");
    parser.add_flag("--once", arguments->once, "Bring the index up to date, and end");
    return {&parser, [arguments](const CommandContext& session) { return run_watch(session, *arguments); }};
}

}  // namespace quarry::cli
