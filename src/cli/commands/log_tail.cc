#include "cli/commands/log_tail.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/local_socket.h"
#include "cli/output/terminal.h"

namespace quarry::cli {
namespace {

using app::Descriptor;

// Logs are bounded, and nobody reads more than this of one.
constexpr off_t most_bytes = 16 << 20;

Result<Descriptor> open_log(const std::string& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return fail(ErrorCode::not_found, fmt::format("There is no log yet: {}", path));
    return file;
}

// From where the file has been read to its end.
std::string read_on(const Descriptor& file) {
    std::string text;
    char buffer[65536];
    for (ssize_t got = 1; (got = ::read(file.get(), buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    return text;
}

std::string_view last_lines(std::string_view text, int lines) {
    std::size_t start = text.size() - (text.ends_with('\n') ? 1 : 0);
    for (int i = 0; i < lines; ++i) {
        if (start == 0) return text;
        const std::size_t before = text.rfind('\n', start - 1);
        if (before == std::string_view::npos) return text;
        start = before;
    }
    return text.substr(std::min(start + 1, text.size()));
}

bool was_replaced(const Descriptor& file, const std::string& path) {
    struct stat opened{}, named{};
    if (::fstat(file.get(), &opened) != 0 || ::stat(path.c_str(), &named) != 0) return false;
    return opened.st_ino != named.st_ino;
}

Result<Descriptor> print_end(const std::string& path, int lines) {
    Descriptor file = TRY(open_log(path));
    struct stat status{};
    if (::fstat(file.get(), &status) == 0 && status.st_size > most_bytes)
        ::lseek(file.get(), status.st_size - most_bytes, SEEK_SET);
    write_data(last_lines(read_on(file), lines));
    return file;
}

}  // namespace

Result<void> print_log(const std::string& path, int lines) {
    TRY(print_end(path, lines));
    return {};
}

Result<void> follow_log(const std::string& path, int lines, std::stop_token stop) {
    Descriptor file = TRY(print_end(path, lines));
    while (!stop.stop_requested()) {
        if (!write_data(read_on(file))) return {};
        if (was_replaced(file, path)) {
            file = TRY(open_log(path));
            continue;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return {};
}

}  // namespace quarry::cli
