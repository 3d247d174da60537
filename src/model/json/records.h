// The nouns as JSON without loss: what quarry's own API says and its command line reads over a server.
// records_json.h has what is shown to people. `number` is a row's own number, by which lists go on; the ids
// that users see are made of it.
//
// Reading fails with `corrupt`, naming the field. A field that is missing has its default, one that is not
// known is ignored, so that two versions can talk.
#pragma once

#include <cstdint>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "model/access.h"
#include "model/collection.h"
#include "model/frontier.h"
#include "model/group.h"
#include "model/job.h"
#include "model/metrics.h"
#include "model/stored_page.h"

namespace quarry {

boost::json::object record_of(const Timings& timings);
Result<Timings> parse_timings(const boost::json::value& record);

// With `crawl_id`, `status`, `url`, `progress` and the counters as the command line shows them.
boost::json::object record_of(const Group& group, std::uint64_t salt);
Result<Group> parse_group(const boost::json::value& record);

// With `id`, as users see it.
boost::json::object record_of(const Job& job, std::uint64_t salt);
Result<Job> parse_job(const boost::json::value& record);

boost::json::object record_of(const FrontierUrl& url);
Result<FrontierUrl> parse_url(const boost::json::value& record);

// `content` only if it was read along.
boost::json::object record_of(const StoredPage& page);
Result<StoredPage> parse_page(const boost::json::value& record);

boost::json::object record_of(const Collection& collection);
Result<Collection> parse_collection(const boost::json::value& record);

boost::json::object record_of(const Session& session);
Result<Session> parse_session(const boost::json::value& record);

boost::json::object record_of(const SessionDay& day);
Result<SessionDay> parse_session_day(const boost::json::value& record);

// With `id` and `crawl_id`, as users see them.
boost::json::object record_of(const Operation& operation, std::uint64_t salt);

boost::json::object record_of(const OperationDay& day);

boost::json::object record_of(const RequestRecord& request);
Result<RequestRecord> parse_request_record(const boost::json::value& record);

boost::json::object record_of(const RequestDay& day);

}  // namespace quarry
