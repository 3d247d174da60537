// Version 3 of the schema: pictures of pages.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* schema_3 = R"sql(
-- They live no longer than what a crawl brought, and compress no further.
alter table quarry.content add column media bytea;
alter table quarry.content alter column media set storage external;
)sql";

}  // namespace quarry::store::postgres
