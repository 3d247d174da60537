// Scope, identity and traps over any links. The input's lines are a seed, an include expression, and links.
// Whatever they are: a URL has one key however often it is asked for, folding never tells apart what is the
// same without it, judgements do not depend on what is remembered, and what is admitted belongs.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "crawl/admission.h"
#include "crawl/traps.h"
#include "url/canonical.h"

using namespace quarry;
using namespace quarry::crawl;

namespace {

void require(bool promise) {
    if (!promise) std::abort();
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (lines.size() < 64) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        if (end == text.size()) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

void check_identity(const url::Url& url) {
    const UrlKey folded = url_key(url, {}), exact = url_key(url, {.fold_similar = false});
    require(folded == url_key(url, {}));
    if (!url.is_http()) return;
    const url::Url again = url::Url::parse(url.without_fragment()).value();
    require(url_key(again, {}) == folded);
    require(url_key(again, {.fold_similar = false}) == exact);
    const url::Url canonical = url::Url::parse(url::canonical(url)).value();
    require(url_key(canonical, {.fold_similar = false}) == exact);
    require(url_key(canonical, {}) == folded);
    require(host_key(url) == host_key(again));
}

void check_scope(const Scope& scope, const url::Url& url) {
    const Belongs belongs = scope.check(url);
    require(!name_of(belongs).empty());
    require(scope.check(url, 0) == belongs || belongs == Belongs::yes);
    if (belongs == Belongs::yes && !scope.is_seed(url)) require(!is_trap(url) && scope.is_at_home(url));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::string> lines = lines_of({reinterpret_cast<const char*>(data), size});
    if (lines.size() < 3) return 0;
    CrawlOptions options{.urls = {lines[0]}, .max_depth = static_cast<int>(size % 3)};
    if (!lines[1].empty()) options.include_paths = {lines[1]};
    options.subdomains = size % 2 == 0;
    const auto scope = Scope::create(options);
    if (!scope) return 0;

    Document document;
    for (std::size_t i = 2; i < lines.size(); ++i) {
        document.links.push_back({.url = lines[i]});
        const auto url = url::Url::parse(lines[i]);
        if (!url) continue;
        check_identity(*url);
        check_scope(*scope, *url);
    }

    Guarded<ShapeCounter> shapes;
    LinkJudge remembering(*scope, {}, 8), forgetful(*scope, {}, 0);
    Admission one(remembering, {.shapes = &shapes}), other(forgetful, {});
    const url::Url page = url::Url::parse(lines[0]).value();
    const Admitted first = one.from_page(document, page, 0), second = other.from_page(document, page, 0);
    require(first.found.size() == second.found.size());
    std::set<UrlKey> keys;
    for (const FoundUrl& found : first.found) {
        require(keys.insert(found.key).second);
        const auto url = url::Url::parse(found.url);
        require(url && scope->check(*url, found.depth) == Belongs::yes);
    }
    return 0;
}
