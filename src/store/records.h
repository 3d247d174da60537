// What a store and its reader are asked and what they answer, as JSON without loss: filters, counts,
// workers, schedules, events. model/json/records.h has the nouns themselves.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "store/reader.h"
#include "store/store.h"

namespace quarry::store {

// Which jobs and which pages an operation is about, as JSON.

// Only what narrows: an empty filter is an empty object.
boost::json::object to_json(const JobFilter& filter);
// `invalid_argument` also for a name that is not known: leaving a part out would widen the filter.
Result<JobFilter> parse_job_filter(const boost::json::value& json);

// {"collection", "urls", "host", "path_prefix", "site", "group"}. Keys are not said.
boost::json::object to_json(const PageFilter& filter);
Result<PageFilter> parse_page_filter(const boost::json::value& json);  // as for jobs

// What a reader is asked and what it answers, as JSON without loss: model/json/records.h goes on here.

boost::json::object record_of(const OutboxCounts& counts);
Result<OutboxCounts> parse_outbox_counts(const boost::json::value& record);

boost::json::object record_of(const StateCount& count);
Result<StateCount> parse_state_count(const boost::json::value& record);

boost::json::object record_of(const WorkerInfo& worker);
Result<WorkerInfo> parse_worker(const boost::json::value& record);

boost::json::object record_of(const SlowPage& page);
Result<SlowPage> parse_slow_page(const boost::json::value& record);

// Its job and its group as they are kept (job_json.h).
boost::json::object record_of(const Schedule& schedule);
Result<Schedule> parse_schedule(const boost::json::value& record);

// The names of Event::What: "page", "group_changed" …
std::string_view name_of(Event::What what);
bool read_name(std::string_view name, Event::What& target);
boost::json::object record_of(const Event& event);
Result<Event> parse_event(const boost::json::value& record);

}  // namespace quarry::store
