#include "fetch/pdf/pdf.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <boost/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"

namespace quarry::fetch {

namespace {

template <typename Number>
bool take_number(std::string_view& line, Number& number) {
    const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (problem != std::errc()) return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (line.starts_with(' ')) line.remove_prefix(1);
    return true;
}

}  // namespace

std::string PdfRequest::header() const {
    return fmt::format("{} {} {}\n", cpu_seconds, memory_bytes, pages);
}

std::optional<PdfRequest> PdfRequest::parse(std::string_view input) {
    const std::size_t end = input.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    PdfRequest request{.pdf = input.substr(end + 1)};
    std::string_view line = input.substr(0, end);
    const bool is_complete = take_number(line, request.cpu_seconds) &&
                             take_number(line, request.memory_bytes) && take_number(line, request.pages) &&
                             line.empty();
    return is_complete ? std::optional(request) : std::nullopt;
}

namespace {

using Clock = std::chrono::steady_clock;

std::unexpected<Error> system_error(std::string_view what) {
    return fail(ErrorCode::unavailable, fmt::format("cannot be read: {}: {}", what, std::strerror(errno)));
}

// A process that is killed and reaped when its owner goes, whatever happened to the owner.
class Child {
public:
    explicit Child(pid_t id) : id_(id) {}
    Child(Child&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Child& operator=(Child&&) = delete;
    ~Child() { end(); }

    // Kills it, unless it is gone by itself, and gives the status that waitpid reports. A process that has
    // begun to exit keeps its own status.
    std::optional<int> end() {
        if (id_ < 0) return std::nullopt;
        const pid_t id = std::exchange(id_, -1);
        kill(id, SIGKILL);
        int status = 0;
        while (waitpid(id, &status, 0) < 0) {
            if (errno != EINTR) return std::nullopt;
        }
        return status;
    }

private:
    pid_t id_;
};

// The request as a file in memory. The child reads it at its own pace, so nobody here has to feed a pipe, and
// a child that dies early costs no SIGPIPE.
Result<Descriptor> request_file(const PdfRequest& request) {
    Descriptor file(memfd_create("pdf", MFD_CLOEXEC));
    if (!file.is_open()) return system_error("memfd_create");
    const std::string header = request.header();
    for (std::string_view rest : {std::string_view(header), request.pdf}) {
        while (!rest.empty()) {
            const ssize_t written = write(file.get(), rest.data(), rest.size());
            if (written < 0 && errno != EINTR) return system_error("write");
            if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    if (lseek(file.get(), 0, SEEK_SET) < 0) return system_error("lseek");
    return file;
}

struct Started {
    Child child;
    Descriptor output;
};

// posix_spawn neither copies our memory nor runs our code in the child, so other threads may do as they like.
Result<Started> start_child(const std::string& program, const Descriptor& input) {
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return system_error("pipe");
    Descriptor read_end(pipe_ends[0]), write_end(pipe_ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    std::string name = "quarry", command(pdf_child_command), locale = "LC_ALL=C.UTF-8";
    char* const arguments[] = {name.data(), command.data(), nullptr};
    char* const environment[] = {locale.data(), nullptr};  // nothing of ours is the child's business
    pid_t id = -1;
    const int problem = posix_spawn(&id, program.c_str(), &actions, nullptr, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (problem != 0) {
        errno = problem;
        return system_error("posix_spawn " + program);
    }
    return Started{Child(id), std::move(read_end)};
}

enum class Ending { finished, too_slow, too_much };

// Reads until the child closes its output, the time is over or there is too much.
Result<Ending> collect(const Descriptor& output, const PdfLimits& limits, std::string& text) {
    const auto deadline = Clock::now() + limits.wall_time;
    std::array<char, 64 * 1024> buffer;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return Ending::too_slow;
        pollfd waiting{.fd = output.get(), .events = POLLIN, .revents = 0};
        const int ready = poll(&waiting, 1, static_cast<int>(std::min<long>(left, 60'000)));
        if (ready < 0 && errno != EINTR) return system_error("poll");
        if (ready <= 0) continue;
        const ssize_t got = read(output.get(), buffer.data(), buffer.size());
        if (got < 0 && errno != EINTR) return system_error("read");
        if (got == 0) return Ending::finished;
        if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > limits.output_bytes) return Ending::too_much;
    }
}

std::unexpected<Error> too_slow(std::chrono::seconds time) {
    return fail(ErrorCode::timeout, fmt::format("took longer than {} s to read", time.count()));
}

// Why a child that gave no answer ended.
std::unexpected<Error> explain(std::optional<int> status, const PdfLimits& limits) {
    if (status && WIFSIGNALED(*status)) {
        const int signal = WTERMSIG(*status);
        if (signal == SIGXCPU || signal == SIGKILL) return too_slow(limits.cpu_time);
        return fail(ErrorCode::corrupt, "is damaged (reading it crashed the reader)");
    }
    switch (status ? static_cast<PdfExit>(WEXITSTATUS(*status)) : PdfExit::failed) {
        case PdfExit::out_of_memory:
            return fail(ErrorCode::too_large,
                        fmt::format("needs more than {} MB to read", limits.memory_bytes >> 20));
        case PdfExit::encrypted: return fail(ErrorCode::unsupported, "is encrypted");
        case PdfExit::damaged: return fail(ErrorCode::corrupt, "is damaged");
        case PdfExit::not_confined:
            return fail(ErrorCode::unavailable,
                        "cannot be read: this system does not let the reader be confined (seccomp)");
        default: return fail(ErrorCode::unavailable, "cannot be read: the reader did not start properly");
    }
}

std::string text_of(const boost::json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

int number_of(const boost::json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_int64() ? static_cast<int>(value->as_int64()) : 0;
}

// The child may have been taken over by what it read: nothing it says is trusted to be well-formed.
Result<PdfText> parse_answer(std::string_view answer) {
    boost::system::error_code problem;
    const auto value = boost::json::parse(answer, problem);
    if (problem || !value.is_object())
        return fail(ErrorCode::corrupt, "is damaged (the reader's answer makes no sense)");
    const auto& object = value.get_object();
    PdfText text{.title = text_of(object, "title"),
                 .author = text_of(object, "author"),
                 .created = text_of(object, "created"),
                 .page_count = number_of(object, "page_count"),
                 .pages_read = number_of(object, "pages_read"),
                 .markdown = text_of(object, "markdown")};
    if (text.markdown.empty()) return fail(ErrorCode::unsupported, "has no text (a scan?)");
    return text;
}

}  // namespace

Result<PdfText> read_pdf(std::string_view bytes, const PdfLimits& limits) {
    if (bytes.size() > std::numeric_limits<int>::max()) {
        return fail(ErrorCode::too_large, "has more than 2 GB");  // as much as Poppler can address
    }
    const PdfRequest request{.cpu_seconds = static_cast<std::uint64_t>(limits.cpu_time.count()),
                             .memory_bytes = limits.memory_bytes,
                             .pages = limits.pages,
                             .pdf = bytes};
    const Descriptor input = TRY(request_file(request));
    Started started = TRY(start_child(limits.program, input));
    std::string answer;
    const Ending ending = TRY(collect(started.output, limits, answer));
    const auto status = started.child.end();
    if (ending == Ending::too_slow) return too_slow(limits.wall_time);
    if (ending == Ending::too_much) {
        return fail(ErrorCode::too_large,
                    fmt::format("has more than {} MB of text", limits.output_bytes >> 20));
    }
    const bool is_done = status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
    return is_done ? parse_answer(answer) : explain(status, limits);
}

}  // namespace quarry::fetch
