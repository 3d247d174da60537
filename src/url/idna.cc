#include "url/idna.h"

#include <memory>

#include <unicode/bytestream.h>
#include <unicode/idna.h>
#include <unicode/unistr.h>

#include "url/idna_update.h"

namespace quarry::url {

namespace {

constexpr std::size_t max_input_bytes = 4096;

// The standard sets CheckHyphens, VerifyDnsLength and UseSTD3ASCIIRules to false. ICU has a switch only for
// the last and reports the others as these errors.
constexpr std::uint32_t tolerated_errors = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                                           UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                                           UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

// ICU's object is immutable and may be shared by threads; making it loads tables, so it is made once.
const icu::IDNA* shared_idna() {
    static const std::unique_ptr<icu::IDNA> idna = [] {
        UErrorCode status = U_ZERO_ERROR;
        return std::unique_ptr<icu::IDNA>(icu::IDNA::createUTS46Instance(
            UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII, status));
    }();
    return idna.get();
}

}  // namespace

Result<std::string> domain_to_ascii(std::string_view domain) {
    if (domain.size() > max_input_bytes) {
        return fail(ErrorCode::invalid_argument, "the domain is longer than any DNS name");
    }
    const icu::IDNA* idna = shared_idna();
    if (idna == nullptr) return fail(ErrorCode::unavailable, "ICU's domain name tables cannot be loaded");

    const std::string mapped = with_newer_mappings(domain);
    std::string ascii;
    icu::StringByteSink<std::string> sink(&ascii);
    icu::IDNAInfo info;
    UErrorCode status = U_ZERO_ERROR;
    idna->nameToASCII_UTF8({mapped.data(), static_cast<std::int32_t>(mapped.size())}, sink, info, status);
    if (U_FAILURE(status) || (info.getErrors() & ~tolerated_errors) != 0) {
        return fail(ErrorCode::invalid_argument, "the domain has characters that no domain name may have");
    }
    return ascii;
}

std::string to_valid_utf8(std::string_view text) {
    std::string valid;
    icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())}).toUTF8String(valid);
    return valid;
}

}  // namespace quarry::url
