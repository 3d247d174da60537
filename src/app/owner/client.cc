#include "app/owner/client.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include "app/data_source.h"
#include "app/remote/store.h"

namespace quarry::app {

using namespace std::chrono_literals;

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr auto for_ever = std::chrono::milliseconds(-1);

int remaining_ms(std::chrono::milliseconds timeout, SteadyTime started) {
    if (timeout < 0ms) return -1;
    const auto rest = timeout - (std::chrono::steady_clock::now() - started);
    return static_cast<int>(
        std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(rest).count()));
}

}  // namespace

Result<OwnerClient> OwnerClient::connect(const DataFolder& folder, const std::string& version) {
    OwnerClient client(TRY(connect_to(folder.socket())));
    TRY(client.greet(version));
    return client;
}

Result<void> OwnerClient::greet(const std::string& version) {
    // Greetings are short enough to be taken at once, also by an owner that is stopped in a debugger.
    const auto sent = send({{"protocol", protocol_version}, {"version", version}});
    if (!sent) return fail(ErrorCode::not_found, sent.error().message);
    constexpr auto patience = 5s;
    const auto message = TRY(receive(patience));
    if (!message) return fail(ErrorCode::unavailable, "the owner of the data folder does not answer");
    owner_ = TRY(parse_greeting(*message));
    return {};
}

Result<void> OwnerClient::send(const json::object& message) {
    const std::string text = json::serialize(message);
    if (text.size() > longest_frame)
        return fail(ErrorCode::too_large, "this is more than can be said at once to the worker");
    const std::string bytes = frame(text);
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
        if (sent < 0 && errno != EINTR)
            return fail(ErrorCode::not_found, fmt::format("the worker has left ({})", std::strerror(errno)));
    }
    return {};
}

Result<std::optional<json::object>> OwnerClient::receive(std::chrono::milliseconds timeout) {
    const SteadyTime started = std::chrono::steady_clock::now();
    while (true) {
        if (const auto text = TRY(input_.next())) return TRY(parse_message(*text));
        pollfd wait{socket_.get(), POLLIN, 0};
        const int ready = ::poll(&wait, 1, remaining_ms(timeout, started));
        if (ready == 0) return std::nullopt;
        char buffer[65536];
        const ssize_t got = ready > 0 ? ::recv(socket_.get(), buffer, sizeof buffer, 0) : -1;
        if (got > 0) input_.add({buffer, static_cast<std::size_t>(got)});
        if (got == 0 || (got < 0 && errno != EINTR)) return fail(ErrorCode::not_found, "the worker has left");
    }
}

Result<json::value> OwnerClient::call(std::string_view method, json::object params) {
    was_heard_ = false;
    const std::int64_t id = ++last_id_;
    TRY(send({{"id", id}, {"method", method}, {"params", std::move(params)}}));
    was_heard_ = true;
    while (true) {
        auto message = receive(for_ever);
        if (!message)
            return fail(ErrorCode::unavailable,
                        fmt::format("the worker (process {}) ended before it answered. See what it did with: "
                                    "quarry status --list",
                                    owner_.process));
        json::object& answer = **message;
        if (const auto event = parse_event(answer)) events_.push_back(*event);
        if (!answer.contains("id") || answer.at("id") != id || answer.contains("event")) continue;
        if (const json::value* error = answer.if_contains("error"))
            return std::unexpected(parse_error(*error));
        return answer["result"];
    }
}

Result<void> OwnerClient::follow(std::optional<GroupId> group, Hears hears) {
    json::object params{{"pages", hears == Hears::pages}};
    if (group) params["group"] = number(*group);
    TRY(call("follow", std::move(params)));
    return {};
}

Result<std::optional<store::Event>> OwnerClient::next_event(std::chrono::milliseconds timeout) {
    if (!events_.empty()) {
        store::Event event = std::move(events_.front());
        events_.pop_front();
        return event;
    }
    const auto message = TRY(receive(timeout));
    return message ? parse_event(*message) : std::nullopt;
}

void OwnerClient::wait_until_left() {
    while (receive(for_ever)) {
    }
}

namespace {

std::string holder_of(const DataFolder& folder) {
    const auto holder = lock_holder(folder);
    return holder ? fmt::format("process {}", holder->process) : "another process";
}

// Nothing if both can work together; else what to do about it.
Result<void> agree(OwnerClient& client, const DataFolder& folder, const std::string& version) {
    const Greeting& owner = client.owner();
    const int age = compare_versions(owner.version, version);
    if (age >= 0 && owner.protocol == protocol_version) return {};
    if (age >= 0)
        return fail(
            ErrorCode::conflict,
            fmt::format("the data folder {} is in use by a newer quarry ({}, process {}). Use that one, "
                        "or another folder with --data",
                        folder.path, owner.version, owner.process));
    if (owner.role == OwnerRole::background) return fail(ErrorCode::not_found, "it is older");
    if (owner.protocol == protocol_version) return {};
    return fail(
        ErrorCode::conflict,
        fmt::format("the data folder {} is in use by an older quarry ({}, process {}), which runs in the "
                    "foreground. Stop it first, or use another folder with --data",
                    folder.path, owner.version, owner.process));
}

}  // namespace

Result<OwnerOrLock> reach_owner(const DataFolder& folder, const std::string& version, std::stop_token stop) {
    constexpr auto patience = 15s;
    auto deadline = std::chrono::steady_clock::now() + patience;
    while (!stop.stop_requested()) {
        auto client = OwnerClient::connect(folder, version);
        if (client) {
            const auto agreed = agree(*client, folder, version);
            if (agreed) return OwnerOrLock(*std::move(client));
            if (agreed.error().code != ErrorCode::not_found) return std::unexpected(agreed.error());
            // It finishes what is under way, which takes as long as the slowest page.
            if (client->call("handover")) client->wait_until_left();
            deadline = std::chrono::steady_clock::now() + patience;
        } else if (client.error().code != ErrorCode::not_found) {
            break;
        }
        auto lock = FolderLock::take(folder, version);
        if (lock) return OwnerOrLock(*std::move(lock));
        if (lock.error().code != ErrorCode::conflict) return std::unexpected(lock.error());
        if (std::chrono::steady_clock::now() > deadline) break;
        // Its owner is beginning, leaving, or a short command without a socket: milliseconds in each case.
        std::this_thread::sleep_for(2ms);
    }
    if (stop.stop_requested()) return fail(ErrorCode::interrupted, "interrupted");
    return fail(ErrorCode::conflict,
                fmt::format("{} uses the data folder {} and does not answer. Stop it, or use "
                            "another folder with --data",
                            holder_of(folder), folder.path));
}

Result<LinkOrLock> reach_owner(const DataSource& place, std::stop_token stop) {
    if (place.remote) return LinkOrLock(std::make_unique<RemoteOwner>(place.remote));
    auto reached = TRY(reach_owner(place.folder, place.version, std::move(stop)));
    if (auto* owner = std::get_if<OwnerClient>(&reached))
        return LinkOrLock(std::make_unique<OwnerClient>(std::move(*owner)));
    return LinkOrLock(std::get<FolderLock>(std::move(reached)));
}

Result<std::unique_ptr<OwnerLink>> connect_to_owner(const DataSource& place) {
    if (place.remote) return std::make_unique<RemoteOwner>(place.remote);
    return std::make_unique<OwnerClient>(TRY(OwnerClient::connect(place.folder, place.version)));
}

}  // namespace quarry::app
