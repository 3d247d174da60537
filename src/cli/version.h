#pragma once

namespace quarry::cli {

extern const char* const version;  // "0.2.0"

}  // namespace quarry::cli
