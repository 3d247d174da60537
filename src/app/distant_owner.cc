#include "app/distant_owner.h"

#include <boost/json.hpp>

#include "base/pause.h"
#include "base/thread_name.h"

namespace quarry::app {
namespace {

constexpr std::chrono::milliseconds between_looks{250};
// More do not end while there is nobody to end them.
constexpr int most_over = 1'000;

}  // namespace

DistantOwner::DistantOwner(const Workplace& place)
    : place_(place), follower_([this](std::stop_token stop) {
          name_this_thread("follow owner");
          follow(stop);
      }) {}

Result<boost::json::value> DistantOwner::perform(std::string_view method, boost::json::object params) {
    return TRY(ask(place_, method, std::move(params))).answer;
}

Result<search::SearchAnswer> DistantOwner::search(const search::SearchRequest& request) {
    auto service = searches_.with([](auto& free) -> std::unique_ptr<SearchService> {
        if (free.empty()) return nullptr;
        auto last = std::move(free.back());
        free.pop_back();
        return last;
    });
    if (!service) service = std::make_unique<SearchService>(place_);
    auto answer = service->search(request);
    searches_.with([&](auto& free) { free.push_back(std::move(service)); });
    return answer;
}

std::shared_ptr<void> DistantOwner::observe(store::Store::Observer observer) {
    return observers_.add(std::move(observer));
}

void DistantOwner::follow(std::stop_token stop) {
    while (!stop.stop_requested()) {
        auto owner = OwnerClient::connect(place_.folder, place_.version);
        if (owner && owner->follow(std::nullopt, Hears::changes)) follow(*owner, stop);
        if (!stop.stop_requested()) pause_for(between_looks, stop);
    }
}

void DistantOwner::follow(OwnerClient& owner, std::stop_token stop) {
    tell_of_those_over();
    while (!stop.stop_requested()) {
        const auto event = owner.next_event(between_looks);
        if (!event) return;
        if (*event) tell({&**event, 1});
    }
}

void DistantOwner::tell_of_those_over() {
    const auto reader = open_reader(place_);
    if (!reader) return;
    const auto groups = (*reader)->groups(
        {.states = {JobState::completed, JobState::failed, JobState::cancelled}, .limit = most_over});
    if (!groups) return;
    std::vector<store::Event> events;
    for (const Group& group : *groups)
        events.push_back(
            {.what = store::Event::What::group_changed, .group = group.id, .state = group.state});
    tell(events);
}

void DistantOwner::tell(std::span<const store::Event> events) {
    observers_.tell(events);
}

}  // namespace quarry::app
