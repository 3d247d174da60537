#include "store/rules/url_count.h"

namespace quarry::store {

namespace {

constexpr int http_not_found = 404;
constexpr int http_gone = 410;

}  // namespace

void count_url(GroupCounters& counters, UrlState state, int status, std::int64_t change) {
    switch (state) {
        case UrlState::queued: counters.queued += change; break;
        case UrlState::running: counters.running += change; break;
        case UrlState::completed: counters.completed += change; break;
        case UrlState::failed:
            counters.failed += change;
            if (status == http_not_found || status == http_gone) counters.gone += change;
            break;
        case UrlState::skipped: counters.skipped += change; break;
        case UrlState::cancelled: break;
    }
}

}  // namespace quarry::store
