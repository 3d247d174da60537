#include "store/postgres/effects.h"
#include "store/postgres/finish_kinds.h"

namespace quarry::store::postgres {

namespace {

std::optional<std::string> nullable(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

using End = decltype(Outcome::end);

class UrlEnding {
public:
    UrlEnding(Ledger& ledger, OpenGroup& group, UrlRow row)
        : ledger_(ledger), group_(group), row_(std::move(row)) {}

    Result<void> apply(const Outcome& outcome, const End& end, std::int64_t token,
                       std::optional<std::int64_t> content) {
        base_ = {.status = outcome.status,
                 .content = content,
                 .token = token,
                 .final_url = outcome.final_url,
                 .fetch = outcome.timings.fetch,
                 .extract = outcome.timings.extract};
        return std::visit(*this, end);
    }

    Result<void> operator()(const Completed&) { return ended(UrlState::completed, {}); }
    Result<void> operator()(const Retry& retry) {
        ++row_.attempts;
        if (row_.attempts >= ledger_.limits().url_attempts) return failed(retry.error, retry.code);
        return again(retry.not_before, retry.error);
    }
    Result<void> operator()(const Failed& failed) {
        ++row_.attempts;
        return this->failed(failed.error, failed.code);
    }
    Result<void> operator()(const Snooze& snooze) { return again(snooze.until, nullable(snooze.reason)); }
    Result<void> operator()(const Skipped& skipped) {
        base_.skipped = skipped.reason;
        return ended(UrlState::skipped, skipped.note);
    }

private:
    Result<void> failed(const std::string& note, ErrorCode code) {
        base_.error = code;
        return ended(UrlState::failed, note);
    }
    Result<void> ended(UrlState state, const std::string& note) {
        base_.state = state;
        base_.note = note;
        return end_url(ledger_, row_, base_, UrlState::running);
    }
    Result<void> again(Timestamp when, const std::optional<std::string>& note) {
        if (base_.status != 0) row_.status = base_.status;
        row_.run_at = when > ledger_.now() ? std::optional(when) : std::nullopt;
        TRY(requeue_url(ledger_, row_, note));
        --group_.counters.running;
        ++group_.counters.queued;
        ledger_.touch(group_);
        return put_url_in_line(ledger_, row_);
    }

    Ledger& ledger_;
    OpenGroup& group_;
    UrlRow row_;
    UrlEnd base_{};
};

// True if the group has another URL of that key. If it has none, the key becomes another name of this one.
Result<bool> is_copy(Ledger& ledger, OpenGroup& group, std::int64_t id, const Outcome& outcome) {
    if (!outcome.canonical || !std::holds_alternative<Completed>(outcome.end)) return false;
    const auto known = TRY(find_key(ledger.sql(), group.id, *outcome.canonical));
    if (known) return *known != id;
    TRY(insert_alias(ledger.sql(), group.id, *outcome.canonical, id));
    ledger.will_be_known(group.id, *outcome.canonical);
    group.has_aliases = true;
    ledger.touch(group);
    return false;
}

}  // namespace

Result<void> finish_url(Ledger& ledger, const LeasedUrl& url, const Outcome& outcome) {
    TRY(forget_url_lease(ledger, url.lease));
    OpenGroup* group = TRY(ledger.group(url.lease.group));
    if (!group) return fail(ErrorCode::corrupt, "a URL is leased though its crawl is over");
    if (!outcome.timings.is_empty()) ledger.tally_of_group(group->id).add(outcome.timings);
    End end = outcome.end;
    SavedPages saved;
    if (TRY(is_copy(ledger, *group, url.row.id, outcome))) {
        end = Skipped{.reason = SkipReason::canonical};
    } else if (!outcome.pages.empty()) {
        saved = TRY(save_pages(ledger, *group, url.row.id, outcome.pages));
        if (saved.must_fetch_again) end = Snooze{.until = ledger.now()};
    }
    TRY(apply_effects(ledger, group, outcome));
    return UrlEnding(ledger, *group, url.row).apply(outcome, end, url.lease.token, saved.content);
}

}  // namespace quarry::store::postgres
