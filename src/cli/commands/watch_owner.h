// Somebody who does what a command asks for as long as it runs: the owner of the data folder, and this
// process whenever there is none.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>

#include <boost/json/fwd.hpp>

#include "app/owner/owner_link.h"
#include "app/owner/process.h"
#include "app/data_source.h"
#include "base/result.h"

namespace quarry::cli {

// Used by one thread.
class StandingOwner {
public:
    // `place` outlives it. Once `stop` is asked for, nothing more is done.
    StandingOwner(const app::Workplace& place, std::stop_token stop)
        : place_(place), on_stop_(std::move(stop), [this] { stop_.request_stop(); }) {}
    ~StandingOwner() { stop_.request_stop(); }
    StandingOwner(const StandingOwner&) = delete;
    StandingOwner& operator=(const StandingOwner&) = delete;

    // What owner_methods.h names. It has to bear being repeated: an owner may leave in the middle of it.
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

    const app::Workplace& place_;
    std::stop_source stop_;
    std::stop_callback<std::function<void()>> on_stop_;
    std::unique_ptr<app::OwnerLink> client_;
    std::unique_ptr<Own> own_;
};

}  // namespace quarry::cli
