#include "cli/output/files.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
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

// The file that a name means when every symlink is followed, also one that is not there yet.
Result<std::string> end_of_links(const std::string& path) {
    constexpr int most_links = 40;  // as the kernel
    fs::path target = path;
    for (int links = 0; links < most_links; ++links) {
        std::error_code error;
        const fs::path next = fs::read_symlink(target, error);
        if (error) return target.string();  // no link: the end
        target = target.parent_path() / next;
    }
    return fail(ErrorCode::invalid_argument, fmt::format("cannot write {}: too many symlinks", path));
}

bool is_standard_output(const struct stat& file) {
    struct stat output{};
    if (S_ISCHR(file.st_mode) || S_ISBLK(file.st_mode)) return false;  // opened twice, it is the same
    return ::fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == file.st_dev &&
           output.st_ino == file.st_ino;
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

Result<OutputFile> OutputFile::open(const std::string& path) {
    OutputFile output(path);
    struct stat named{};
    const bool exists = ::stat(path.c_str(), &named) == 0;
    if (!exists && errno != ENOENT) return output.failure(errno);
    if (exists && S_ISDIR(named.st_mode)) return output.failure(EISDIR);
    if (exists && is_standard_output(named)) {
        // -o /dev/stdout: what the shell has opened goes on from where it is.
        output.file_ = quarry::Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    } else if (exists && !S_ISREG(named.st_mode)) {
        output.file_ = quarry::Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    } else {
        const std::string target = TRY(end_of_links(path));
        TRY(output.open_beside(target));
        // As it was, whatever the umask says now: what its user has closed to others stays closed.
        if (exists) ::fchmod(output.file_.get(), named.st_mode & 07777);
    }
    if (!output.file_.is_open()) return output.failure(errno);
    return output;
}

Result<void> OutputFile::open_beside(const std::string& target) {
    static std::atomic<int> opened = 0;
    target_ = target;
    // A short name: the file's own may be as long as a name can be.
    const auto name = fmt::format(".quarry-{}-{}.part", getpid(), ++opened);
    temporary_ = (fs::path(target_).parent_path() / name).string();
    const auto open_new = [&] {
        return quarry::Descriptor(
            ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    };
    file_ = open_new();
    // Of a process that had this number before and was killed.
    if (!file_.is_open() && errno == EEXIST && ::unlink(temporary_.c_str()) == 0) file_ = open_new();
    if (file_.is_open()) return {};
    const int code = errno;
    temporary_.clear();
    return failure(code);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      temporary_(std::exchange(other.temporary_, {})),
      target_(std::move(other.target_)) {}

OutputFile::~OutputFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> OutputFile::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file_.get(), text.data(), text.size());
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
        if (written < 0 && errno != EINTR) return failure(errno);
    }
    return {};
}

Result<void> OutputFile::finish() {
    // Some file systems say only now that it did not fit.
    if (::close(file_.release()) != 0 && errno != EINTR) return failure(errno);
    if (!temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) return failure(errno);
    temporary_.clear();
    return {};
}

std::unexpected<Error> OutputFile::failure(int code) const {
    return fail(ErrorCode::invalid_argument, fmt::format("cannot write {}: {}", path_, std::strerror(code)));
}

Result<void> write_file(const std::string& path, std::string_view content) {
    std::error_code error;
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty()) fs::create_directories(parent, error);
    if (error)
        return fail(ErrorCode::invalid_argument, fmt::format("cannot write {}: {}", path, error.message()));
    OutputFile file = TRY(OutputFile::open(path));
    TRY(file.write(content));
    return file.finish();
}

Result<std::string> read_input(const std::string& path, std::uint64_t limit_bytes) {
    const bool standard_input = path == "-";
    const int file = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return fail(ErrorCode::invalid_argument, fmt::format("File not found: {}", path));
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
