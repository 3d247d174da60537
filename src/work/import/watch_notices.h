// What happens in folders, as the kernel tells it (inotify).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace quarry::work {

struct Notice {
    enum class What : std::uint8_t {
        file,      // was written, or came here: it may differ from what it was
        folder,    // came here, with whatever is in it: watch it, then look into it
        gone,      // a file, or a folder with all that was in it
        overflow,  // more happened than could be told: look at everything
        lost,      // a watched folder itself is gone, or its disk was taken away
    } what{};
    std::string path{};
};

// Used by one thread; wake() by any.
class FolderNotices {
public:
    // `unavailable` if the system gives no more of them, with the limit to raise.
    static Result<FolderNotices> open();
    ~FolderNotices();
    FolderNotices(FolderNotices&& other) noexcept;
    FolderNotices& operator=(FolderNotices&&) = delete;

    // Tells of what happens in this folder from now on, but not in those below it: each is watched by itself.
    // Doing it again is harmless. `not_found` if it is not there any more; `unavailable` if the system allows
    // no more watches, with the limit to raise.
    Result<void> watch(const std::string& folder);

    // What has happened; waits for it until `timeout` or wake(). A negative timeout waits for ever.
    std::vector<Notice> read(std::chrono::milliseconds timeout);

    void wake() const;

    std::size_t watched() const { return folders_.size(); }

private:
    FolderNotices(int notices, int wake) : notices_(notices), wake_(wake) {}
    void take(std::uint32_t mask, int watch, std::string_view name, std::vector<Notice>& notices);
    void forget_below(const std::string& folder);

    int notices_ = -1, wake_ = -1;
    std::unordered_map<int, std::string> folders_;  // by the kernel's number
    std::map<std::string, int> numbers_;            // the way back, so that a folder's own are neighbours
};

}  // namespace quarry::work
