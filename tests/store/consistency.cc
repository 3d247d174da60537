#include "store/consistency.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace quarry::test {

namespace {

struct Rule {
    std::string_view sentence;
    std::string_view violations;  // the first column names a row
};

// States are the numbers of model/job.h and model/frontier.h. A group that is over leaves the rows that still
// waited as they were: they count as skipped, or, if it was cancelled, nowhere.
constexpr std::array rules = {
    Rule{"the file is sound",
         "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"},
    Rule{"a job is either open or ended", "SELECT id FROM job WHERE id IN (SELECT id FROM done)"},
    Rule{"an id means one thing", R"sql(
        SELECT id FROM (SELECT id FROM job UNION ALL SELECT id FROM done UNION ALL SELECT id FROM frontier
                        UNION ALL SELECT id FROM grp UNION ALL SELECT id FROM page UNION ALL SELECT id FROM content
                        UNION ALL SELECT id FROM outbox UNION ALL SELECT id FROM worker)
        GROUP BY id HAVING count(*) > 1)sql"},
    Rule{"ids come from the counter", R"sql(
        SELECT id FROM (SELECT max(id) AS id FROM job UNION ALL SELECT max(id) FROM done
                        UNION ALL SELECT max(id) FROM frontier UNION ALL SELECT max(id) FROM page
                        UNION ALL SELECT max(id) FROM content UNION ALL SELECT max(sequence) FROM result)
        WHERE id >= (SELECT value FROM meta WHERE name = 'next_id'))sql"},
    Rule{"an open job is queued or paused", "SELECT id FROM job WHERE state NOT IN (0, 5)"},
    Rule{"an ended job has ended", "SELECT id FROM done WHERE state NOT IN (2, 3, 4)"},
    Rule{"an open job has its payload", "SELECT id FROM job WHERE id NOT IN (SELECT id FROM payload)"},
    Rule{"a lease is on something that waits", R"sql(
        SELECT id FROM lease WHERE id NOT IN (SELECT id FROM job UNION SELECT id FROM frontier WHERE state = 0
                                              UNION SELECT id FROM outbox))sql"},
    Rule{"jobs of a group that is over have ended", R"sql(
        SELECT job.id FROM job JOIN grp ON grp.id = job.grp WHERE grp.state IN (2, 3, 4))sql"},

    Rule{"jobs_open", R"sql(
        SELECT id FROM grp WHERE jobs_open <> (SELECT count(*) FROM job WHERE job.grp = grp.id))sql"},
    Rule{"discovered", R"sql(
        SELECT id FROM grp WHERE discovered <> (SELECT count(*) FROM frontier WHERE grp = grp.id))sql"},
    Rule{"queued", R"sql(
        SELECT id FROM grp WHERE queued <> iif(state IN (2, 3, 4), 0,
            (SELECT count(*) FROM frontier WHERE grp = grp.id AND frontier.state = 0
                                             AND frontier.id NOT IN (SELECT id FROM lease))))sql"},
    Rule{"running", R"sql(
        SELECT id FROM grp WHERE running <> (SELECT count(*) FROM frontier WHERE grp = grp.id AND frontier.state = 0
                                                 AND frontier.id IN (SELECT id FROM lease)))sql"},
    Rule{"completed", R"sql(
        SELECT id FROM grp
        WHERE completed <> (SELECT count(*) FROM frontier WHERE grp = grp.id AND frontier.state = 2))sql"},
    Rule{"failed", R"sql(
        SELECT id FROM grp
        WHERE failed <> (SELECT count(*) FROM frontier WHERE grp = grp.id AND frontier.state = 3))sql"},
    Rule{"skipped", R"sql(
        SELECT id FROM grp
        WHERE skipped <> (SELECT count(*) FROM frontier WHERE grp = grp.id
                            AND (frontier.state = 4 OR (frontier.state = 0 AND grp.state IN (2, 3)))))sql"},
    Rule{"gone", R"sql(
        SELECT id FROM grp WHERE gone <> (SELECT count(*) FROM frontier
                                          WHERE grp = grp.id AND frontier.state = 3 AND status IN (404, 410)))sql"},
    Rule{"a group completes no more pages than it may", "SELECT id FROM grp WHERE completed > page_limit"},
    Rule{"a group that is over says when", R"sql(
        SELECT id FROM grp WHERE (state IN (2, 3, 4)) <> (finished_at IS NOT NULL))sql"},
    Rule{"a running group has something to do", R"sql(
        SELECT id FROM grp WHERE state = 1 AND jobs_open = 0 AND running = 0 AND queued = 0)sql"},

    Rule{"a result is of a URL that completed, and no URL has two", R"sql(
        SELECT url FROM result GROUP BY url
        HAVING count(*) > 1 OR url NOT IN (SELECT id FROM frontier WHERE state = 2))sql"},
    Rule{"a crawl has a page once", "SELECT page FROM result GROUP BY grp, page HAVING count(*) > 1"},
    Rule{"a result has its words", "SELECT url FROM result WHERE content NOT IN (SELECT id FROM content)"},
    Rule{"a URL that completed with a page has its words", R"sql(
        SELECT id FROM frontier WHERE content IS NOT NULL AND content NOT IN (SELECT id FROM content))sql"},
    Rule{"a page has its words", R"sql(
        SELECT id FROM page WHERE NOT EXISTS (SELECT 1 FROM content WHERE content.id = page.content
                                              AND content.page = page.id))sql"},
    Rule{"words belong to somebody", R"sql(
        SELECT id FROM content WHERE id NOT IN (SELECT content FROM page UNION SELECT content FROM result))sql"},
    // One that is leased may have lost them to a newer change, and is dropped when it ends.
    Rule{"a change that waits has its words", R"sql(
        SELECT id FROM outbox WHERE state = 0 AND content IS NOT NULL
                                AND content NOT IN (SELECT id FROM content)
                                AND id NOT IN (SELECT id FROM lease))sql"},
    Rule{"changes are counted", R"sql(
        SELECT grp FROM outbox_count WHERE
            queued <> (SELECT count(*) FROM outbox WHERE coalesce(outbox.grp, 0) = outbox_count.grp
                       AND outbox.collection = outbox_count.collection AND state = 0)
            OR completed <> (SELECT count(*) FROM outbox WHERE coalesce(outbox.grp, 0) = outbox_count.grp
                             AND outbox.collection = outbox_count.collection AND state = 2)
            OR failed <> (SELECT count(*) FROM outbox WHERE coalesce(outbox.grp, 0) = outbox_count.grp
                          AND outbox.collection = outbox_count.collection AND state = 3)
            OR cancelled <> (SELECT count(*) FROM outbox WHERE coalesce(outbox.grp, 0) = outbox_count.grp
                             AND outbox.collection = outbox_count.collection AND state = 4)
            OR paused <> (SELECT count(*) FROM outbox WHERE coalesce(outbox.grp, 0) = outbox_count.grp
                          AND outbox.collection = outbox_count.collection AND state = 5)
        UNION ALL SELECT id FROM outbox WHERE NOT EXISTS (
            SELECT 1 FROM outbox_count WHERE outbox_count.grp = coalesce(outbox.grp, 0)
                                         AND outbox_count.collection = outbox.collection))sql"},
    Rule{"of a page at most one change is leased", R"sql(
        SELECT page FROM outbox JOIN lease ON lease.id = outbox.id GROUP BY page HAVING count(*) > 1)sql"},
    Rule{"a page that waits for indexing knows its change", R"sql(
        SELECT outbox.id FROM outbox JOIN page ON page.id = outbox.page
        WHERE outbox.state = 0 AND page.outbox IS NOT outbox.id
          AND outbox.id NOT IN (SELECT id FROM lease))sql"},
};

}  // namespace

std::vector<std::string> inconsistencies(db::Connection& connection) {
    std::vector<std::string> found;
    for (const Rule& rule : rules) {
        auto statement = connection.prepare(rule.violations);
        if (!statement) {
            found.push_back(fmt::format("{}: {}", rule.sentence, statement.error().message));
            continue;
        }
        auto row = statement->step();
        if (!row) {
            found.push_back(fmt::format("{}: {}", rule.sentence, row.error().message));
        } else if (*row) {
            found.push_back(fmt::format("not true of {}: {}", statement->text(0), rule.sentence));
        }
    }
    return found;
}

}  // namespace quarry::test
