#include "text/xml_mend.h"

#include <algorithm>
#include <array>
#include <utility>

#include <unicode/utf8.h>

namespace quarry::text {

namespace {

constexpr std::size_t preamble_bytes = 1024;  // how far a declaration behind a warning is looked for
constexpr std::size_t longest_reference = 40;
constexpr std::size_t max_growth = 1 << 20;

bool is_name_character(char c) {
    const char lower = static_cast<char>(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           c == ':';
}

// Bytes that are copied without a look at their neighbours.
constexpr std::array<bool, 256> plain_bytes = [] {
    std::array<bool, 256> plain{};
    for (unsigned b = 0x20; b < 0x80; ++b) plain[b] = b != '<' && b != '&';
    plain['\t'] = plain['\n'] = plain['\r'] = true;
    return plain;
}();

// Whether the '&' at the start of `text` begins "&name;", "&#1;" or "&#x1;".
bool begins_reference(std::string_view text) {
    const std::size_t end = text.substr(0, longest_reference).find(';');
    if (end == std::string_view::npos) return false;
    std::string_view name = text.substr(1, end - 1);
    const bool numeric = name.starts_with('#');
    if (numeric) name.remove_prefix(name.starts_with("#x") ? 2 : 1);
    const bool starts_well = !name.empty() && (numeric || !(name[0] >= '0' && name[0] <= '9'));
    return starts_well && std::ranges::all_of(name, is_name_character);
}

// How many bytes from the start of `text`, a '<', may contain '&' as it is: comments, instructions, CDATA
// sections.
std::size_t literal_bytes(std::string_view text) {
    struct Kind {
        std::string_view opening, closing;
    };
    static constexpr Kind kinds[] = {{"<![CDATA[", "]]>"}, {"<!--", "-->"}, {"<?", "?>"}};
    for (const Kind& kind : kinds) {
        if (!text.starts_with(kind.opening)) continue;
        const std::size_t end = text.find(kind.closing, kind.opening.size());
        return end == std::string_view::npos ? text.size() : end + kind.closing.size();
    }
    return 0;
}

// Where the document begins: at its first '<', unless that is the markup of a warning that PHP put before it.
std::size_t document_start(std::string_view text) {
    const std::size_t start = std::min(text.find('<'), text.size());
    if (!text.substr(start).starts_with("<b")) return start;
    const std::size_t declaration = text.substr(0, preamble_bytes).find("<?xml");
    return declaration == std::string_view::npos ? start : declaration;
}

class Mender {
public:
    explicit Mender(std::string_view text) : text_(text) {
        out_.reserve(text.size() + text.size() / 64 + 16);
    }

    std::string mend() {
        while (at_ < text_.size()) {
            copy_plain();
            if (at_ < text_.size()) copy_special();
        }
        return std::move(out_);
    }

private:
    void copy_plain() {
        const std::size_t start = at_;
        while (at_ < text_.size() && plain_bytes[static_cast<unsigned char>(text_[at_])]) ++at_;
        out_ += text_.substr(start, at_ - start);
    }

    void copy_special() {
        const char c = text_[at_];
        if (c == '<') {
            // Not looked for inside another, so each section is scanned for its end once.
            if (at_ >= literal_end_) literal_end_ = at_ + literal_bytes(text_.substr(at_));
            copy(1);
        } else if (c == '&') {
            const bool stray = at_ >= literal_end_ && !begins_reference(text_.substr(at_));
            stray ? replace(1, "&amp;", " ") : copy(1);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            replace(1, " ", " ");
        } else {
            copy_high_bytes();
        }
    }

    void copy_high_bytes() {
        const auto size = static_cast<std::int32_t>(std::min<std::size_t>(text_.size() - at_, U8_MAX_LENGTH));
        std::int32_t length = 0;
        UChar32 character = 0;
        U8_NEXT(text_.data() + at_, length, size, character);  // NOLINT: ICU's macro
        const bool allowed = character >= 0x80 && character != 0xFFFE && character != 0xFFFF;
        allowed ? copy(static_cast<std::size_t>(length))
                : replace(static_cast<std::size_t>(length), "\uFFFD", "?");
    }

    void copy(std::size_t length) {
        out_ += text_.substr(at_, length);
        at_ += length;
    }

    void replace(std::size_t length, std::string_view replacement, std::string_view crude) {
        if (growth_ < max_growth) {
            growth_ += replacement.size() - std::min(length, replacement.size());
            out_ += replacement;
        } else {
            out_ += crude;
        }
        at_ += length;
    }

    std::string_view text_;
    std::string out_;
    std::size_t at_ = 0;
    std::size_t literal_end_ = 0;
    std::size_t growth_ = 0;
};

}  // namespace

std::string mended_xml(std::string_view document) {
    return Mender(document.substr(document_start(document))).mend();
}

}  // namespace quarry::text
