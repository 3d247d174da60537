#include "app/services/set_aside.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace quarry::app {

Result<void> set_aside(const std::string& path) {
    std::error_code error;
    std::filesystem::rename(path, path + ".damaged", error);
    if (error)
        return fail(ErrorCode::unavailable, fmt::format("cannot rename {}: {}", path, error.message()));
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(path + suffix, error);
    return {};
}

}  // namespace quarry::app
