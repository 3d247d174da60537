// The data folder and what is in it.
#include <filesystem>

#include <fmt/format.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "app/doctor/doctor.h"
#include "app/owner/client.h"
#include "base/units.h"
#include "db/sqlite.h"
#include "embed/space/space.h"
#include "index/embedded/embedded_index.h"

namespace quarry::app {
namespace {

namespace fs = std::filesystem;

// Reading this much takes about a second: more is read only if asked for.
constexpr std::uint64_t quickly_read_bytes = 256ULL << 20;
// The log is emptied again and again; if it is this long, a reader has kept the writer from doing so.
constexpr std::uint64_t long_log_bytes = 512ULL << 20;
// From linux/magic.h, which not every system has.
constexpr long nfs_magic = 0x6969, smb_magic = 0x517B, smb2_magic = static_cast<long>(0xFE534D42);

// "1.5 GB"; settings want exact sizes (base/units.h), people do not.
std::string in_units(std::uint64_t bytes) {
    constexpr const char* units[] = {"bytes", "KB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    auto size = static_cast<double>(bytes);
    for (; size >= 1'024 && unit + 1 < std::size(units); ++unit) size /= 1'024;
    return fmt::format("{:.{}f} {}", size, unit > 1 && size < 100 ? 1 : 0, units[unit]);
}

std::string count_of(std::int64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::uint64_t size_of(const std::string& path) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    return error ? 0 : size;
}

bool exists(const std::string& path) {
    std::error_code error;
    return fs::exists(path, error);
}

std::string nearest_existing(const std::string& path) {
    fs::path at(path);
    while (at.has_relative_path() && !exists(at.string())) at = at.parent_path();
    return at.string();
}

Finding examine_folder(const DataSource& place) {
    const std::string& path = place.folder.path;
    const std::string above = nearest_existing(path);
    Finding finding{.subject = "data folder", .says = path};
    if (const auto user = place.folder.other_user()) {
        finding.says = fmt::format("{}, which belongs to {} and is open to you", path, *user);
        return finding;
    }
    if (access(above.c_str(), W_OK | X_OK) != 0)
        return {"data folder", Health::fail, fmt::format("{} cannot be written to", above),
                "Change who owns it, or use another one: --data DIR or QUARRY_DATA"};
    struct statfs system{};
    if (statfs(above.c_str(), &system) != 0) return finding;
    const std::uint64_t free_bytes =
        static_cast<std::uint64_t>(system.f_bavail) * static_cast<std::uint64_t>(system.f_bsize);
    const std::uint64_t low = place.settings.bytes("store.low_disk");
    finding.says =
        fmt::format("{}{}, {} free", path, exists(path) ? "" : " (not made yet)", in_units(free_bytes));
    if (free_bytes < low) {
        finding.health = Health::fail;
        finding.advice = fmt::format(
            "No new work is taken below {} (store.low_disk): make room, or use another disk with --data",
            in_units(low));
    } else if (free_bytes < 4 * low) {
        finding.health = Health::warn;
        finding.advice = fmt::format("Work stops at {} (store.low_disk)", in_units(low));
    } else if (const std::string exposure = place.folder.exposure(); !exposure.empty()) {
        finding.health = Health::warn;
        finding.advice = "Others on this machine can look into it: chmod 700 " + place.folder.root;
    } else if (system.f_type == nfs_magic || system.f_type == smb_magic || system.f_type == smb2_magic) {
        finding.health = Health::warn;
        finding.advice = "Databases can break on network file systems: use a local disk";
    }
    return finding;
}

// Fails with the first thing that is wrong with the file.
Result<void> check_file(const std::string& path) {
    db::Connection connection = TRY(db::Connection::open(path, db::Access::read_only));
    db::Statement check = TRY(connection.prepare("PRAGMA quick_check(1)"));
    const bool has_row = TRY(check.step());
    if (has_row && check.text(0) == "ok") return {};
    return fail(ErrorCode::corrupt, has_row ? std::string(check.text(0)) : "nothing could be read");
}

// Nothing if the file is sound, or too large to be read now.
Result<void> check_soundness(const std::string& path, Care care) {
    if (care == Care::quick && size_of(path) > quickly_read_bytes) return {};
    return check_file(path);
}

struct StoreTotals {
    std::int64_t pages = 0;
    std::ptrdiff_t collections = 0;
};

Result<StoreTotals> count_store(const DataSource& place) {
    const auto reader = TRY(open_reader(place));
    StoreTotals totals;
    for (const Collection& collection : TRY(reader->collections())) {
        totals.pages += collection.pages;
        ++totals.collections;
    }
    return totals;
}

Finding examine_shared_store(const DataSource& place) {
    const auto totals = count_store(place);
    if (!totals)
        return {"store", Health::fail, totals.error().message,
                "Look whether the database runs, and at --store (QUARRY_STORE)"};
    return {.subject = "store",
            .says = fmt::format("{} in {}, at {}", count_of(totals->pages, "page"),
                                count_of(totals->collections, "collection"), shown(place))};
}

constexpr const char* from_a_backup =
    "Stop the worker (quarry daemon stop), keep a copy of the file, and put a backup in its place";

// A disk that is full, or does not answer, is no damage.
Finding unreadable(std::string subject, const std::string& path, const Error& error, std::string if_damaged) {
    if (error.code == ErrorCode::corrupt || error.code == ErrorCode::invalid_argument)
        return {std::move(subject), Health::fail, fmt::format("{} is damaged: {}", path, error.message),
                std::move(if_damaged)};
    const bool is_away = error.code == ErrorCode::unavailable;
    return {std::move(subject), Health::fail, error.message,
            is_away ? "It cannot be read just now: look at the disk, and at who may read it"
                    : "See quarry status"};
}

Finding examine_store(const DataSource& place, Care care) {
    if (place.store.is_shared()) return examine_shared_store(place);
    const std::string path = place.folder.database();
    if (!exists(path)) return {.subject = "store", .says = "nothing is stored yet"};
    const auto totals = count_store(place);
    if (!totals) return unreadable("store", path, totals.error(), from_a_backup);
    if (const auto sound = check_soundness(path, care); !sound)
        return unreadable("store", path, sound.error(), from_a_backup);
    const std::uint64_t log = size_of(path + "-wal");
    const bool was_read = care == Care::thorough || size_of(path) <= quickly_read_bytes;
    Finding finding{.subject = "store",
                    .says = fmt::format("{} in {}, {}, log {}{}", count_of(totals->pages, "page"),
                                        count_of(totals->collections, "collection"), in_units(size_of(path)),
                                        in_units(log), was_read ? "" : ", not read whole (--thorough does)")};
    if (log > long_log_bytes) {
        finding.health = Health::warn;
        finding.advice =
            "The log is long because something keeps reading: look for a program that has the "
            "database open, then restart the worker";
    }
    return finding;
}

struct IndexTotals {
    std::int64_t pages = 0, chunks = 0;
};

// Reads what a search and the worker would stumble over: spaces, texts and vectors.
Result<void> read_collection(index::EmbeddedIndex& index, const std::string& collection) {
    const auto space = TRY(index.space(collection, 0));
    if (space) TRY(embed::Space::parse(space->bytes));
    for (std::int64_t after = 0;;) {
        const auto chunks = TRY(index.chunks_after(collection, after, 1'000, 1));
        if (chunks.empty()) return {};
        after = chunks.back().id;
    }
}

Result<IndexTotals> count_index(const std::string& path, Care care) {
    const auto index =
        TRY(index::open_embedded_index({.path = path, .access = index::EmbeddedIndexConfig::Access::read}));
    IndexTotals totals;
    for (const std::string& collection : TRY(index->collections())) {
        const index::IndexFacts facts = TRY(index->facts(collection));
        totals.pages += facts.pages;
        totals.chunks += facts.chunks;
        if (care == Care::thorough || size_of(path) <= quickly_read_bytes)
            TRY(read_collection(*index, collection));
    }
    return totals;
}

constexpr const char* made_anew =
    "Nothing is lost: a worker that meets the damage makes it anew from the pages. To have it now, stop the "
    "worker, delete the file, and start it again";

Finding examine_index(const DataSource& place, Care care) {
    const std::string path = place.folder.index();
    if (!place.settings.text("index.qdrant_url").empty())
        return {.subject = "search index", .says = "kept in Qdrant"};
    if (!exists(path)) return {.subject = "search index", .says = "nothing is indexed yet"};
    if (const auto sound = check_soundness(path, care); !sound)
        return unreadable("search index", path, sound.error(), made_anew);
    const auto totals = count_index(path, care);
    if (!totals) return unreadable("search index", path, totals.error(), made_anew);
    return {.subject = "search index",
            .says = fmt::format("{} chunks of {} pages, {}", totals->chunks, totals->pages,
                                in_units(size_of(path)))};
}

Finding examine_queue(const DataSource& place) {
    const auto reader = open_reader(place);
    if (!reader) return {.subject = "embedding queue", .says = "empty"};
    const auto counts = (*reader)->outbox_counts("", std::nullopt);
    if (!counts) return {"embedding queue", Health::fail, counts.error().message, "See quarry queue status"};
    const std::int64_t waiting = counts->pending + counts->processing;
    Finding finding{.subject = "embedding queue",
                    .says = fmt::format("{} pages wait, {} failed", waiting, counts->failed)};
    if (!counts->last_error.empty()) finding.says += fmt::format(" (last error: {})", counts->last_error);
    if (counts->failed > 0) {
        finding.health = Health::warn;
        finding.advice = "See quarry embed-queue list --state failed, then quarry embed-queue retry";
    } else if (waiting > 0 && !OwnerClient::connect(place.folder, place.version)) {
        finding.health = Health::warn;
        finding.advice = "A worker indexes them: quarry queue process --all, or quarry daemon start";
    }
    return finding;
}

Finding examine_owner(const DataSource& place) {
    const auto owner = OwnerClient::connect(place.folder, place.version);
    if (owner)
        return {.subject = "worker",
                .says = fmt::format("process {} works here ({}, version {})", owner->owner().process,
                                    name_of(owner->owner().role), owner->owner().version)};
    if (owner.error().code == ErrorCode::not_found)
        return {.subject = "worker", .says = "none runs; one is started when there is work"};
    const auto holder = lock_holder(place.folder);
    return {"worker", Health::fail, owner.error().message,
            holder
                ? fmt::format("Process {} holds the data folder and does not answer: end it, nothing is lost",
                              holder->process)
                : "End the process that uses the data folder"};
}

}  // namespace

std::vector<Finding> examine_data(const DataSource& place, Care care) {
    // What nobody works on only its owner can look into.
    if (place.folder.other_user() && !OwnerClient::connect(place.folder, place.version))
        return {{"data folder", Health::fail, nobody_works_on(place.folder).message,
                 "Look at systemctl status quarry, or ask who runs it"}};
    return {examine_folder(place), examine_store(place, care), examine_index(place, care),
            examine_queue(place), examine_owner(place)};
}

}  // namespace quarry::app
