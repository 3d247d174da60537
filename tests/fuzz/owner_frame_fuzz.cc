// What arrives on the owner's socket, as any bytes in any cut: messages come out as long as the stream is one
// of frames, and none is longer than allowed. Messages that are JSON are read as greetings, filters, errors
// and events, and what was understood survives being written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "app/owner/protocol.h"
#include "store/records.h"

using namespace quarry::app;

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

void read_message(const std::string& message) {
    boost::system::error_code error;
    const boost::json::value value = boost::json::parse(message, error);
    if (error) return;
    if (const auto greeting = parse_greeting(value))
        require(parse_greeting(to_json(*greeting))->version == greeting->version);
    if (const auto filter = quarry::store::parse_job_filter(value))
        require(to_json(*quarry::store::parse_job_filter(to_json(*filter))) == to_json(*filter));
    parse_error(value);
    if (const auto* object = value.if_object())
        if (const auto event = parse_event(*object)) require(parse_event(to_json(*event))->url == event->url);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t step = data[0] % 16 + 1;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    FrameReader reader;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        reader.add(bytes.substr(at, step));
        auto message = reader.next();
        for (; message && *message; message = reader.next()) {
            require((*message)->size() <= longest_frame);
            read_message(**message);
        }
        if (!message) break;
    }
    compare_versions(bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2));
    return 0;
}
