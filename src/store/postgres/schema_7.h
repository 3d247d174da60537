// Version 7 of the schema: how much an owner may keep.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* schema_7 = R"sql(
alter table quarry.owner add column stored_bytes bigint not null default 0;
)sql";

}  // namespace quarry::store::postgres
