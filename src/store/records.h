// What a reader is asked and what it answers, as JSON without loss: model/json/records.h goes on here.
#pragma once

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "store/reader.h"

namespace quarry::store {

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
