// Every header whose value a server chooses and we parse. The first byte chooses the parser.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fetch/cookies.h"
#include "fetch/http_time.h"
#include "fetch/redirect.h"
#include "text/link_header.h"

using namespace quarry;

namespace {

constexpr std::chrono::sys_seconds now{std::chrono::seconds(1'700'000'000)};

void fuzz_cookie(const url::Url& base, std::string_view text) {
    fetch::CookieJar jar;
    jar.store(base, text, now);
    const std::string header = jar.header_for(base);
    // What we send back must not be able to end the header.
    if (header.find_first_of(std::string_view("\r\n\0", 3)) != header.npos) std::abort();
}

void fuzz_redirect(const url::Url& base, std::string_view text) {
    const auto target = fetch::redirect_target(base, text);
    if (target && (!target->is_http() || !target->username().empty() || !target->password().empty()))
        std::abort();
}

void fuzz_retry_after(std::string_view text) {
    const auto wait = fetch::parse_retry_after(text, now);
    if (wait && wait->count() < 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const url::Url base = url::Url::parse("https://www.a.example/docs/page#part").value();
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 5) {
        case 0: (void)fetch::parse_http_date(text); break;
        case 1: fuzz_retry_after(text); break;
        case 2: fuzz_cookie(base, text); break;
        case 3: (void)text::link_target({{"Link", std::string(text)}}, {.relation = "canonical"}); break;
        case 4: fuzz_redirect(base, text); break;
    }
    return 0;
}
