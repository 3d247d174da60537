#include "servers/imitation_conduct.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace quarry::test {

namespace json = boost::json;

ImitationConduct::Turn::Turn(ImitationConduct& conduct, Connection& connection) : conduct_(conduct) {
    const int at_once = ++conduct.at_once_;
    int most = conduct.most_at_once_;
    while (at_once > most && !conduct.most_at_once_.compare_exchange_weak(most, at_once)) {
    }
    fault_ = conduct.faults.take();
    if (const auto latency = conduct.latency.load(); latency.count() > 0) connection.pause(latency);
}

std::vector<std::string> ImitationConduct::wrong_requests() {
    return wrong_.with([](const std::vector<std::string>& wrong) { return wrong; });
}

void ImitationConduct::complain(const ServerRequest& request, const std::string& about) {
    wrong_.with([&](std::vector<std::string>& wrong) {
        wrong.push_back(fmt::format("{} {}: {}", request.method, request.target, about));
    });
}

void ImitationConduct::answer(Connection& connection, const json::value& value) {
    ++served_;
    respond_json(connection, 200, value);
}

void ImitationConduct::add_control(HostileServer& server) {
    server.on("/imitation/faults", [this](const ServerRequest& request, Connection& connection) {
        const json::value wish = parse_body(request).value_or(json::object{});
        if (const json::value* next = wish.as_object().if_contains("next"))
            for (const json::value& name : next->as_array())
                faults.next(fault_named(name.as_string()).value_or(Fault::none));
        if (const json::value* always = wish.as_object().if_contains("always"))
            faults.always(fault_named(always->as_string()).value_or(Fault::none));
        respond_json(connection, 200, true);
    });
    server.on("/imitation/counters", [this](const ServerRequest&, Connection& connection) {
        const json::object counters{{"served", served()},
                                    {"most_at_once", most_at_once()},
                                    {"wrong_requests", json::value_from(wrong_requests())}};
        respond_json(connection, 200, counters);
    });
}

void respond_json(Connection& connection, int status, const json::value& value) {
    connection.respond(status, {{"Content-Type", "application/json"}}, json::serialize(value));
}

std::string unknown_field(const json::object& object, std::initializer_list<std::string_view> known) {
    for (const auto& field : object)
        if (std::ranges::find(known, std::string_view(field.key())) == known.end()) return field.key();
    return {};
}

std::string bearer_key(const ServerRequest& request) {
    constexpr std::string_view scheme = "Bearer ";
    const std::string_view value = header_value(request.headers, "Authorization");
    return value.starts_with(scheme) ? std::string(value.substr(scheme.size())) : std::string();
}

std::optional<json::value> parse_body(const ServerRequest& request) {
    json::error_code error;
    json::value value = json::parse(request.body, error);
    if (error) return std::nullopt;
    return value;
}

}  // namespace quarry::test
