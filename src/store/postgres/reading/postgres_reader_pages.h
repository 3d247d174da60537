// Stored pages as they are in PostgreSQL.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "db/postgres/connection.h"
#include "store/reader.h"

namespace quarry::store::postgres {

// The pages of a group have the URL, status and time of its own visit, and its own words. Title, language and
// the like are those of the page today. They are empty if the page is gone; the details, read with the
// content, still have them.
Result<StoredPages> read_pages(db::PgConnection& connection, const PagePage& page);

// As Reader::media.
Result<std::string> read_media(db::PgConnection& connection, ContentId version);

// As Reader::stored_bytes.
Result<std::int64_t> read_stored_bytes(db::PgConnection& connection,
                                       const std::vector<std::string>& collections);

// As Reader::page_versions.
Result<std::vector<StoredPage>> read_page_versions(db::PgConnection& connection,
                                                   std::span<const ContentId> versions);

Result<std::optional<StoredPage>> read_page(db::PgConnection& connection, std::string_view collection,
                                            const UrlKey& key);

}  // namespace quarry::store::postgres
