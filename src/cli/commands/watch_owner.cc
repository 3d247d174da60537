#include "cli/commands/watch_owner.h"

#include <boost/json.hpp>

#include "app/owner/app_background.h"
#include "app/owner/reach_owner.h"

namespace quarry::cli {

namespace json = boost::json;
using namespace std::chrono_literals;

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

}  // namespace quarry::cli
