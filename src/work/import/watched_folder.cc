#include "work/import/watched_folder.h"

#include <algorithm>

namespace quarry::work {
namespace {

constexpr Timestamp at_once{};

}  // namespace

WatchFolder::WatchFolder(std::string folder, const std::vector<std::string>& ignored_globs,
                         StoredFiles stored, WatchTiming timing)
    : folder_(std::move(folder)), timing_(timing), rules_(folder_, ignored_globs) {
    for (auto& [path, etag] : stored) known_[path] = {.etag = std::move(etag)};
}

Result<std::vector<std::string>> WatchFolder::look(const BeforeFolder& before_folder) {
    rules_.forget_files();
    const FolderContent content = TRY(look_into_folder(folder_, rules_, before_folder));
    has_to_look_ = false;
    wait_for_known_below(folder_, at_once);
    compare(content, at_once);
    return content.problems;
}

void WatchFolder::handle(const Notice& notice, Timestamp now, const BeforeFolder& before_folder) {
    using What = Notice::What;
    if (notice.what == What::overflow) has_to_look_ = true;
    if (notice.what == What::overflow || !is_inside(notice.path, folder_)) return;
    if (notice.path.ends_with(std::string("/").append(ignore_file_name))) {
        // What it ignores now, or no longer, may be anywhere below.
        has_to_look_ = true;
        return;
    }
    switch (notice.what) {
        case What::file: wait(notice.path, now); break;
        case What::gone:
            waiting_.erase(notice.path);
            if (known_.contains(notice.path)) wait(notice.path, now);
            wait_for_known_below(notice.path, now);
            break;
        case What::folder:
            if (rules_.is_ignored(notice.path, true)) break;
            if (const auto content = look_into_folder(notice.path, rules_, before_folder))
                compare(*content, now);
            break;
        case What::overflow:
        case What::lost: break;  // a folder below is also told of as gone by the one above it
    }
}

// Only what differs from the store has to wait; what is as it was is struck off the list.
void WatchFolder::compare(const FolderContent& content, Timestamp now) {
    for (const FileSeen& file : content.files) {
        const auto known = known_.find(file.path);
        const bool is_same = known != known_.end() && known->second.etag == file.etag();
        const auto waiting = waiting_.find(file.path);
        if (!is_same) {
            wait(file.path, now);
        } else if (waiting != waiting_.end() && waiting->second.last == at_once) {
            waiting_.erase(waiting);
        }
    }
}

void WatchFolder::wait(const std::string& path, Timestamp now) {
    const bool is_ours = known_.contains(path) || (is_document_name(path) && !rules_.is_ignored(path, false));
    if (!is_ours) return;
    const auto [waiting, is_new] = waiting_.try_emplace(path, Waiting{now, now});
    if (!is_new) waiting->second.last = std::max(waiting->second.last, now);
}

void WatchFolder::wait_for_known_below(const std::string& folder, Timestamp now) {
    const std::string beginning = folder == "/" ? folder : folder + "/";
    for (auto at = known_.lower_bound(beginning); at != known_.end() && at->first.starts_with(beginning);
         ++at)
        wait(at->first, now);
}

Timestamp WatchFolder::due(const Waiting& waiting) const {
    if (waiting.last == at_once) return at_once;
    return std::min(waiting.last + timing_.quiet, waiting.first + timing_.longest);
}

std::optional<Timestamp> WatchFolder::next_due() const {
    std::optional<Timestamp> next;
    for (const auto& [path, waiting] : waiting_)
        if (!next || due(waiting) < *next) next = due(waiting);
    return next;
}

FolderChanges WatchFolder::take_due(Timestamp now, std::size_t limit) {
    std::vector<std::pair<Timestamp, std::string>> ready;
    for (const auto& [path, waiting] : waiting_)
        if (due(waiting) <= now) ready.emplace_back(waiting.last, path);
    const std::size_t count = std::min(limit, ready.size());
    std::partial_sort(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(count), ready.end(),
                      [](const auto& one, const auto& other) {
                          return one.first != other.first ? one.first > other.first
                                                          : one.second < other.second;
                      });
    FolderChanges changes;
    changes.is_recent = count > 0 && ready.front().first != at_once;
    for (std::size_t i = 0; i < count; ++i) {
        // What somebody has just saved does not share a batch with what was found by looking.
        if (changes.is_recent && ready[i].first == at_once) break;
        waiting_.erase(ready[i].second);
        decide(ready[i].second, changes);
    }
    return changes;
}

void WatchFolder::decide(const std::string& path, FolderChanges& changes) {
    const auto known = known_.find(path);
    const auto file = look_at_file(path);
    const bool is_there = file && is_document_name(path) && !rules_.is_ignored(path, false);
    if (!is_there) {
        if (known == known_.end()) return;
        if (known->second.is_stored)
            changes.gone.push_back(path);
        else
            known_.erase(known);
    } else if (known == known_.end() || known->second.etag != file->etag()) {
        changes.written.push_back(*file);
    }
}

void WatchFolder::put_back(const FolderChanges& changes) {
    for (const FileSeen& file : changes.written) waiting_.try_emplace(file.path);
    for (const std::string& path : changes.gone) waiting_.try_emplace(path);
}

bool WatchFolder::is_stored(const std::string& path) const {
    const auto known = known_.find(path);
    return known != known_.end() && known->second.is_stored;
}

void WatchFolder::note_written(const std::string& path, std::string etag) {
    known_[path] = {.etag = std::move(etag)};
}

void WatchFolder::note_unreadable(const FileSeen& file) {
    known_.try_emplace(file.path, Known{.is_stored = false}).first->second.etag = file.etag();
}

}  // namespace quarry::work
