#include "work/import/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "model/json/output.h"
#include "work/page/read_document.h"

namespace quarry::work {

namespace {

// Reads documents in text as well: reStructuredText and its like are read best as they stand.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> types = {{
    {"md", "text/markdown"},
    {"markdown", "text/markdown"},
    {"mdown", "text/markdown"},
    {"mkd", "text/markdown"},
    {"mdx", "text/markdown"},
    {"txt", "text/plain"},
    {"text", "text/plain"},
    {"rst", "text/plain"},
    {"adoc", "text/plain"},
    {"asciidoc", "text/plain"},
    {"org", "text/plain"},
    {"html", "text/html"},
    {"htm", "text/html"},
    {"xhtml", "application/xhtml+xml"},
    {"pdf", "application/pdf"},
    {"json", "application/json"},
}};

std::string_view name_in(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

class OpenFile {
public:
    // Never waits for the writer of a pipe, and never follows a link that took the place of the file.
    explicit OpenFile(const std::string& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    int get() const { return descriptor_; }

private:
    int descriptor_;
};

std::unexpected<Error> failure(std::string_view path, int code) {
    if (code == ENOENT || code == ENOTDIR)
        return fail(ErrorCode::not_found, fmt::format("File not found: {}", path));
    if (code == ELOOP) return fail(ErrorCode::unsupported, fmt::format("{} is a symbolic link", path));
    return fail(ErrorCode::unavailable, fmt::format("cannot read {}: {}", path, std::strerror(code)));
}

Result<FileSeen> seen(const std::string& path, const struct stat& status) {
    if (!S_ISREG(status.st_mode)) return fail(ErrorCode::unsupported, fmt::format("{} is no file", path));
    return FileSeen{.path = path,
                    .bytes = status.st_size,
                    .modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<std::string> read_all(int descriptor, const FileSeen& file) {
    std::string content;
    content.reserve(static_cast<std::size_t>(file.bytes) + 1);
    while (true) {
        constexpr std::size_t step = 1 << 18;
        const std::size_t before = content.size();
        content.resize(before + step);
        const ssize_t got = ::read(descriptor, content.data() + before, step);
        content.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
        if (got == 0) return content;
        if (got < 0 && errno != EINTR) return failure(file.path, errno);
        if (content.size() > longest_document_bytes)
            return fail(ErrorCode::too_large,
                        fmt::format("{} is larger than {} MB", file.path, longest_document_bytes >> 20));
    }
}

std::string iso_time(std::int64_t nanoseconds) {
    const std::chrono::sys_time<std::chrono::seconds> time{std::chrono::seconds(nanoseconds / 1'000'000'000)};
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

// A document without a title of its own has the file's name for one.
std::string title_of(const Document& document, const Page& page, std::string_view path) {
    const std::string& title = document.metadata.title;
    const bool is_from_url = title == name_in(page.url);
    return title.empty() || is_from_url ? std::string(name_in(path)) : title;
}

}  // namespace

std::string FileSeen::etag() const {
    return fmt::format("{:x}-{:x}", bytes, modified_ns);
}

Result<FileSeen> look_at_file(const std::string& path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) return failure(path, errno);
    if (S_ISLNK(status.st_mode)) return failure(path, ELOOP);
    return seen(path, status);
}

std::string_view content_type_of_file(std::string_view path) {
    const std::string_view name = name_in(path);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return "";
    const std::string ending = lower_case(name.substr(dot + 1));
    const auto found = std::ranges::find(types, ending, [](const auto& type) { return type.first; });
    return found == types.end() ? "" : found->second;
}

bool is_document_name(std::string_view path) {
    const std::string_view type = content_type_of_file(path);
    // JSON in a folder is data of some program, seldom something to read.
    return !type.empty() && type != "application/json";
}

Result<ImportDocument> read_file_document(const std::string& path, const fetch::PdfLimits& limits) {
    const OpenFile file(path);
    if (file.get() < 0) return failure(path, errno);
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) return failure(path, errno);
    // The state before reading: what is written meanwhile makes the file look changed at the next look.
    const FileSeen before = TRY(seen(path, status));
    Page page{.url = file_url(path), .status = 200, .content_type = std::string(content_type_of_file(path))};
    page.final_url = page.url;
    page.body = TRY(read_all(file.get(), before));
    auto document = read_document(page, {.formats = {.markdown = true, .metadata = true}}, limits);
    if (!document) return fail(document.error().code, fmt::format("{}: {}", path, document.error().message));
    return ImportDocument{.url = page.url,
                          .title = title_of(*document, page, path),
                          .markdown = std::move(document->markdown),
                          .language = document->metadata.language,
                          .content_type = page.content_type,
                          .etag = before.etag(),
                          .last_modified = iso_time(before.modified_ns),
                          .body_bytes = before.bytes,
                          .metadata = to_json(document->metadata)};
}

namespace {

namespace fs = std::filesystem;

class FolderWalk {
public:
    FolderWalk(IgnoreRules& rules, const BeforeFolder& before_folder)
        : rules_(rules), before_folder_(before_folder) {}

    Result<FolderContent> run(const std::string& folder) {
        TRY(read_folder(folder));
        // Folders are their own list of what is left to do: a deep tree needs no deep stack.
        for (std::size_t i = 1; i < content_.folders.size(); ++i) {
            const auto read = read_folder(std::string(content_.folders[i]));
            // One that vanished meanwhile is no problem.
            if (!read && read.error().code != ErrorCode::not_found)
                content_.problems.push_back(read.error().message);
        }
        return std::move(content_);
    }

private:
    Result<void> read_folder(const std::string& folder) {
        if (content_.folders.empty()) content_.folders.push_back(folder);
        if (before_folder_) before_folder_(folder);
        std::error_code error;
        fs::directory_iterator entries(folder, error);
        for (; !error && entries != fs::directory_iterator(); entries.increment(error)) take(*entries);
        if (!error) return {};
        if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
            return fail(ErrorCode::not_found, fmt::format("Folder not found: {}", folder));
        return fail(ErrorCode::unavailable, fmt::format("cannot read {}: {}", folder, error.message()));
    }

    void take(const fs::directory_entry& entry) {
        std::error_code error;
        const fs::file_type type = entry.symlink_status(error).type();
        const bool is_folder = type == fs::file_type::directory;
        if (error || (!is_folder && type != fs::file_type::regular)) return;
        const std::string path = entry.path().string();
        if (rules_.is_ignored(path, is_folder)) return;
        if (is_folder) {
            content_.folders.push_back(path);
        } else if (!is_document_name(path)) {
            ++content_.other_files;
        } else if (auto file = look_at_file(path)) {
            content_.files.push_back(*std::move(file));
        }
    }

    IgnoreRules& rules_;
    const BeforeFolder& before_folder_;
    FolderContent content_;
};

}  // namespace

Result<FolderContent> look_into_folder(const std::string& folder, IgnoreRules& rules,
                                       const BeforeFolder& before_folder) {
    return FolderWalk(rules, before_folder).run(folder);
}

bool is_inside(std::string_view path, std::string_view folder) {
    if (!path.starts_with(folder)) return false;
    return path.size() == folder.size() || path[folder.size()] == '/' || folder == "/";
}

Result<StoredFiles> stored_files(store::Reader& reader, const std::string& collection,
                                 const std::string& folder) {
    StoredFiles files;
    store::PageQuery wanted{.collection = collection, .limit = 1'000};
    while (true) {
        const store::StoredPages found = TRY(reader.pages(wanted));
        for (const StoredPage& page : found.pages) {
            auto path = path_of_file_url(page.facts.url);
            if (path && is_inside(*path, folder)) files.emplace(*std::move(path), page.facts.etag);
        }
        if (!found.next) return files;
        wanted.after = *found.next;
    }
}

FilesSource::FilesSource(std::vector<std::string> paths, const fetch::PdfLimits& limits, int threads)
    : paths_(std::move(paths)), limits_(limits), room_(2 * std::max(threads, 1)) {
    const std::size_t wanted = std::min<std::size_t>(std::max(threads, 1), paths_.size());
    for (std::size_t i = 0; i < wanted; ++i)
        threads_.emplace_back([this](std::stop_token stop) { read_files(stop); });
}

FilesSource::~FilesSource() {
    for (std::jthread& thread : threads_) thread.request_stop();
    room_.release(static_cast<std::ptrdiff_t>(threads_.size()));
}

void FilesSource::read_files(std::stop_token stop) {
    while (true) {
        room_.acquire();
        const std::size_t at = next_path_++;
        if (at >= paths_.size() || stop.stop_requested()) return;
        documents_.push({at, read_file_document(paths_[at], limits_)});
    }
}

std::optional<Result<ImportDocument>> FilesSource::next() {
    if (given_ == paths_.size()) return std::nullopt;
    ++given_;
    auto read = documents_.pop();
    room_.release();
    last_ = read->path;
    return std::move(read->document);
}

}  // namespace quarry::work
