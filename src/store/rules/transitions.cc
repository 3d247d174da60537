#include "store/rules/transitions.h"

namespace quarry::store {

namespace {

std::optional<Timestamp> if_later(Timestamp when, Timestamp now) {
    return when > now ? std::optional(when) : std::nullopt;
}

std::optional<std::string_view> if_said(std::string_view words) {
    return words.empty() ? std::nullopt : std::optional(words);
}

struct OfUrl {
    const Attempts& used;
    Timestamp now;

    UrlTransition operator()(const Completed&) const {
        return {.attempts = used.attempts, .snoozes = used.snoozes};
    }
    UrlTransition operator()(const Retry& retry) const {
        const int attempts = used.attempts + 1;
        if (attempts >= used.most_attempts) return failed(retry.error, retry.code);
        return {.state = UrlState::queued,
                .attempts = attempts,
                .run_at = if_later(retry.not_before, now),
                .note = retry.error};
    }
    UrlTransition operator()(const Failed& end) const { return failed(end.error, end.code); }
    UrlTransition operator()(const Snooze& snooze) const {
        if (used.snoozes >= used.most_snoozes)
            return failed(if_said(snooze.reason).value_or(put_off_too_often), ErrorCode::unavailable);
        return {.state = UrlState::queued,
                .attempts = used.attempts,
                .snoozes = used.snoozes + 1,
                .run_at = if_later(snooze.until, now),
                .note = if_said(snooze.reason)};
    }
    UrlTransition operator()(const Skipped& end) const {
        return {.state = UrlState::skipped,
                .attempts = used.attempts,
                .snoozes = used.snoozes,
                .note = end.note,
                .skipped = end.reason};
    }

private:
    UrlTransition failed(std::string_view note, ErrorCode code) const {
        return {.state = UrlState::failed,
                .attempts = used.attempts + 1,
                .snoozes = used.snoozes,
                .note = note,
                .error = code};
    }
};

struct OfChange {
    const Attempts& used;
    Timestamp now;

    ChangeTransition operator()(const Completed&) const { return done(); }
    ChangeTransition operator()(const Skipped&) const { return done(); }
    ChangeTransition operator()(const Failed& end) const { return failed(end.error); }
    ChangeTransition operator()(const Retry& retry) const {
        const int attempts = used.attempts + 1;
        if (attempts >= used.most_attempts) return failed(retry.error);
        return {.state = JobState::queued,
                .attempts = attempts,
                .run_at = if_later(retry.not_before, now),
                .error = if_said(retry.error)};
    }
    ChangeTransition operator()(const Snooze& snooze) const {
        if (used.snoozes >= used.most_snoozes)
            return failed(if_said(snooze.reason).value_or(put_off_too_often));
        return {.state = JobState::queued,
                .attempts = used.attempts,
                .snoozes = used.snoozes + 1,
                .run_at = if_later(snooze.until, now),
                .error = if_said(snooze.reason)};
    }

private:
    ChangeTransition done() const { return {.attempts = used.attempts, .snoozes = used.snoozes}; }
    ChangeTransition failed(std::string_view error) const {
        return {.state = JobState::failed,
                .attempts = used.attempts + 1,
                .snoozes = used.snoozes,
                .error = error};
    }
};

}  // namespace

UrlTransition next_url_state(const Outcome::End& end, const Attempts& used, Timestamp now) {
    return std::visit(OfUrl{used, now}, end);
}

ChangeTransition next_change_state(const Outcome::End& end, const Attempts& used, Timestamp now) {
    return std::visit(OfChange{used, now}, end);
}

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
