#include "db/redis/connection.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace quarry::db {

bool RedisValue::is_nil() const {
    return !reply_ || reply_->type == REDIS_REPLY_NIL;
}

bool RedisValue::is_error() const {
    return reply_ && reply_->type == REDIS_REPLY_ERROR;
}

bool RedisValue::is_text() const {
    return reply_ && (reply_->type == REDIS_REPLY_STRING || reply_->type == REDIS_REPLY_STATUS);
}

std::int64_t RedisValue::integer() const {
    if (!reply_) return 0;
    if (reply_->type == REDIS_REPLY_INTEGER) return reply_->integer;
    if (!is_text()) return 0;
    std::int64_t number = 0;
    const std::string_view digits = text();
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

std::string_view RedisValue::text() const {
    if (!is_text() && !is_error()) return {};
    return {reply_->str, static_cast<std::size_t>(reply_->len)};
}

std::size_t RedisValue::size() const {
    return reply_ && reply_->type == REDIS_REPLY_ARRAY ? reply_->elements : 0;
}

RedisValue RedisValue::operator[](std::size_t index) const {
    return index < size() ? RedisValue(reply_->element[index]) : RedisValue();
}

void RedisAnswer::Free::operator()(redisReply* reply) const {
    freeReplyObject(reply);
}

namespace {

// A cut network is noticed in about as many seconds as these say together.
constexpr int idle_before_probe = 5, probe_interval = 3, probes = 3;
constexpr int unanswered_milliseconds = 15'000;

timeval timeval_of(std::chrono::milliseconds time) {
    return {.tv_sec = time.count() / 1'000, .tv_usec = time.count() % 1'000 * 1'000};
}

void watch_for_silence(int socket) {
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_before_probe, sizeof idle_before_probe);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &probe_interval, sizeof probe_interval);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_milliseconds,
               sizeof unanswered_milliseconds);
}

Error cannot_reach(const std::string& place, std::string_view why) {
    return {ErrorCode::unavailable,
            fmt::format("cannot reach {}: {}. Check that it runs and that the address is right", place, why)};
}

}  // namespace

void RedisConnection::Close::operator()(redisContext* context) const {
    redisFree(context);
}

Result<RedisConnection> RedisConnection::open(const RedisConfig& config) {
    const RedisAddress address = TRY(parse_redis_url(config.url));
    RedisConnection connection;
    connection.place_ = address.place();
    connection.context_.reset(
        redisConnectWithTimeout(address.host.c_str(), address.port, timeval_of(config.connect_timeout)));
    redisContext* context = connection.context_.get();
    if (!context) return std::unexpected(cannot_reach(connection.place_, "out of memory"));
    if (context->err) return std::unexpected(cannot_reach(connection.place_, context->errstr));
    watch_for_silence(context->fd);
    redisSetTimeout(context, timeval_of(config.answer_timeout));
    if (address.is_encrypted) connection.tls_ = TRY(RedisTls::begin(context->fd, address));
    TRY(connection.log_in(address));
    return connection;
}

Result<void> RedisConnection::log_in(const RedisAddress& address) {
    if (!address.password.empty() && address.user.empty()) TRY(run({"AUTH", address.password}));
    if (!address.user.empty()) TRY(run({"AUTH", address.user, address.password}));
    TRY(run({"CLIENT", "SETNAME", "quarry"}));
    if (address.database != 0) TRY(run({"SELECT", std::to_string(address.database)}));
    return {};
}

Error RedisConnection::lost() {
    std::string why = "the connection is closed";
    if (context_) {
        why = context_->err == REDIS_ERR_IO ? std::strerror(errno) : context_->errstr;
        if (context_->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK))
            why = "it does not answer";
        if (tls_ && !context_->err) why = tls_->trouble();
        tls_.reset();
        context_.reset();
    }
    return {ErrorCode::unavailable,
            fmt::format("lost the connection to {}: {}. It is tried again by itself", place_, why)};
}

Error RedisConnection::error_of(std::string_view message, const std::string& place) {
    const std::string_view code = message.substr(0, message.find(' '));
    if (code == "NOAUTH" || code == "WRONGPASS" || code == "NOPERM" || message.starts_with("ERR AUTH") ||
        message.starts_with("ERR invalid password")) {
        return {ErrorCode::refused,
                fmt::format("{} refuses: {}. Check user and password in the URL", place, message)};
    }
    if (code == "OOM") {
        return {
            ErrorCode::unavailable,
            fmt::format("{} has no memory left: raise maxmemory, or clear old jobs ({})", place, message)};
    }
    if (code == "LOADING" || code == "BUSY" || code == "READONLY" || code == "MISCONF" ||
        code == "MASTERDOWN" || code == "TRYAGAIN" || code == "NOREPLICAS") {
        return {ErrorCode::unavailable, fmt::format("{} cannot do it now: {}", place, message)};
    }
    return {ErrorCode::corrupt, fmt::format("{} answered: {}", place, message)};
}

bool RedisConnection::append(std::span<const std::string_view> command) {
    if (!context_) return false;
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string_view part : command) {
        texts.push_back(part.data() ? part.data() : "");
        lengths.push_back(part.size());
    }
    const int count = static_cast<int>(texts.size());
    if (!tls_) return redisAppendCommandArgv(context_.get(), count, texts.data(), lengths.data()) == REDIS_OK;
    char* bytes = nullptr;
    const int size = redisFormatCommandArgv(&bytes, count, texts.data(), lengths.data());
    if (size > 0) unsent_.append(bytes, static_cast<std::size_t>(size));
    redisFreeCommand(bytes);
    return size > 0;
}

bool RedisConnection::send_appended() {
    if (!tls_) {
        int is_done = 0;
        while (!is_done)
            if (redisBufferWrite(context_.get(), &is_done) != REDIS_OK) return false;
        return true;
    }
    const std::string bytes = std::exchange(unsent_, {});
    return bytes.empty() || tls_->write(bytes);
}

bool RedisConnection::read_more() {
    if (!tls_) return redisBufferRead(context_.get()) == REDIS_OK;
    std::array<char, 16 * 1024> buffer;
    const std::size_t got = tls_->read(buffer);
    return got > 0 && redisReaderFeed(context_->reader, buffer.data(), got) == REDIS_OK;
}

Result<RedisAnswer> RedisConnection::next_answer() {
    if (!context_ || !send_appended()) return std::unexpected(lost());
    while (true) {
        void* reply = nullptr;
        if (redisReaderGetReply(context_->reader, &reply) != REDIS_OK) return std::unexpected(lost());
        if (reply) return RedisAnswer(static_cast<redisReply*>(reply));
        if (!read_more()) return std::unexpected(lost());
    }
}

Result<RedisAnswer> RedisConnection::run(std::span<const std::string_view> command) {
    if (!append(command)) return std::unexpected(lost());
    RedisAnswer answer = TRY(next_answer());
    if (answer.value().is_error()) return std::unexpected(error_of(answer.value().text(), place_));
    return answer;
}

Result<std::vector<RedisAnswer>> RedisConnection::run_all(std::span<const Command> commands) {
    for (const Command& command : commands) {
        if (!append(command)) return std::unexpected(lost());
    }
    std::vector<RedisAnswer> answers;
    for (std::size_t count = 0; count < commands.size(); ++count) answers.push_back(TRY(next_answer()));
    return answers;
}

Result<std::string> RedisScript::hash(RedisConnection& connection) {
    std::string known = hash_.with([](const std::string& hash) { return hash; });
    if (!known.empty()) return known;
    known = TRY(connection.run({"SCRIPT", "LOAD", text_})).value().string();
    hash_.with([&](std::string& hash) { hash = known; });
    return known;
}

Result<RedisAnswer> RedisScript::run(RedisConnection& connection,
                                     std::span<const std::string_view> arguments) {
    const std::string name = TRY(hash(connection));
    RedisConnection::Command command = {"EVALSHA", name, "0"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const RedisConnection::Command commands[] = {command};
    auto answers = TRY(connection.run_all(commands));
    if (answers[0].value().is_error() && answers[0].value().text().starts_with("NOSCRIPT")) {
        // The server was restarted, or its scripts were flushed.
        command[0] = "EVAL";
        command[1] = text_;
        return connection.run(command);
    }
    if (answers[0].value().is_error())
        return std::unexpected(RedisConnection::error_of(answers[0].value().text(), connection.place()));
    return std::move(answers[0]);
}

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
