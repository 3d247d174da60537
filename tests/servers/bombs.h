// Small bodies that unpack to a lot of zeros, made while they are sent.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quarry::test {

std::string gzipped(std::string_view text);
std::string brotli_zeros(std::size_t decoded_bytes);
std::string zstd_zeros(std::size_t decoded_bytes);

}  // namespace quarry::test
