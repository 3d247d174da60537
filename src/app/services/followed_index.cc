#include "app/services/followed_index.h"

#include <fmt/format.h>

#include "app/services/set_aside.h"

namespace quarry::app {
namespace {

Result<std::unique_ptr<index::EmbeddedIndex>> open_replica(const FollowedIndexConfig& config) {
    auto replica = index::open_embedded_index({.path = config.replica});
    if (replica || replica.error().code != ErrorCode::corrupt) return replica;
    if (config.log)
        config.log(fmt::format("index: index set aside as {}.damaged: {}. It is read again from PostgreSQL",
                               config.replica, replica.error().message));
    TRY(set_aside(config.replica));
    return index::open_embedded_index({.path = config.replica});
}

}  // namespace

Result<std::unique_ptr<FollowedIndex>> FollowedIndex::open(const FollowedIndexConfig& config) {
    std::unique_ptr<FollowedIndex> opened(new FollowedIndex());
    index::SharedIndexConfig shared{.database = config.database};
    if (!config.replica.empty()) {
        opened->replica_ = TRY(open_replica(config));
        opened->spaces_ = std::make_unique<work::Spaces>(*opened->replica_);
        shared.replica = opened->replica_.get();
        shared.prepare = work::fold_into(*opened->spaces_);
        if (config.follows) shared.freshness = index::Freshness::followed;
    }
    opened->index_ = TRY(index::SharedIndex::open(shared));
    if (config.replica.empty() || !config.follows) return opened;
    opened->follower_ = TRY(work::IndexFollower::open({.follower = *opened->index_->follower(),
                                                       .spaces = *opened->spaces_,
                                                       .replica = *opened->replica_,
                                                       .database = config.database,
                                                       .log = config.log}));
    return opened;
}

Result<void> FollowedIndex::begin(store::Store& store) {
    const std::uint64_t source = TRY(index_->log().source());
    if (source == store.salt()) return {};
    // In this order: if it is interrupted in between, it begins again.
    TRY(store.index_again({}));
    return index_->log().set_source(store.salt());
}

}  // namespace quarry::app
