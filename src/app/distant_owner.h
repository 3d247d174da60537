// A data folder that another process works on, seen from one that only asks: `quarry serve --workers 0`. If
// nobody owns it for the moment, what is asked for is done here and waits for the next worker.
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/json/fwd.hpp>

#include "app/services/search_service.h"
#include "app/data_source.h"
#include "base/guarded.h"
#include "base/observers.h"
#include "base/result.h"
#include "store/store.h"

namespace quarry::app {

class DistantOwner {
public:
    // `place` outlives it.
    explicit DistantOwner(const Workplace& place);

    // What owner_methods.h names. Any thread, as all of this.
    Result<boost::json::value> perform(std::string_view method, boost::json::object params);
    Result<search::SearchAnswer> search(const search::SearchRequest& request);

    // As Store::observe. Events that fell into a time without an owner are not told, but that of a crawl
    // which ended then is.
    std::shared_ptr<void> observe(store::Store::Observer observer);

private:
    void follow(std::stop_token stop);
    void follow(OwnerClient& owner, std::stop_token stop);
    void tell(std::span<const store::Event> events);
    // Of all crawls that are over: who waits for one hears of it.
    void tell_of_those_over();

    const Workplace& place_;
    // Each is used for one search at a time; those that nobody uses wait here.
    Guarded<std::vector<std::unique_ptr<SearchService>>> searches_;
    Observers<std::span<const store::Event>> observers_;
    std::jthread follower_;  // the last: it uses all of the above
};

}  // namespace quarry::app
