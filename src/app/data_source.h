// One data folder, here or at a server, and how to work with it: what commands that touch the store have in
// common.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "app/data_folder.h"
#include "app/owner/client.h"
#include "app/remote/api.h"
#include "app/settings/settings.h"
#include "base/result.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::db {
struct PgConfig;
}

namespace quarry::app {

struct DataSource {
    DataFolder folder{};
    StoreAddress store{};
    std::shared_ptr<RemoteApi> remote{};  // if set, a server has the data, and there is no folder
    Settings settings;
    std::string version{};
    std::string config_file{};                // as named on the command line; "" if not
    std::optional<int> threads{};             // that read pages, if not as the settings say
    std::function<void(std::string)> warn{};  // what its user should know about the store
    bool answers_searches = true;  // false: one of several workers of a host, which needs no index of its own
};

// How to reach the database of a shared store.
db::PgConfig postgres_config(const DataSource& place);

// What is logged of a worker that did not leave, when its leases are taken over.
std::string line_about_dead_worker(std::string_view name, std::int64_t leases);

// For the process that holds the folder's lock; a shared store for anybody. Who worked on the folder before
// and did not leave is dead: `log` is told, else worker.log and, if it had work under way, the user.
Result<std::unique_ptr<store::Store>> open_store(const DataSource& place,
                                                 const std::function<void(std::string_view)>& log = {});
// For anybody, and over a server. `not_found` if there is no database yet.
Result<std::unique_ptr<store::Reader>> open_reader(const DataSource& place);

// What is worked on, for people: the folder, or the database without its password.
std::string shown(const DataSource& place);

struct Asked {
    boost::json::value answer{};
    bool by_owner = false;  // a worker runs: it also does what the request brings along
};

// Has the owner do what app/owner/methods.h names; without an owner it is done in this process, which then
// leaves.
Result<Asked> ask(const DataSource& place, std::string_view method, boost::json::object params);

// True if there are crawls or jobs that wait or run, of crawls that are not paused.
Result<bool> has_jobs(store::Reader& reader);
// True if pages wait to be indexed, or are being so; with Stalled::no only if they need not wait for a
// service.
enum class Stalled : std::uint8_t { yes, no };
Result<bool> has_changes(store::Reader& reader, Stalled stalled);
// True if a worker would find something to do, now or later: jobs, changes of pages, or schedules.
Result<bool> has_work(store::Reader& reader, Stalled stalled = Stalled::yes);

}  // namespace quarry::app
