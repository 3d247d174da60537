#pragma once

namespace quarry::cli {

inline constexpr const char* version = QUARRY_VERSION;

}  // namespace quarry::cli
