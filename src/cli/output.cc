#include "cli/output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_segment = 120;  // File systems stop at 255 bytes, and the extension needs room.

// FNV-1a. Stable across runs and machines, so that a second run writes to the same files.
std::uint32_t hash_of(std::string_view text) {
    std::uint32_t hash = 2166136261U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return hash;
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~@+,=%").find(c) != std::string_view::npos;
}

// One path segment as a file name. What had to be changed is told apart by a hash of the original.
std::string file_name_of(std::string_view segment) {
    std::string name;
    for (const char c : segment.substr(0, longest_segment)) name += is_plain(c) ? c : '_';
    const bool changed = name != segment || name == "index" || name.starts_with('.');
    if (name.starts_with('.')) name.insert(0, "_");
    return changed ? fmt::format("{}_{:08x}", name, hash_of(segment)) : name;
}

}  // namespace

std::string file_path_for(const url::Url& url, std::string_view extension) {
    std::string path = url.has_host() && !url.host().empty() ? file_name_of(url.host()) : "local";
    if (const auto port = url.port()) path += fmt::format("_{}", *port);
    std::string_view rest = url.path();
    std::string last = "index";
    while (!rest.empty()) {
        rest.remove_prefix(rest.starts_with('/') ? 1 : 0);
        const auto slash = rest.find('/');
        const std::string_view segment = rest.substr(0, slash);
        rest.remove_prefix(segment.size());
        if (slash == std::string_view::npos) {
            last = segment.empty() ? "index" : file_name_of(segment);
        } else {
            path += "/" + (segment.empty() ? std::string("_") : file_name_of(segment));
        }
    }
    std::string extra(url.query().value_or(""));
    if (url.fragment().value_or("").starts_with('/'))
        extra += fmt::format("#{}", *url.fragment());  // a route
    if (!extra.empty()) last += fmt::format("_{:08x}", hash_of(extra));
    return fmt::format("{}/{}{}", path, last, extension);
}

bool names_folder(const std::string& name) {
    std::error_code ignored;
    return name.ends_with('/') || fs::is_directory(name, ignored);
}

Result<void> write_file(const std::string& path, std::string_view content) {
    std::error_code error;
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty()) fs::create_directories(parent, error);
    const auto failure = [&](int code) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("cannot write {}: {}", path, std::strerror(code)));
    };
    if (error) return failure(error.value());
    const std::string temporary = fmt::format("{}.{}.part", path, getpid());
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) return failure(errno);
    std::string_view rest = content;
    int write_error = 0;
    while (!rest.empty() && write_error == 0) {
        const ssize_t written = ::write(file, rest.data(), rest.size());
        if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
        if (written < 0 && errno != EINTR) write_error = errno;
    }
    if (::close(file) != 0 && write_error == 0) write_error = errno;
    if (write_error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) write_error = errno;
    if (write_error == 0) return {};
    ::unlink(temporary.c_str());
    return failure(write_error);
}

Result<std::string> read_input(const std::string& path, std::uint64_t limit_bytes) {
    const bool standard_input = path == "-";
    const int file = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return fail(ErrorCode::not_found, fmt::format("File not found: {}", path));
    const auto failure = [&](int code) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("cannot read {}: {}", path, std::strerror(code)));
    };
    if (file < 0) return failure(errno);
    std::string content;
    int read_error = 0;
    while (content.size() <= limit_bytes) {
        constexpr std::size_t step = 1 << 16;
        const std::size_t before = content.size();
        content.resize(before + step);
        const ssize_t got = ::read(file, content.data() + before, step);
        content.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) read_error = errno;
        if (got <= 0) break;
    }
    if (!standard_input) ::close(file);
    if (read_error != 0) return failure(read_error);
    if (content.size() > limit_bytes)
        return fail(ErrorCode::too_large, fmt::format("{} is larger than {} bytes", path, limit_bytes));
    return content;
}

std::string FolderOutput::path_for(const url::Url& url) {
    std::string relative = file_path_for(url, extension_);
    for (int number = 2; !taken_.insert(relative).second; ++number) {
        const std::string stem = file_path_for(url, "");
        relative = fmt::format("{}-{}{}", stem, number, extension_);
    }
    return (fs::path(folder_) / relative).string();
}

}  // namespace quarry::cli
