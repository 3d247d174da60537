#include "store/sqlite/tables/sqlite_outbox.h"

namespace quarry::store {

namespace {

// A service that was away may have left a million changes with the same time: nobody waits for all of them.
constexpr int woken_at_once = 512;

}  // namespace

Outbox::Outbox(OutboxRows rows_)
    : rows(std::move(rows_)), queue([this](const std::string& collection, UrlWindow& window) -> Result<void> {
          const auto places = TRY(rows.ready_after(collection, window.end(), UrlWindow::wanted));
          std::optional<UrlPlace> end;
          if (places.size() == UrlWindow::wanted) end = places.back();
          window.refill(places, end);
          return {};
      }) {}

Result<std::unique_ptr<Outbox>> Outbox::create(db::Connection& connection) {
    OutboxRows rows = TRY(OutboxRows::create(connection));
    return std::unique_ptr<Outbox>(new Outbox(std::move(rows)));
}

Result<void> Outbox::add(const ChangeRow& row, Timestamp now) {
    TRY(rows.insert(row, now));
    put_in_line(row);
    return {};
}

void Outbox::put_in_line(const ChangeRow& row) {
    if (row.run_at) {
        queue.delay_until(*row.run_at);
    } else {
        queue.add(row.collection, {row.priority, row.id});
    }
}

Result<void> Outbox::wake(Timestamp now) {
    if (!queue.next_due() || *queue.next_due() > now) return {};
    for (ChangeRow& row : TRY(rows.due(now, woken_at_once))) {
        row.run_at.reset();
        TRY(rows.requeue(row, std::nullopt));
        put_in_line(row);
    }
    queue.set_next_due(TRY(rows.next_due()));
    return {};
}

Result<void> Outbox::load() {
    queue.clear();
    TRY(rows.reload());
    for (const std::string& collection : rows.collections()) queue.add_unread(collection);
    queue.set_next_due(TRY(rows.next_due()));
    return {};
}

}  // namespace quarry::store
