#include "db/redis/redis_listener.h"

#include <hiredis/hiredis.h>
#include <poll.h>

namespace quarry::db {

Result<RedisListener> RedisListener::open(const RedisConfig& config, const std::string& channel) {
    RedisConnection connection = TRY(RedisConnection::open(config));
    TRY(connection.run({"SUBSCRIBE", channel}));
    return RedisListener(std::move(connection));
}

// What the reader has in whole: ["message", channel, text].
Result<std::vector<std::string>> RedisListener::take_messages() {
    std::vector<std::string> messages;
    while (true) {
        void* reply = nullptr;
        if (redisReaderGetReply(connection_.context()->reader, &reply) != REDIS_OK)
            return std::unexpected(connection_.lost());
        if (!reply) return messages;
        const RedisAnswer answer(static_cast<redisReply*>(reply));
        if (answer[0].text() == "message") messages.push_back(answer[2].string());
    }
}

Result<std::vector<std::string>> RedisListener::wait(std::chrono::milliseconds at_most, int wake_descriptor) {
    if (!connection_.is_open()) return std::unexpected(connection_.lost());
    std::vector<std::string> messages = TRY(take_messages());
    if (!messages.empty()) return messages;
    if (connection_.has_more()) at_most = std::chrono::milliseconds(0);
    pollfd descriptors[] = {{.fd = connection_.context()->fd, .events = POLLIN, .revents = 0},
                            {.fd = wake_descriptor, .events = POLLIN, .revents = 0}};
    (void)poll(descriptors, wake_descriptor < 0 ? 1 : 2, static_cast<int>(at_most.count()));
    if (descriptors[0].revents == 0 && !connection_.has_more()) return messages;
    if (!connection_.read_more()) return std::unexpected(connection_.lost());
    return take_messages();
}

}  // namespace quarry::db
