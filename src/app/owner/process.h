// The process that owns a data folder. It has the lock, the store's writer and the socket, and works on what
// is due until it is told to stop or has nothing more to do.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>

#include <boost/json/fwd.hpp>

#include "app/data_source.h"
#include "app/owner/server.h"
#include "app/services/browser.h"
#include "app/services/index_access.h"
#include "app/services/web_access.h"
#include "base/guarded.h"
#include "base/queues.h"
#include "base/result.h"
#include "chat/model.h"
#include "engine/engine.h"
#include "model/group.h"
#include "model/metrics.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::app {

class OwnerProcess {
public:
    // Takes one line about what happened. Called on one thread of the owner.
    using Log = std::function<void(std::string_view)>;

    // Opens the store and listens. `place` outlives it. Fails as open_sqlite_store does.
    static Result<std::unique_ptr<OwnerProcess>> open(const DataSource& place, FolderLock lock,
                                                      OwnerRole role, Log log = {});
    ~OwnerProcess();

    store::Store& store() { return *store_; }
    Library& library() { return *library_; }
    WebAccess& access() { return *access_; }

    // Answers the process itself as the socket answers a command.
    Result<boost::json::value> handle(const std::string& method, const boost::json::object& params);

    // Each works on everything that is due, for all owners and commands. It returns when its condition is
    // met, or when the caller or another command asks it to stop. Fails as Engine::run does.
    Result<void> work_until(const work::RunUntil& until, std::stop_token stop);
    // Leaves when nothing was due for `idle`, but never while acknowledged work is left: work that comes in
    // while the process leaves makes it stay.
    Result<void> work_until_idle(std::chrono::milliseconds idle, std::stop_token stop);

    // Removes the socket. True if work is left for the next owner; pages that wait for a service that is not
    // there count only with Stalled::yes.
    Result<bool> leave(Stalled stalled = Stalled::yes);
    // Opens the socket again, for a process that decides to stay.
    Result<void> listen();

    // Whether pages are on their way into the index, or a space is being renewed.
    bool is_indexing();

    // Why work waits for the store, or would wait; nothing if the store answers.
    std::optional<Error> store_trouble();

    bool was_asked_to_stop() const { return asked_to_stop_; }

private:
    struct StoreNews {
        std::optional<Error> trouble{};  // nothing: the store is back
        std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
    };
    // News that the event thread handles, after the caller that caused it was answered.
    using News = std::variant<store::Event, quarry::Session, StoreNews, std::string>;

    OwnerProcess(const DataSource& place, FolderLock lock, OwnerRole role, Log log);
    Result<boost::json::value> stop_for_command();
    Result<boost::json::value> search(const boost::json::object& params);
    Result<boost::json::value> drop_vectors(const boost::json::object& params);
    Result<boost::json::value> process_changes(const boost::json::object& params);
    boost::json::object status();
    Result<void> work(const work::RunUntil& until, std::stop_token stop);
    void note_events(std::span<const store::Event> events);
    void post(News news);
    void watch_events(std::stop_token stop);
    Result<Group> group_of(GroupId id);
    std::string reason_of(const store::Event& event);
    std::string reason_of_change(const store::Event& event);
    void handle_event(const store::Event& event);
    void handle_event(const quarry::Session& session);
    void handle_event(const StoreNews& news);
    void handle_event(const std::string& line);

    const DataSource& place_;
    FolderLock lock_;
    const OwnerRole role_;
    const Log log_;
    const std::chrono::steady_clock::time_point started_at_ = std::chrono::steady_clock::now();
    std::unique_ptr<WebAccess> access_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<Library> library_;
    BrowserService browser_;
    std::shared_ptr<chat::Model> model_;  // nothing if the settings name none
    std::shared_ptr<void> observer_;
    std::atomic<bool> asked_to_stop_ = false, stays_ = false;
    Guarded<std::stop_source> stop_;          // of the run under way
    Guarded<std::optional<Error>> damage_;    // of the index, which is to be made anew
    Guarded<work::Engine*> engine_{nullptr};  // the one that runs
    Mailbox<News> events_;
    std::atomic<std::size_t> waiting_ = 0, left_out_ = 0;  // of the events
    Guarded<std::set<GroupId>> changed_groups_;            // whose change waits among the events, once each
    std::unique_ptr<store::Reader> news_reader_;           // of the event thread; nothing while it rests
    std::string last_line_;                                // about a crawl; of the event thread
    std::chrono::steady_clock::time_point away_since_{};   // the store; of the event thread
    Guarded<std::unique_ptr<OwnerServer>> server_;
    std::jthread event_thread_;
};

}  // namespace quarry::app
