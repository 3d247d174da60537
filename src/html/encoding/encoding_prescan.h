// What a page says about its own encoding, read before anything is decoded: the HTML standard's "prescan a
// byte stream to determine its encoding", with its fallback to an XML declaration.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "html/encoding/labels.h"

namespace quarry::html {

// How far browsers look before they start to parse.
inline constexpr std::size_t standard_prescan_bytes = 1024;

// The encoding declared by a <meta> tag or an XML declaration within `bytes`, or nothing. UTF-16 is answered
// as UTF-8 and x-user-defined as windows-1252, as the standard asks: a declaration that could be read as
// ASCII is not UTF-16. Linear in the size of `bytes`.
std::optional<Encoding> prescan_encoding(std::string_view bytes);

// The label in a <meta http-equiv> content such as "text/html; charset=gbk"; nothing if it has none.
std::optional<Encoding> encoding_from_meta_content(std::string_view content);

}  // namespace quarry::html
