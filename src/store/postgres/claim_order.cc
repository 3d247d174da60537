#include "store/postgres/claim_order.h"

#include <algorithm>

namespace quarry::store::postgres {

namespace {

using namespace std::chrono_literals;

// So long the beginning of a line is believed to be where it was.
constexpr auto head_lives = 100ms;
// Lines of groups that are long over are forgotten with all others.
constexpr std::size_t remembered_lanes = 100'000;

// Where a line begins: at its first job, or, when all have been claimed, behind the last turn ever given.
// Known turns are a lower bound, so that what was claimed and not yet vacuumed is not walked over.
constexpr db::PgStatement read_sql{"read_turns", R"sql(
    select coalesce((select turn from quarry.ready
                     where kind = $1::int2 and priority = $2::int4 and turn >= $5 order by turn limit 1),
                    (select max(turn) from quarry.lane where kind = $1::int2 and priority = $2::int4), 0),
           coalesce((select turn from quarry.lane
                     where kind = $1::int2 and priority = $2::int4 and owner = $3::int4 and grp = $4), 0))sql"};

constexpr db::PgStatement save_sql{"save_turns", R"sql(
    with given as (select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                       as u(kind, priority, owner, grp, turn)),
         free as (select lane.kind, lane.priority, lane.owner, lane.grp from quarry.lane join given
                  using (kind, priority, owner, grp) order by 1, 2, 3, 4 for update of lane skip locked),
         changed as (update quarry.lane set turn = greatest(lane.turn, given.turn)
                     from given join free using (kind, priority, owner, grp)
                     where (lane.kind, lane.priority, lane.owner, lane.grp) =
                           (free.kind, free.priority, free.owner, free.grp))
    insert into quarry.lane(kind, priority, owner, grp, turn)
    select kind, priority, owner, grp, turn from given
    where not exists (select 1 from quarry.lane known where (known.kind, known.priority, known.owner, known.grp) =
                      (given.kind, given.priority, given.owner, given.grp))
    on conflict do nothing)sql"};
// The same of one that is in the table, as most are: a third of the work.
constexpr db::PgStatement save_known_sql{"save_known_turn", R"sql(
    with free as materialized (select ctid from quarry.lane
                               where kind = $1::int2 and priority = $2::int4 and owner = $3::int4 and grp = $4
                               for update skip locked)
    update quarry.lane set turn = greatest(lane.turn, $5) from free where lane.ctid = free.ctid)sql"};

}  // namespace

Result<Turns::Read> Turns::read(db::PgConnection& connection, const Lane& lane, std::int64_t head) {
    const db::PgRows rows =
        TRY(connection.run(read_sql, db::PgValues(lane.kind, lane.priority, lane.owner, lane.group, head)));
    return Read{.head = rows.integer(0, 0), .last = rows.integer(0, 1)};
}

Result<std::int64_t> Turns::take(db::PgConnection& connection, const Lane& lane, std::int64_t count) {
    const Line line{lane.kind, lane.priority};
    const auto now = std::chrono::steady_clock::now();
    std::int64_t head = 0;
    const bool is_known = state_.with([&](State& state) {
        const Head& known = state.heads[line];
        head = known.turn;
        return state.last.contains(lane) && now - known.read_at < head_lives;
    });
    std::optional<Read> read_now;
    if (!is_known) read_now = TRY(read(connection, lane, head));
    return state_.with([&](State& state) {
        if (state.last.size() > remembered_lanes) state.last.clear();
        Last& last = state.last[lane];
        Head& known = state.heads[line];
        if (read_now) {
            known = {std::max(known.turn, read_now->head), now};
            last.turn = std::max(last.turn, read_now->last);
            last.is_saved = read_now->last > 0;
        }
        const std::int64_t first = std::max(last.turn + 1, known.turn);
        last.turn = first + count - 1;
        return first;
    });
}

void Turns::save(db::PgConnection& connection, const std::vector<Lane>& lanes) {
    const auto last_of = [this](const Lane& lane) {
        return state_.with([&](State& state) { return state.last[lane]; });
    };
    if (lanes.size() == 1) {
        const Lane& lane = lanes.front();
        if (const Last last = last_of(lane); last.is_saved) {
            connection.later(save_known_sql,
                             db::PgValues(lane.kind, lane.priority, lane.owner, lane.group, last.turn));
            return;
        }
    }
    db::PgIntegers kinds, priorities, owners, groups, turns;
    for (const Lane& lane : lanes) {
        kinds.emplace_back(lane.kind);
        priorities.emplace_back(lane.priority);
        owners.emplace_back(lane.owner);
        groups.emplace_back(lane.group);
        turns.emplace_back(last_of(lane).turn);
    }
    connection.later(save_sql, db::PgValues(kinds, priorities, owners, groups, turns));
}

}  // namespace quarry::store::postgres
