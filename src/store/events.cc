#include "store/events.h"

#include <algorithm>
#include <map>

namespace quarry::store {

std::vector<Event> gathered(const std::vector<Event>& events, std::size_t most) {
    std::map<GroupId, Event> groups;
    for (const Event& event : events) {
        if (!event.group) continue;
        const Event sign{
            .what = Event::What::group_changed, .group = event.group, .state = JobState::running};
        const auto [entry, is_new] = groups.try_emplace(*event.group, sign);
        if (event.what == Event::What::group_changed) entry->second = event;
    }
    std::vector<Event> few;
    for (const auto& [id, event] : groups) few.push_back(event);
    std::ranges::stable_partition(few, [](const Event& event) { return !goes_on(event.state); });
    if (few.size() > most) few.resize(most);
    return few;
}

}  // namespace quarry::store
