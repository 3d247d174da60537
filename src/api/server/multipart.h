// Forms with files in them, as clients upload documents: multipart/form-data (RFC 7578, over RFC 2046).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace quarry::api {

struct FormPart {
    std::string name{};
    std::string filename{};      // as the client says; never a path to be opened. "" if it is no file
    std::string content_type{};  // as sent; "" if nothing was
    std::string_view body{};     // of the text that was parsed
};

struct MultipartLimits {
    std::size_t parts = 32;
    std::size_t header_bytes = 8u << 10;  // of one part
};

// The parts of a body, in order; what stands before the first and behind the last is left out. Parts without
// a name, and boundaries that end in anything but a line, are taken for what they are. Fails with
//   unsupported       the type is no multipart/form-data, or a part is encoded for mail
//   invalid_argument  no boundary or one that cannot be, headers that cannot be read, no end
//   too_large         more parts, or longer headers, than the limits allow
// Linear in the size of the body, of which nothing is copied but names.
Result<std::vector<FormPart>> parse_multipart(std::string_view content_type, std::string_view body,
                                              const MultipartLimits& limits = {});

}  // namespace quarry::api
