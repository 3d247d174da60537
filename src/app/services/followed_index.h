// An index in PostgreSQL as one process has it: with the replica that answers here, its spaces, and whoever
// keeps both up to date.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/postgres/connection.h"
#include "index/embedded/embedded_index.h"
#include "index/postgres/shared_index.h"
#include "store/store.h"
#include "work/indexing/index_follower.h"
#include "work/indexing/builtin_spaces.h"

namespace quarry::app {

struct FollowedIndexConfig {
    db::PgConfig database{};
    std::string replica{};  // the path of index.db; "": nothing is searched here
    // A thread follows while it is open. Without, each question first looks for what is new, and no space
    // is fitted.
    bool follows = true;
    std::function<void(std::string_view)> log{};
};

class FollowedIndex {
public:
    // A replica that is damaged is set aside, and read again from PostgreSQL: the log says so. Whoever opens
    // it holds the lock of the replica's folder.
    static Result<std::unique_ptr<FollowedIndex>> open(const FollowedIndexConfig& config);

    // If no pages of this store were ever asked for, all go into its outbox.
    Result<void> begin(store::Store& store);

    index::SharedIndex& index() { return *index_; }
    work::Spaces* spaces() { return spaces_.get(); }             // nullptr without a replica
    work::IndexFollower* follower() { return follower_.get(); }  // nullptr if nobody follows

private:
    FollowedIndex() = default;

    // The last one goes first.
    std::unique_ptr<index::EmbeddedIndex> replica_;
    std::unique_ptr<work::Spaces> spaces_;
    std::unique_ptr<index::SharedIndex> index_;
    std::unique_ptr<work::IndexFollower> follower_;
};

}  // namespace quarry::app
