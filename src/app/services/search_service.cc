#include "app/services/search_service.h"

#include "app/owner/reach_owner.h"
#include "search/json.h"

namespace quarry::app {

Result<search::SearchAnswer> SearchService::search(const search::SearchRequest& request) {
    if (!library_) {
        auto answer = TRY(ask_owner(request));
        if (answer) return *std::move(answer);
        library_ = TRY(Library::open_to_read(place_));
    }
    return library_->search(request);
}

// Nothing if there is no owner, or it has just left.
Result<std::optional<search::SearchAnswer>> SearchService::ask_owner(const search::SearchRequest& request) {
    if (!owner_) {
        auto connected = connect_to_owner(place_);
        if (!connected) return std::nullopt;
        owner_ = *std::move(connected);
    }
    const auto answer = owner_->call("search", search::to_json(request));
    if (answer) return TRY(search::parse_answer(*answer));
    // An owner of before this method does not know it; its index can be read beside it.
    const bool can_be_read_here =
        !place_.remote && (!owner_->was_heard() || answer.error().code == ErrorCode::unsupported);
    owner_.reset();
    if (can_be_read_here) return std::nullopt;
    return std::unexpected(answer.error());
}

}  // namespace quarry::app
