#include "work/import/files.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace quarry::work {
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
    store::PagePage wanted{.collection = collection, .limit = 1'000};
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
