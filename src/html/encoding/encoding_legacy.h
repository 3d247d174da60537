// Decoders of every encoding that is not Unicode's own. Single bytes go through a table of 128 characters;
// the multi-byte ones through ICU, with the error handling of the Encoding Standard.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "html/encoding/labels.h"

namespace quarry::html {

struct LegacyText {
    std::string text;
    std::size_t errors = 0;  // how many U+FFFD were written
};

// For single-byte encodings, the Chinese, Japanese and Korean ones, `replacement` and `x_user_defined`.
// Output is at most three times the input.
LegacyText decode_legacy(std::string_view bytes, Encoding encoding);

}  // namespace quarry::html
