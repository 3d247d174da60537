// What a server says about crawls, jobs and pages, as any JSON: what is understood survives being written and
// read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "model/json/records.h"
#include "store/records.h"

using namespace quarry;

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

// `write` of what `parse` understood has to be understood as the same.
template <typename Parse, typename Write>
void check(const boost::json::value& value, Parse parse, Write write) {
    const auto read = parse(value);
    if (!read) return;
    const auto record = write(*read);
    const auto again = parse(record);
    require(again.has_value());
    require(write(*again) == record);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    boost::system::error_code error;
    const boost::json::value value =
        boost::json::parse(std::string_view(reinterpret_cast<const char*>(data), size), error);
    if (error) return 0;
    const auto plain = [](const auto& record) { return record_of(record); };
    const auto salted = [](const auto& record) { return record_of(record, 1); };
    const auto filter = [](const auto& record) { return to_json(record); };
    check(value, parse_group, salted);
    check(value, parse_job, salted);
    check(value, parse_url, plain);
    check(value, parse_page, plain);
    check(value, parse_collection, plain);
    check(value, parse_session, plain);
    check(value, parse_session_day, plain);
    check(value, store::parse_outbox_counts, plain);
    check(value, store::parse_state_count, plain);
    check(value, store::parse_worker, plain);
    check(value, store::parse_slow_page, plain);
    check(value, store::parse_schedule, plain);
    check(value, store::parse_event, plain);
    check(value, store::parse_job_filter, filter);
    check(value, store::parse_page_filter, filter);
    return 0;
}
