#include "store/sqlite/finish_url.h"

#include <variant>

#include "store/sqlite/effects.h"
#include "store/sqlite/endings.h"

namespace quarry::store {

namespace {

using End = decltype(Outcome::end);

class UrlEnding {
public:
    UrlEnding(Ledger& ledger, OpenGroup& group, UrlRow row)
        : ledger_(ledger), group_(group), row_(std::move(row)) {}

    Result<void> apply(const Outcome& outcome, const End& end, Token token,
                       std::optional<ContentId> content) {
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
    Result<void> operator()(const Snooze& snooze) {
        return again(snooze.until,
                     snooze.reason.empty() ? std::nullopt : std::optional<std::string_view>(snooze.reason));
    }
    Result<void> operator()(const Skipped& skipped) {
        base_.skipped = skipped.reason;
        return ended(UrlState::skipped, skipped.note);
    }

private:
    Result<void> failed(std::string_view note, ErrorCode code) {
        base_.error = code;
        return ended(UrlState::failed, note);
    }
    Result<void> ended(UrlState state, std::string_view note) {
        UrlEnd end = base_;
        end.state = state;
        end.attempts = row_.attempts;
        end.stalls = row_.stalls;
        end.finished_at = ledger_.now();
        end.note = note;
        return end_url(ledger_, row_, end, UrlState::running);
    }

    Result<void> again(Timestamp when, std::optional<std::string_view> note) {
        if (base_.status != 0) row_.status = base_.status;
        row_.run_at = when > ledger_.now() ? std::optional(when) : std::nullopt;
        TRY(ledger_.rows().urls.requeue(row_, note));
        --group_.counters.running;
        ++group_.counters.queued;
        ledger_.touch(group_);
        ledger_.put_in_line(group_, row_);
        return {};
    }

    Ledger& ledger_;
    OpenGroup& group_;
    UrlRow row_;
    UrlEnd base_{};
};

// True if the group has another URL of that key. If it has none, the key becomes another name of this one.
Result<bool> is_copy(Ledger& ledger, OpenGroup& group, JobId id, const Outcome& outcome) {
    if (!outcome.canonical || !std::holds_alternative<Completed>(outcome.end)) return false;
    const auto known = TRY(ledger.rows().urls.find_key(group.id, *outcome.canonical));
    if (known) return *known != number(id);
    TRY(ledger.rows().urls.insert_alias(group.id, *outcome.canonical, number(id)));
    ledger.will_be_known(group.id, *outcome.canonical);
    group.has_aliases = true;
    return false;
}

// As far as the ending needs it. The row of a leased URL does not change, so the lease knows it.
UrlRow url_row_of(JobId id, const Lease& lease) {
    return {.id = number(id),
            .group = lease.group,
            .host = lease.host,
            .priority = lease.priority,
            .attempts = lease.attempts,
            .stalls = lease.stalls,
            .url = lease.url};
}

}  // namespace

Result<void> finish_url(Ledger& ledger, JobId id, const Lease& lease, const Outcome& outcome) {
    OpenGroup* group = ledger.group(lease.group);
    if (!group) return fail(ErrorCode::corrupt, "a URL is leased though its crawl is over");
    if (!outcome.timings.is_empty()) ledger.tally(group->id).add(outcome.timings);
    End end = outcome.end;
    SavedPages saved;
    if (TRY(is_copy(ledger, *group, id, outcome))) {
        end = Skipped{.reason = SkipReason::canonical};
    } else if (!outcome.pages.empty()) {
        saved = TRY(save_pages(ledger, *group, id, outcome.pages));
        if (saved.must_fetch_again) end = Snooze{.until = ledger.now()};
    }
    TRY(apply_effects(ledger, group, outcome));
    return UrlEnding(ledger, *group, url_row_of(id, lease)).apply(outcome, end, lease.token, saved.content);
}

}  // namespace quarry::store
