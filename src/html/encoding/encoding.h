// Bytes of a page or a text file to UTF-8: finding out which encoding they are in, then decoding them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarry::html {

// What the choice of the encoding rests on.
enum class EncodingSource : std::uint8_t {
    byte_order_mark,
    header,      // the charset parameter of Content-Type
    meta,        // a <meta> tag or an XML declaration in the first 1024 bytes
    late_meta,   // the same, further down, where browsers restart their parser
    valid_utf8,  // the bytes are UTF-8 and little else could be
    detected,    // guessed from the frequency of letters
    fallback,    // nothing known: windows-1252, as the standard says
};

// How much a label is worth when the bytes contradict it.
enum class LabelTrust : std::uint8_t {
    // Labels are checked against the bytes, because a wrong one destroys all text while a right one passes:
    //  - a legacy label on bytes that are well-formed UTF-8 (servers that add "iso-8859-1" to everything)
    //    gives way to UTF-8;
    //  - a UTF-8 label on bytes with more broken than well-formed sequences gives way to the page's other
    //    label, or to what is detected, or to windows-1252;
    //  - a UTF-16 label on bytes without a zero byte is ignored.
    checked,
    // The standard to the letter: byte order mark, header, meta, windows-1252.
    absolute,
};

struct Decoded {
    std::string text{};           // valid UTF-8 without a byte order mark
    std::string_view encoding{};  // the standard's name: "UTF-8", "windows-1252"; lives forever
    EncodingSource source = EncodingSource::fallback;
    bool had_errors = false;  // something was unreadable and became U+FFFD
};

// Never fails. Bytes that are already UTF-8 are moved, not copied. `charset_from_header` is the label as the
// server sent it, or "". Linear in time; the text is at most three times as long as the bytes.
Decoded decode(std::string bytes, std::string_view charset_from_header = {},
               LabelTrust trust = LabelTrust::checked);

}  // namespace quarry::html
