#include "store/postgres/reading/job_sources.h"

#include <algorithm>

namespace quarry::store::postgres {

namespace {

void narrow_age(Query& query, std::string_view since, const JobFilter& filter) {
    if (!filter.older_than) return;
    query.add(" and " + std::string(since) + " <= quarry.now_ms() - ?", filter.older_than->count());
}

}  // namespace

bool has_any(const JobTable& table, const JobFilter& filter) {
    if (filter.states.empty() || !table.state_column.empty()) return true;
    return std::ranges::count(filter.states, table.only_state) > 0;
}

void narrow(Query& query, const JobTable& table, const JobFilter& filter) {
    query.add_in("job.id", filter.ids);
    // Whatever belongs to a group was made after it.
    if (filter.group) query.add(" and job.grp = ?", *filter.group).add(" and job.id > ?", *filter.group);
    if (!filter.kind.empty())
        query.add(" and job.kind = (select id from quarry.kind where name = ?)", filter.kind);
    if (!table.state_column.empty()) query.add_in(table.state_column, filter.states);
    if (!filter.owner.empty())
        query.add(" and job.owner = (select id from quarry.owner where name = ?)", filter.owner);
    if (!filter.collection.empty()) {
        query.add(" and (select grp.collection from quarry.grp where grp.id = job.grp) = ?",
                  filter.collection);
    }
    narrow_age(query, table.since, filter);
}

void narrow(Query& query, const RowSource& source, const JobFilter& filter) {
    const auto equal = [](std::string_view expression) { return " and " + std::string(expression) + " = ?"; };
    query.add_in(source.id, filter.ids);
    if (filter.group) {
        query.add(equal(source.group), *filter.group);
        query.add(" and " + std::string(source.id) + " > ?", *filter.group);
    }
    if (!filter.kind.empty()) query.add(equal(source.kind), filter.kind);
    // The few failed among a million that are done are found by an index of their own.
    if (filter.states == std::vector{JobState::failed})
        query.add(" and " + std::string(source.row_state) + " = 3");
    query.add_in(source.state, filter.states);
    if (!filter.owner.empty()) query.add(equal(source.owner), filter.owner);
    if (!filter.collection.empty()) query.add(equal(source.collection), filter.collection);
    narrow_age(query, source.since, filter);
}

}  // namespace quarry::store::postgres
