// The ids that users see, in SQL: the same as model/ids.h and model/collection.h make, for columns and
// views that people read with SQL.
#pragma once

namespace quarry::store::postgres {

inline constexpr const char* schema_1_ids = R"sql(
-- The number that public ids are made with: 64 random bits, given once. As a function it is a constant, so that
-- ids made with it can be stored and indexed.
create function quarry.set_salt(salt bigint) returns void language plpgsql as $$
begin
    insert into quarry.meta values ('salt', salt) on conflict (name) do update set value = excluded.value;
    execute format('create or replace function quarry.salt() returns bigint language sql immutable parallel safe as %L',
                   format('select %L::bigint', salt));
end $$;

-- A number mixed with the salt: 31 bits. Sums and products are kept below 2^63 by parts of 32 and 16 bits,
-- since a bigint does not wrap around.
create function quarry.mixed(half bigint, salt bigint, round bigint) returns bigint
language plpgsql immutable parallel safe as $$
declare
    low  bigint := (half & 4294967295) + (salt & 4294967295) + 2135587861 * (round + 1);
    high bigint := ((half >> 32) & 4294967295) + ((salt >> 32) & 4294967295) + 2654435769 * (round + 1) + (low >> 32);
    x    bigint := ((high & 4294967295) << 32) | (low & 4294967295);
    part bigint;
begin
    x := x # ((x >> 30) & 17179869183);
    high := (x >> 32) & 4294967295;  -- times 0xbf58476d1ce4e5b9
    low := x & 4294967295;
    part := low * 7396;
    x := low * 58809 + ((part & 65535) << 16);
    x := (((x >> 32) + (part >> 16) + high * 58809 + (((high * 7396) & 65535) << 16)
           + low * 18285 + (((low * 48984) & 65535) << 16)) << 32) | (x & 4294967295);
    x := x # ((x >> 27) & 137438953471);
    high := (x >> 32) & 4294967295;  -- times 0x94d049bb133111eb
    low := x & 4294967295;
    part := low * 4913;
    x := low * 4587 + ((part & 65535) << 16);
    x := (((x >> 32) + (part >> 16) + high * 4587 + (((high * 4913) & 65535) << 16)
           + low * 18875 + (((low * 38096) & 65535) << 16)) << 32) | (x & 4294967295);
    return (x # ((x >> 31) & 8589934591)) & 2147483647;
end $$;

create function quarry.public_id(number bigint, created_at bigint) returns uuid
language plpgsql immutable strict parallel safe as $$
declare
    stamp bigint := created_at & 281474976710655;
    salt  bigint := quarry.salt();
    front bigint := (number >> 31) & 2147483647;
    back  bigint := number & 2147483647;
    next  bigint;
begin
    for round in 0..3 loop
        next := front # quarry.mixed(back, salt # stamp, round);
        front := back;
        back := next;
    end loop;
    number := front << 31 | back;
    return (lpad(to_hex(stamp), 12, '0') || '7' || lpad(to_hex(quarry.mixed(number # stamp, salt, 4) & 4095), 3, '0')
            || to_hex(number | (1::bigint << 63)))::uuid;
end $$;

-- The way back: the number that an id was made of; null for what is no such id.
create function quarry.number_of(id uuid) returns bigint language plpgsql immutable strict parallel safe as $$
declare
    digits text := replace(id::text, '-', '');
    stamp  bigint := ('x' || lpad(left(digits, 12), 16, '0'))::bit(64)::bigint;
    value  bigint := ('x' || right(digits, 16))::bit(64)::bigint & 4611686018427387903;
    salt   bigint := quarry.salt();
    front  bigint := (value >> 31) & 2147483647;
    back   bigint := value & 2147483647;
    prior  bigint;
begin
    for round in reverse 3..0 loop
        prior := back # quarry.mixed(front, salt # stamp, round);
        back := front;
        front := prior;
    end loop;
    return case when quarry.public_id(front << 31 | back, stamp) = id then front << 31 | back end;
end $$;

-- SHA-1, which a server without extensions lacks (FIPS 180-4). Of short texts, once for each owner.
create function quarry.sha1(message bytea) returns bytea language plpgsql immutable strict parallel safe as $$
declare
    h bigint[] := array[1732584193, 4023233417, 2562383102, 271733878, 3285377520];
    padded bytea := message || '\x80' || decode(repeat('00', (119 - length(message) % 64) % 64), 'hex')
                    || int8send(length(message) * 8::bigint);
    w bigint[]; a bigint; b bigint; c bigint; d bigint; e bigint; f bigint; k bigint; x bigint;
    hash text := '';
begin
    for start in 0..length(padded) - 64 by 64 loop
        for i in 0..79 loop
            if i < 16 then
                w[i] := ('x' || encode(substr(padded, start + i * 4 + 1, 4), 'hex'))::bit(32)::bigint & 4294967295;
            else
                x := w[i - 3] # w[i - 8] # w[i - 14] # w[i - 16];
                w[i] := ((x << 1) | (x >> 31)) & 4294967295;
            end if;
        end loop;
        a := h[1]; b := h[2]; c := h[3]; d := h[4]; e := h[5];
        for i in 0..79 loop
            if i < 20 then f := (b & c) | (~b & 4294967295 & d); k := 1518500249;
            elsif i < 40 then f := b # c # d; k := 1859775393;
            elsif i < 60 then f := (b & c) | (b & d) | (c & d); k := 2400959708;
            else f := b # c # d; k := 3395469782;
            end if;
            x := ((((a << 5) | (a >> 27)) & 4294967295) + f + e + k + w[i]) & 4294967295;
            e := d; d := c; c := ((b << 30) | (b >> 2)) & 4294967295; b := a; a := x;
        end loop;
        h := array[h[1] + a, h[2] + b, h[3] + c, h[4] + d, h[5] + e];
        for i in 1..5 loop h[i] := h[i] & 4294967295; end loop;
    end loop;
    for i in 1..5 loop hash := hash || lpad(to_hex(h[i]), 8, '0'); end loop;
    return decode(hash, 'hex');
end $$;

-- A name that is a UUID stays it; of another the UUID (version 5) is always the same.
create function quarry.owner_uuid(name text) returns uuid language plpgsql immutable strict parallel safe as $$
declare
    hash bytea;
begin
    if name ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then return name::uuid; end if;
    hash := substr(quarry.sha1('\x5b0e5d2c8a414f0e9d6b717561727279'::bytea || convert_to(name, 'UTF8')), 1, 16);
    hash := set_byte(hash, 6, (get_byte(hash, 6) & 15) | 80);
    hash := set_byte(hash, 8, (get_byte(hash, 8) & 63) | 128);
    return encode(hash, 'hex')::uuid;
end $$;

select quarry.set_salt(coalesce((select value from quarry.meta where name = 'salt'),
    ('x' || left(gen_random_uuid()::text, 8) || left(gen_random_uuid()::text, 8))::bit(64)::bigint));
)sql";

}  // namespace quarry::store::postgres
