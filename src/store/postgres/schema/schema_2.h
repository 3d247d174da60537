// Version 2 of the schema: what many processes need to outlive crashes of the database.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* schema_2 = R"sql(
-- Claims need not survive a crash of the server, and neither do the numbers that a sequence gave them: the same are given
-- again. A few random bits keep apart what two claims of the same job were given.
create function quarry.new_token() returns bigint language sql volatile parallel unsafe as $$
    select nextval('quarry.token') * 65536 + floor(random() * 65536)::bigint
$$;

-- Says of a transaction whose answer was lost whether it was committed. Its number alone does not: a server that crashed
-- may have given the same to another one since. One row for each connection at work, overwritten each time.
create table quarry.witness(
    slot  bigint primary key,  -- random
    count bigint not null,     -- of the last transaction that wrote it
    at    bigint not null
) with (fillfactor = 50);

-- Who does what is to be done once for all: as long as `until` is not over, and others may not.
create table quarry.leader(
    duty   text primary key,
    holder bigint not null,  -- random, of a process
    until  bigint not null
) with (fillfactor = 50);
)sql";

}  // namespace quarry::store::postgres
