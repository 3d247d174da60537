#include "browser/process_tree.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace quarry::browser {

std::vector<pid_t> descendants_of(pid_t process) {
    std::vector<pid_t> found;
    const auto add_children = [&found](pid_t parent) {
        // The kernel lists children by the thread that started them.
        std::error_code problem;
        const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", parent), problem);
        if (problem) return;
        for (auto thread = begin(threads); thread != end(threads); thread.increment(problem)) {
            if (problem) return;
            std::ifstream children(thread->path() / "children");
            for (pid_t child = 0; children >> child;) found.push_back(child);
        }
    };
    add_children(process);
    for (std::size_t i = 0; i < found.size(); ++i) add_children(found[i]);
    return found;
}

std::uint64_t own_memory_of(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/statm", process));
    std::uint64_t size = 0, resident = 0, shared = 0;
    if (!(file >> size >> resident >> shared) || resident < shared) return 0;
    static const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return (resident - shared) * page_bytes;
}

}  // namespace quarry::browser
