// What is known of the server itself and of what was done with it.
#include <map>

#include <boost/json.hpp>

#include "api/own/query.h"
#include "api/own/routes.h"
#include "api/own/scope.h"
#include "api/server/message.h"
#include "base/guarded.h"
#include "model/json/fields.h"
#include "model/json/readable.h"
#include "model/json/records.h"
#include "search/json.h"
#include "store/records.h"

namespace quarry::api::own {
namespace {

namespace json = boost::json;

constexpr std::size_t most_queries = 1'000;

// The collection that is meant, by the name that the store has; said by the name that was asked for.
Result<json::value> search_own(Api& api, const Call& call, json::object request) {
    const auto parsed = TRY(search::parse_request(request));
    request["collection"] = call.collection(parsed.collection);
    json::value answer = TRY(api.services().perform("search", request));
    answer.get_object()["collection"] = parsed.collection;
    return answer;
}

// A name that was mistyped finds nothing either. Who names none may have stored nothing yet.
Result<void> check_collection(store::Reader& reader, const Call& call) {
    if (!call.body.contains("collection")) return {};
    const auto parsed = TRY(search::parse_request(call.body));
    if (TRY(reader.collection(call.collection(parsed.collection)))) return {};
    return std::unexpected(no_such_collection(parsed.collection, TRY(own_collections(reader, call))));
}

Result<json::value> answer_to(Api& api, store::Reader& reader, const Call& call) {
    json::value found = TRY(search_own(api, call, call.body));
    const json::value* hits = found.get_object().if_contains("hits");
    if (hits && hits->is_array() && hits->get_array().empty()) TRY(check_collection(reader, call));
    return found;
}

// Each query with all else that is asked for, one after the other. A query without a word in it has no hits.
Result<json::value> answer_each(Api& api, const Call& call, const json::object& request,
                                const std::vector<std::string>& queries) {
    json::array answers;
    for (const std::string& query : queries) {
        json::object one = request;
        one["query"] = query;
        auto answer = search_own(api, call, one);
        if (!answer && answer.error().code != ErrorCode::invalid_argument)
            return std::unexpected(answer.error());
        const search::SearchRequest empty{.query = query};
        answers.push_back(answer ? *std::move(answer) : search::to_json(search::SearchAnswer{}, empty));
    }
    return json::object{{"success", true}, {"answers", std::move(answers)}};
}

// What is summed up by day, or kept of requests, is of all owners.
bool sees_sums(const Call& call) {
    return call.owner == local_owner;
}

Error sums_are_not_shown() {
    return {ErrorCode::refused, "what is summed up by day is of all owners, and shown to the machine's own"};
}

// One who follows what happens: those who read too slowly are cut off.
bool tell(Follower& follower, const store::Event& event) {
    follower.send(readable_json(store::record_of(event)));
    return follower.is_open();
}

// Events of all that is one owner's. Whose an event is says only its crawl, which is looked up once.
class OwnEvents : public std::enable_shared_from_this<OwnEvents> {
public:
    OwnEvents(Api& api, std::shared_ptr<Follower> follower, std::string owner)
        : api_(api), follower_(std::move(follower)), owner_(std::move(owner)) {}

    bool hear(const store::Event& event) {
        const auto is_own = event.group ? known(*event.group) : std::optional(owner_ == local_owner);
        if (is_own && *is_own) return tell(*follower_, event);
        if (!is_own)
            api_.post(owner_, [self = shared_from_this(), event](store::Reader& reader) {
                self->look_up(reader, event);
            });
        return follower_->is_open();
    }

private:
    std::optional<bool> known(GroupId group) {
        return crawls_.with([&](std::map<GroupId, bool>& crawls) -> std::optional<bool> {
            const auto found = crawls.find(group);
            return found == crawls.end() ? std::nullopt : std::optional(found->second);
        });
    }

    void look_up(store::Reader& reader, const store::Event& event) {
        constexpr std::size_t most_known = 10'000;
        const auto group = reader.group(*event.group);
        const bool is_own = group && group->owner == owner_;
        crawls_.with([&](std::map<GroupId, bool>& crawls) {
            if (crawls.size() >= most_known) crawls.clear();
            crawls[*event.group] = is_own;
        });
        if (is_own) tell(*follower_, event);
    }

    Api& api_;
    const std::shared_ptr<Follower> follower_;
    const std::string owner_;
    Guarded<std::map<GroupId, bool>> crawls_;
};

}  // namespace

void show_server(Api& api, store::Reader& reader, Call call) {
    call.respond(reply(json::object{{"name", "quarry"},
                                    {"version", api.services().version},
                                    {"api", api_number},
                                    {"salt", hex_of(reader.salt())},
                                    {"owner", call.owner}}));
}

void list_workers(Api&, store::Reader& reader, Call call) {
    const auto workers = reader.workers();
    if (!workers) return call.respond(reply(workers.error()));
    json::array records;
    for (const store::WorkerInfo& worker : *workers) records.push_back(record_of(worker));
    call.respond(reply(json::object{{"success", true}, {"workers", std::move(records)}}));
}

void list_sessions(Api&, store::Reader& reader, Call call) {
    constexpr int most = 10'000;
    Query query(call.request());
    const store::SessionFilter filter{.operation = query.text("operation"),
                                      .since = query.time("since"),
                                      .before = query.time("before"),
                                      .limit = query.limit(100, most)};
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    const auto sessions = reader.sessions(filter);
    if (!sessions) return call.respond(reply(sessions.error()));
    json::array records;
    for (const Session& session : *sessions)
        if (is_own(call, session)) records.push_back(record_of(session));
    call.respond(reply(json::object{{"success", true}, {"sessions", std::move(records)}}));
}

void list_session_days(Api&, store::Reader& reader, Call call) {
    constexpr int most = 10'000;
    Query query(call.request());
    const int limit = query.limit(100, most);
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    if (!sees_sums(call)) return call.respond(reply(sums_are_not_shown()));
    const auto days = reader.session_days(limit);
    if (!days) return call.respond(reply(days.error()));
    json::array records;
    for (const SessionDay& day : *days) records.push_back(record_of(day));
    call.respond(reply(json::object{{"success", true}, {"days", std::move(records)}}));
}

void list_operations(Api&, store::Reader& reader, Call call) {
    constexpr int most = 10'000;
    Query query(call.request());
    const std::string collection = query.text("collection");
    const store::OperationFilter filter{.since = query.time("since"),
                                        .before = query.time("before"),
                                        .collection = collection.empty() ? "" : call.collection(collection),
                                        .limit = query.limit(100, most)};
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    if (!sees_sums(call)) return call.respond(reply(sums_are_not_shown()));
    const auto operations = reader.operations(filter);
    if (!operations) return call.respond(reply(operations.error()));
    json::array records;
    for (const Operation& operation : *operations) records.push_back(record_of(operation, reader.salt()));
    call.respond(reply(json::object{{"success", true}, {"operations", std::move(records)}}));
}

void list_operation_days(Api&, store::Reader& reader, Call call) {
    constexpr int most = 10'000;
    Query query(call.request());
    const int limit = query.limit(100, most);
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    if (!sees_sums(call)) return call.respond(reply(sums_are_not_shown()));
    const auto days = reader.operation_days(limit);
    if (!days) return call.respond(reply(days.error()));
    json::array records;
    for (const OperationDay& day : *days) records.push_back(record_of(day));
    call.respond(reply(json::object{{"success", true}, {"days", std::move(records)}}));
}

void list_requests(Api&, store::Reader& reader, Call call) {
    constexpr int most = 10'000, most_status = 599;
    Query query(call.request());
    const store::RequestFilter filter{
        .since = query.time("since"),
        .before = query.time("before"),
        .owner = sees_sums(call) ? query.text("owner") : call.owner,
        .least_status = static_cast<int>(query.integer("least_status", 0, most_status).value_or(0)),
        .limit = query.limit(100, most)};
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    const auto requests = reader.requests(filter);
    if (!requests) return call.respond(reply(requests.error()));
    json::array records;
    for (const RequestRecord& request : *requests) records.push_back(record_of(request));
    call.respond(reply(json::object{{"success", true}, {"requests", std::move(records)}}));
}

void list_request_days(Api&, store::Reader& reader, Call call) {
    constexpr int most = 100'000;
    Query query(call.request());
    const int limit = query.limit(1'000, most);
    if (!query.issues().empty()) return call.respond(reply(query.issues()));
    if (!sees_sums(call)) return call.respond(reply(sums_are_not_shown()));
    const auto days = reader.request_days(limit);
    if (!days) return call.respond(reply(days.error()));
    json::array records;
    for (const RequestDay& day : *days) records.push_back(record_of(day));
    call.respond(reply(json::object{{"success", true}, {"days", std::move(records)}}));
}

void search(Api& api, store::Reader&, Call call) {
    if (const auto request = search::parse_request(call.body); !request)
        return call.respond(reply(request.error()));
    api.post_slow(call, [&api, call](store::Reader& reader) { answer(call, answer_to(api, reader, call)); });
}

void search_many(Api& api, store::Reader&, Call call) {
    std::vector<Issue> issues;
    Fields fields(call.body, issues);
    const auto queries = fields.texts("queries");
    if (!fields.any("queries")) fields.reject("queries", "is missing");
    if (queries && queries->size() > most_queries) fields.reject("queries", "has more than 1000 of them");
    if (!issues.empty()) return call.respond(reply(issues));
    call.body.erase("queries");
    call.body["query"] = "";
    if (const auto request = search::parse_request(call.body); !request)
        return call.respond(reply(request.error()));
    api.post_slow(call, [&api, call, queries = *queries](store::Reader&) {
        answer(call, answer_each(api, call, call.body, queries));
    });
}

// Events of crawls and jobs as they happen. Of one crawl with ?crawl=, else of all that are the caller's.
void stream_events(Api& api, store::Reader& reader, Call call) {
    const auto wanted = call.request().parameter("crawl");
    std::optional<GroupId> group;
    if (wanted) {
        const auto found = find_crawl(reader, call, *wanted);
        if (!found) return call.respond(reply(found.error()));
        group = found->id;
    }
    const std::shared_ptr<Follower> follower = call.exchange->begin_events({});
    const auto is_wanted = [follower] { return follower->is_open(); };
    if (group)
        return api.live().listen(
            group, [follower](const store::Event& event) { return tell(*follower, event); }, is_wanted);
    const auto listener = std::make_shared<OwnEvents>(api, follower, call.owner);
    api.live().listen(
        std::nullopt, [listener](const store::Event& event) { return listener->hear(event); }, is_wanted);
}

}  // namespace quarry::api::own
