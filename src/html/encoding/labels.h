// The encodings of the web and the labels that name them: the WHATWG Encoding Standard's list, which is
// neither IANA's nor ICU's ("latin1" means windows-1252, "gb2312" means GBK).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quarry::html {

// In the order of the table in encoding_labels.cc.
enum class Encoding : std::uint8_t {
    utf_8,
    ibm866,
    iso_8859_2,
    iso_8859_3,
    iso_8859_4,
    iso_8859_5,
    iso_8859_6,
    iso_8859_7,
    iso_8859_8,
    iso_8859_8_i,
    iso_8859_10,
    iso_8859_13,
    iso_8859_14,
    iso_8859_15,
    iso_8859_16,
    koi8_r,
    koi8_u,
    macintosh,
    windows_874,
    windows_1250,
    windows_1251,
    windows_1252,
    windows_1253,
    windows_1254,
    windows_1255,
    windows_1256,
    windows_1257,
    windows_1258,
    x_mac_cyrillic,
    gbk,
    gb18030,
    big5,
    euc_jp,
    iso_2022_jp,
    shift_jis,
    euc_kr,
    replacement,  // encodings that browsers refuse because they hide markup from filters
    utf_16be,
    utf_16le,
    x_user_defined,
};

// The encoding a label means: any case, surrounding ASCII whitespace ignored. Nothing for unknown labels.
std::optional<Encoding> find_encoding(std::string_view label);

// The standard's name: "UTF-8", "windows-1252". Lives as long as the program.
std::string_view encoding_name(Encoding encoding);

// The ICU converter that comes nearest to the standard's decoder; "" for encodings decoded without ICU.
const char* icu_converter_name(Encoding encoding);

// One byte is one character, and bytes below 0x80 are ASCII.
bool is_single_byte(Encoding encoding);

}  // namespace quarry::html
