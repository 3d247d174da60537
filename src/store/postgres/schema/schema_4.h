// Version 4 of the schema: days of what has ended and of requests, each a partition (partitions.h).
//
// Sessions stay in one table. People's views are made of it (webhook.crawl_sessions), so that it could not be
// exchanged for a partitioned one without dropping what somebody may have built on those; and they are few:
// one for an operation, where there is a request for everything that anybody asks.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* schema_4 = R"sql(
-- The partitions, with the times that they are for: from `begins` until before `ends`. What has none is in done_other
-- and request_other.
create view quarry.day as
    select parent.relname::text as parent, format('quarry.%I', part.relname) as name,
           coalesce(substring(bounds.said from 'FROM \(''(-?\d+)''\)')::bigint, -9223372036854775808) as begins,
           coalesce(substring(bounds.said from 'TO \(''(-?\d+)''\)')::bigint, 9223372036854775807) as ends
    from pg_inherits join pg_class as part on part.oid = pg_inherits.inhrelid
         join pg_class as parent on parent.oid = pg_inherits.inhparent
         cross join lateral (select pg_get_expr(part.relpartbound, part.oid) as said) as bounds
    where pg_inherits.inhparent in ('quarry.done'::regclass, 'quarry.request'::regclass) and bounds.said <> 'DEFAULT';

-- What was written before there were days becomes one partition, until the end of today: a day can only be attached
-- after all of done_other was read to see that nothing there belongs to it, so that is to be empty. Reads it
-- once, and keeps everybody waiting meanwhile. Does nothing if a row there is of a later time.
create function quarry.set_apart(parent text, key text) returns void language plpgsql as $$
declare
    rest  text := parent || '_other';
    until bigint := (quarry.now_ms() / 86400000 + 1) * 86400000;
    apart text;
    last  bigint;
begin
    execute format('lock table quarry.%I in access exclusive mode', parent);
    execute format('select max(%I) from quarry.%I', key, rest) into last;
    select least(until, min(day.begins)) into until from quarry.day where day.parent = set_apart.parent;
    if last is null or last >= until then return; end if;
    apart := parent || to_char(to_timestamp(until / 1000) at time zone 'UTC', '"_before_"YYYYMMDD');
    execute format('alter table quarry.%I detach partition quarry.%I', parent, rest);
    execute format('alter table quarry.%I rename to %I', rest, apart);
    execute format('alter table quarry.%I attach partition quarry.%I for values from (minvalue) to (%s)', parent, apart, until);
    execute format('create table quarry.%I partition of quarry.%I default', rest, parent);
end $$;

select quarry.set_apart('done', 'finished_at'), quarry.set_apart('request', 'at');
)sql";

}  // namespace quarry::store::postgres
