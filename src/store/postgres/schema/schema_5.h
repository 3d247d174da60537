// Version 5 of the schema: the time as an expression that the planner puts in its place. A function that says
// it is stable and calls one that is not cannot be: it was parsed and planned again in every statement, which
// took longer than most of them.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* schema_5 = R"sql(
-- The server's clock when the statement began, unless a test has set another one for its transaction.
create or replace function quarry.now_ms() returns bigint language sql stable parallel safe as $$
    select coalesce(nullif(current_setting('quarry.now', true), '')::bigint,
                    floor(extract(epoch from statement_timestamp()) * 1000)::bigint)
$$;
)sql";

}  // namespace quarry::store::postgres
