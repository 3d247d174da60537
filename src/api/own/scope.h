// What a caller may see and change: the one place where quarry's own API asks whose something is.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "api/api.h"
#include "api/routes.h"
#include "base/result.h"
#include "store/reader.h"

namespace quarry::api::own {

// The crawl that `id` names: the UUID that users see, or its number. `not_found` also for another's.
Result<Group> find_crawl(store::Reader& reader, const Call& call, std::string_view id);
// The same, of the path's first value.
Result<Group> find_crawl(store::Reader& reader, const Call& call);

// The job of that UUID or number, with its payload.
Result<Job> find_job(store::Reader& reader, const Call& call, std::string_view id);

// The filter, narrowed to what is the caller's. `not_found` if it names another's crawl.
Result<store::JobFilter> narrowed(store::Reader& reader, const Call& call, store::JobFilter filter);
// More than one where it is about all of the caller's collections.
Result<std::vector<store::PageFilter>> narrowed(store::Reader& reader, const Call& call,
                                                store::PageFilter filter);

// Each owner has collections of their own, by names that others may use too. These give records the names
// that the caller knows.
bool is_own_collection(const Call& call, std::string_view stored_name);
Group shown(const Call& call, Group group);
StoredPage shown(const Call& call, StoredPage page);
store::StateCount shown(const Call& call, store::StateCount count);
Collection shown(const Call& call, Collection collection);
// All that are the caller's, by the names that they know.
Result<std::vector<Collection>> own_collections(store::Reader& reader, const Call& call);
// Of a collection, or "" for all that are the caller's.
Result<store::OutboxCounts> own_outbox(store::Reader& reader, const Call& call, const std::string& collection,
                                       std::optional<GroupId> group);

bool is_own(const Call& call, const Session& session);
bool is_own(const Call& call, const store::Schedule& schedule);

// Has the owner of the data folder do what app/owner/methods.h of the application names, and answers with what it
// says.
void perform(Api& api, const Call& call, const std::string& method, const boost::json::object& params);
// The same where it may take long, because it is about many.
void perform_slowly(Api& api, const Call& call, const std::string& method, boost::json::object params);

// The same for pages: the counts of all filters together.
void perform_slowly(Api& api, const Call& call, const std::string& method,
                    std::vector<store::PageFilter> filters);

// Answers with the value, or with the error.
void answer(const Call& call, Result<boost::json::value> value);

}  // namespace quarry::api::own
