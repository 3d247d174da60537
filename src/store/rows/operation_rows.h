// Operations from rows.
#pragma once

#include "store/rows/columns.h"
#include "store/reader.h"
#include "store/rows/row.h"

namespace quarry::store {

#define OPERATION_COLUMNS                                                                              \
    "id, at, job, job_created_at, grp, grp_created_at, collection, url, request_id, error, chunk_us, " \
    "embed_us, index_us, words_us, chunks, note"
Operation operation_of(const Row auto& row) {
    using std::chrono::microseconds;
    Operation operation{.id = row.integer(0),
                        .at = time_of(row.integer(1)),
                        .job = JobId{row.integer(2)},
                        .job_created_at = time_of(row.integer(3)),
                        .group_created_at = time_of(row.optional_integer(5)),
                        .collection = std::string(row.text(6)),
                        .url = std::string(row.text(7)),
                        .request_id = std::string(row.text(8)),
                        .error = std::string(row.text(9)),
                        .timings = {.chunk = microseconds(row.integer(10)),
                                    .embed = microseconds(row.integer(11)),
                                    .index = microseconds(row.integer(12)),
                                    .words = microseconds(row.integer(13)),
                                    .chunks = row.integer(14),
                                    .note = std::string(row.text(15))}};
    if (const auto group = row.optional_integer(4)) operation.group = GroupId{*group};
    return operation;
}

#define OPERATION_DAY_COLUMNS "day, collection, pages, failed, chunk_us, embed_us, index_us, words_us, chunks"
OperationDay operation_day_of(const Row auto& row) {
    using std::chrono::microseconds;
    return {.day = time_of(row.integer(0)),
            .collection = std::string(row.text(1)),
            .pages = row.integer(2),
            .failed = row.integer(3),
            .timings = {.chunk = microseconds(row.integer(4)),
                        .embed = microseconds(row.integer(5)),
                        .index = microseconds(row.integer(6)),
                        .words = microseconds(row.integer(7)),
                        .chunks = row.integer(8)}};
}

}  // namespace quarry::store
