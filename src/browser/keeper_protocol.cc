#include "browser/supervisor.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

namespace quarry::browser {
namespace {

namespace json = boost::json;

constexpr std::size_t max_message_bytes = 64 * 1024;
constexpr std::size_t max_descriptors = 64;

Result<void> send_message(int socket, const std::string& text, const std::vector<int>& descriptors) {
    iovec part{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
    std::array<char, CMSG_SPACE(sizeof(int) * max_descriptors)> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        const std::size_t bytes = sizeof(int) * descriptors.size();
        message.msg_control = room.data();
        message.msg_controllen = CMSG_SPACE(bytes);
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(bytes);
        std::memcpy(CMSG_DATA(header), descriptors.data(), bytes);
    }
    if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) return system_error("sendmsg");
    return {};
}

struct Received {
    json::object message{};
    std::vector<Descriptor> descriptors{};
};

Result<Received> receive_message(int socket) {
    std::string text(max_message_bytes, '\0');
    iovec part{.iov_base = text.data(), .iov_len = text.size()};
    std::array<char, CMSG_SPACE(sizeof(int) * max_descriptors)> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return system_error("recvmsg");
    if (got == 0) return fail(ErrorCode::unavailable, "the other side is gone");
    Received received;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        std::vector<int> numbers(count);
        std::memcpy(numbers.data(), CMSG_DATA(header), count * sizeof(int));
        for (const int number : numbers) received.descriptors.emplace_back(number);
    }
    boost::system::error_code problem;
    json::value value = json::parse(std::string_view(text.data(), static_cast<std::size_t>(got)), problem);
    if (problem || !value.is_object()) return fail(ErrorCode::corrupt, "a message that makes no sense");
    received.message = std::move(value.get_object());
    return received;
}

}  // namespace

std::unexpected<Error> system_error(std::string_view what) {
    return fail(ErrorCode::unavailable, fmt::format("{}: {}", what, std::strerror(errno)));
}

Result<void> send_request(int socket, const KeeperRequest& request) {
    const json::object message{{"command", json::value_from(request.command)},
                               {"folder", request.folder},
                               {"user", request.user},
                               {"group", request.group},
                               {"own_network", request.own_network},
                               {"listeners", request.listeners},
                               {"memory_bytes", request.memory_bytes}};
    return send_message(socket, json::serialize(message), {});
}

Result<KeeperRequest> receive_request(int socket) {
    const Received received = TRY(receive_message(socket));
    const json::object& message = received.message;
    try {
        return KeeperRequest{.command = json::value_to<std::vector<std::string>>(message.at("command")),
                             .folder = json::value_to<std::string>(message.at("folder")),
                             .user = message.at("user").to_number<std::int64_t>(),
                             .group = message.at("group").to_number<std::int64_t>(),
                             .own_network = message.at("own_network").as_bool(),
                             .listeners = message.at("listeners").to_number<int>(),
                             .memory_bytes = message.at("memory_bytes").to_number<std::uint64_t>()};
    } catch (const std::exception& problem) {
        return fail(ErrorCode::corrupt, problem.what());
    }
}

Result<void> send_answer(int socket, const KeeperAnswer& answer) {
    std::vector<int> numbers;
    for (const Descriptor& listener : answer.listeners) numbers.push_back(listener.get());
    const json::object message{{"error", answer.error}, {"ports", json::value_from(answer.ports)}};
    return send_message(socket, json::serialize(message), numbers);
}

Result<KeeperAnswer> receive_answer(int socket, int timeout_ms) {
    pollfd waiting{.fd = socket, .events = POLLIN, .revents = 0};
    int ready = 0;
    while ((ready = poll(&waiting, 1, timeout_ms)) < 0 && errno == EINTR) {
    }
    if (ready <= 0) return fail(ErrorCode::timeout, "the keeper does not answer");
    Received received = TRY(receive_message(socket));
    try {
        KeeperAnswer answer{
            .error = json::value_to<std::string>(received.message.at("error")),
            .ports = json::value_to<std::vector<std::uint16_t>>(received.message.at("ports"))};
        answer.listeners = std::move(received.descriptors);
        return answer;
    } catch (const std::exception& problem) {
        return fail(ErrorCode::corrupt, problem.what());
    }
}

}  // namespace quarry::browser
