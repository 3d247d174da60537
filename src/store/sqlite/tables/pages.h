// The tables page, content, result and outbox, as the writer changes them. A page is one narrow row per
// (collection, key) that points at its words; each crawl that brought it has a result row that points at
// the words it brought. Words live while a page or a result has them; SecureDelete overwrites what is
// removed. Everything here runs on the writer's thread, inside a transaction that the caller has begun and
// rolls back after an error: half of the change may have been made.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "db/sqlite.h"
#include "model/group.h"
#include "model/ids.h"
#include "model/stored_page.h"
#include "store/sqlite/tables/outbox.h"
#include "store/sqlite/tables/page_walk.h"

namespace quarry::store {

// Overwrites what is removed while this lives: what was promised not to be kept must not be left in free
// pages.

class SecureDelete {
public:
    static Result<SecureDelete> begin(db::Connection& connection, bool wanted) {
        if (!wanted || TRY(connection.integer("PRAGMA secure_delete")) == on) return SecureDelete(nullptr);
        TRY(connection.execute("PRAGMA secure_delete = ON"));
        return SecureDelete(&connection);
    }
    SecureDelete(SecureDelete&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
    ~SecureDelete() {
        if (connection_) (void)connection_->execute("PRAGMA secure_delete = FAST");
    }

private:
    static constexpr std::int64_t on = 1;

    explicit SecureDelete(db::Connection* connection) : connection_(connection) {}
    db::Connection* connection_;
};

// The tables page, content, result and outbox, as the writer changes them. A page is one narrow row per
// (collection, key) that points at its words; each crawl that brought it has a result row that points at the
// words it brought. Words live while a page or a result has them.
//
// Used on the writer's thread, inside a transaction that the caller has begun. After an error the caller
// rolls back: half of the change may have been made.

// The group that pages are written for. With zero retention its pages are its own: they neither replace what
// is stored nor are they indexed, and they go with the group.
struct PageOwner {
    GroupId group{};  // 0 for none
    std::string collection{};
    std::string site{};
    bool index_pages = true;
    bool zero_retention = false;
    int priority = 0;  // of the outbox rows
    PageKeeping keeping = PageKeeping::for_good;
};

struct PageChange {
    PageId page{};
    ContentId content{};
    bool unchanged = false;  // stored already in the same words
    bool is_new = false;     // the collection had no such page
};

struct DroppedPages {
    std::int64_t results = 0, contents = 0, pages = 0;
    bool is_empty() const { return results == 0 && pages == 0; }
};

class PageRows {
public:
    // What outlives this: the connection, and
    struct Surroundings {
        Outbox& outbox;
        std::function<std::int64_t()> next_id;  // gives numbers that were never given before
        std::function<Timestamp()> now;         // the store's time
    };
    static Result<PageRows> create(db::Connection& connection, Surroundings surroundings);

    // Saves what the group's URL brought. Always adds a result; adds an outbox row if the words are new and
    // the group indexes pages. `not_found` if the words are said to be unchanged but none are stored: the
    // page was removed meanwhile and must be fetched anew.
    Result<PageChange> write(const PageOwner& owner, JobId url, const PageWrite& write);

    // Saves a page that no crawl brought. One in the words that are stored changes nothing.
    Result<PageChange> write(const PageOwner& owner, const PageWrite& write);

    // Removes a page for good, with all its words, also those that crawls brought. False if it is gone.
    Result<bool> forget(const FoundPage& page);
    // Adds a change of the page as it is, in place of the last one, which is returned.
    Result<std::optional<ChangeRow>> index_again(const PageOwner& owner, const FoundPage& page);

    // Forgets a page that the site has no more. False if there is none. What crawls brought stays theirs.
    Result<bool> remove(const PageOwner& owner, const UrlKey& key);

    // Counts one more miss for each page of the owner's site that only earlier groups met, and removes those
    // with at least `after_misses`. Returns how many were removed.
    Result<std::int64_t> settle(const PageOwner& owner, int after_misses);

    // What is stored of a URL; nothing for a group with zero retention.
    Result<std::optional<FormerPage>> former(const PageOwner& owner, const UrlKey& key);
    Result<bool> has_pages(const PageOwner& owner);

    // Removes up to `limit` results of a group, with the words that nobody else has. Call again until it
    // drops nothing.
    Result<DroppedPages> drop_group(GroupId group, int limit);
    // Removes up to `limit` pages that are only cached, were fetched so long ago, and are in no group.
    // Returns how many.
    Result<std::int64_t> drop_cached(Timestamp fetched_until, int limit);

private:
    struct Statements {
        db::Statement find, insert_page, replace_page, touch_page, insert_content, add_html, drop_content,
            drop_media, insert_result, forget_results, forget_content, forget_url, set_outbox, delete_page,
            count_misses, missed_pages, has_pages, results, delete_results, pages_without_retention,
            drop_with_group, drop_cached;
    };
    // A page row as far as writing needs it.
    struct Row {
        PageId page{};
        ContentId content{};
        std::optional<std::int64_t> outbox{};
        std::int64_t version = 0;
        std::uint64_t content_hash = 0;
        std::string url{}, etag{}, last_modified{};
        PageKeeping keeping = PageKeeping::for_good;
    };

    PageRows(Statements statements, Surroundings surroundings)
        : sql_(std::move(statements)), around_(std::move(surroundings)) {}

    static Row row_of(const db::Statement& statement);
    Result<std::optional<Row>> find(const std::string& collection, const UrlKey& key);
    Result<PageChange> insert_or_replace(const PageOwner& owner, const PageWrite& write,
                                         const std::optional<Row>& row);
    Result<PageChange> insert(const PageOwner& owner, const PageWrite& write);
    Result<PageChange> replace(const PageOwner& owner, const PageWrite& write, const Row& row);
    Result<PageChange> touch(const PageOwner& owner, const PageWrite& write, const Row& row);
    Result<void> index_if_unknown(const PageOwner& owner, const Row& row);
    Result<ContentId> insert_content(PageId page, const PackedContent& content);
    Result<bool> drop_content(ContentId content);
    Result<std::optional<std::int64_t>> queue(const PageOwner& owner, ChangeRow change,
                                              std::optional<std::int64_t> former);
    Result<std::int64_t> insert_change(const PageOwner& owner, ChangeRow row);
    Result<void> remove(const PageOwner& owner, const Row& row);

    Statements sql_;
    Surroundings around_;
};

}  // namespace quarry::store
