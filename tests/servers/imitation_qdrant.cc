#include "servers/imitation_qdrant.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "servers/imitation_qdrant_filter.h"

namespace quarry::test {

namespace {

namespace json = boost::json;

constexpr std::string_view root = "/collections";

json::value payload_wanted(const json::object& request, const json::object& record, bool by_default) {
    const json::value* wanted = request.if_contains("with_payload");
    if (wanted == nullptr) return by_default ? record.at("payload") : json::value(nullptr);
    if (wanted->is_bool()) return wanted->get_bool() ? record.at("payload") : json::value(nullptr);
    json::object some;
    for (const json::value& field : wanted->as_array())
        if (const json::value* value = record.at("payload").as_object().if_contains(field.as_string()))
            some[field.as_string()] = *value;
    return some;
}

// Those that are asked for by name; all for true, none by default.
void keep_vectors_wanted(const json::object& request, json::object& record) {
    const json::value* wanted = request.if_contains("with_vector");
    if (wanted != nullptr && wanted->is_bool() && wanted->get_bool()) return;
    json::object some;
    if (wanted != nullptr && wanted->is_array())
        for (const json::value& name : wanted->get_array())
            if (const json::value* vector = record.at("vector").as_object().if_contains(name.as_string()))
                some[name.as_string()] = *vector;
    const bool is_asked = wanted != nullptr && wanted->is_array();
    if (is_asked)
        record["vector"] = std::move(some);
    else
        record.erase("vector");
}

bool is_payload_selection(const json::object& request) {
    const json::value* wanted = request.if_contains("with_payload");
    return wanted == nullptr || wanted->is_bool() || wanted->is_array();
}

}  // namespace

ImitationQdrant::ImitationQdrant(ImitationQdrantOptions options)
    : options_(std::move(options)), server_(options_.port) {
    conduct.add_control(server_);
    for (const char* path : {"/healthz", "/readyz", "/livez"})
        server_.on(path, [](const ServerRequest&, Connection& connection) {
            connection.respond(200, {{"Content-Type", "text/plain"}}, "healthz check passed");
        });
    server_.on("/collections",
               [this](const auto& request, auto& connection) { handle(request, connection); });
    server_.on("/collections/*",
               [this](const auto& request, auto& connection) { handle(request, connection); });
}

void ImitationQdrant::on_change(std::function<void()> watch) {
    watch_.with([&](auto& kept) { kept = std::move(watch); });
}

void ImitationQdrant::on_result(std::function<void(const ServerRequest&)> watch) {
    result_watch_.with([&](auto& kept) { kept = std::move(watch); });
}

void ImitationQdrant::changed() {
    const auto watch = watch_.with([](const auto& kept) { return kept; });
    if (watch) watch();
}

std::size_t ImitationQdrant::count_points(const std::string& collection) {
    return collections_.with(
        [&](Collections& all) { return all.contains(collection) ? all.at(collection).size() : 0; });
}

std::size_t ImitationQdrant::count_collections() {
    return collections_.with([](const Collections& all) { return all.size(); });
}

void ImitationQdrant::answer(Call& call, json::value result) {
    const auto watch = result_watch_.with([](const auto& kept) { return kept; });
    if (watch) watch(call.request);
    conduct.answer(
        call.connection,
        json::object{{"usage", nullptr}, {"time", 0.002}, {"status", "ok"}, {"result", std::move(result)}});
}

void ImitationQdrant::answer_update(Call& call) {
    const bool is_waited_for = call.request.parameter("wait") == "true" && call.fault != Fault::unfinished;
    answer(call, json::object{{"operation_id", 7}, {"status", is_waited_for ? "completed" : "acknowledged"}});
}

void ImitationQdrant::refuse(Call& call, int status, const std::string& error) {
    respond_json(call.connection, status,
                 json::object{{"time", 0.0}, {"status", json::object{{"error", error}}}});
}

void ImitationQdrant::refuse_shape(Call& call, const std::string& error) {
    conduct.complain(call.request, error);
    refuse(call, 400, error);
}

bool ImitationQdrant::has_only(Call& call, std::initializer_list<std::string_view> fields) {
    const std::string unknown = unknown_field(call.body, fields);
    if (!unknown.empty()) refuse_shape(call, "Format error in JSON body: unknown field " + unknown);
    return unknown.empty();
}

template <typename Use>
bool ImitationQdrant::with(Call& call, Use&& use) {
    const bool is_there = collections_.with([&](Collections& all) {
        const auto found = all.find(call.collection);
        if (found == all.end()) return false;
        use(found->second);
        return true;
    });
    if (!is_there)
        refuse(call, 404, fmt::format("Not found: Collection `{}` doesn't exist!", call.collection));
    return is_there;
}

void ImitationQdrant::handle(const ServerRequest& request, Connection& connection) {
    if (!options_.key.empty() && header_value(request.headers, "api-key") != options_.key) {
        connection.respond(401, {}, "Must provide an API key or an Authorization bearer token");
        return;
    }
    const ImitationConduct::Turn turn(conduct, connection);
    std::string_view path = std::string_view(request.path).substr(root.size());
    Call call{.request = request, .connection = connection, .fault = turn.fault()};
    if (path.starts_with('/')) {
        path.remove_prefix(1);
        const std::size_t end = std::min(path.find('/'), path.size());
        call.collection = path.substr(0, end);
        call.rest = path.substr(end);
    }
    if (commit(call)) return;
    if (request.body.size() > options_.most_body_bytes) {
        connection.respond(413, {}, "Payload too large");
        return;
    }
    if (request.method == "PUT" || request.method == "POST") {
        const auto body = parse_body(request);
        if (!body || !body->is_object())
            return refuse_shape(call, "Format error in JSON body: expected an object");
        call.body = body->get_object();
    }
    dispatch(call);
}

void ImitationQdrant::dispatch(Call& call) {
    struct Route {
        std::string_view method, rest;
        void (ImitationQdrant::*handler)(Call&);
    };
    static constexpr Route routes[] = {
        {"PUT", "", &ImitationQdrant::create},
        {"DELETE", "", &ImitationQdrant::drop},
        {"PUT", "/index", &ImitationQdrant::put_index},
        {"PUT", "/vectors/dense", &ImitationQdrant::put_vector},
        {"DELETE", "/vectors/dense", &ImitationQdrant::drop_vector},
        {"PUT", "/points", &ImitationQdrant::upsert},
        {"POST", "/points", &ImitationQdrant::retrieve},
        {"POST", "/points/delete", &ImitationQdrant::erase},
        {"POST", "/points/payload", &ImitationQdrant::set_payload},
        {"POST", "/points/count", &ImitationQdrant::count},
        {"POST", "/points/scroll", &ImitationQdrant::scroll},
        {"POST", "/points/query", &ImitationQdrant::query},
    };
    if (call.collection.empty() && call.request.method == "GET") return list_collections(call);
    if (call.request.method == "GET" && call.rest == "/exists") {
        const bool exists =
            collections_.with([&](Collections& all) { return all.contains(call.collection); });
        return answer(call, json::object{{"exists", exists}});
    }
    const bool is_refused = call.rest.starts_with("/vectors") && !options_.knows_vector_routes;
    for (const Route& route : routes)
        if (!is_refused && call.request.method == route.method && call.rest == route.rest)
            return (this->*route.handler)(call);
    if (!is_refused) conduct.complain(call.request, "no such route");
    call.connection.respond(404, {}, "");
}

bool ImitationQdrant::commit(const Call& call) {
    Call copy = call;
    switch (call.fault) {
        case Fault::refuse_key: call.connection.respond(401, {}, "Invalid API key or JWT"); return true;
        case Fault::forbid: refuse(copy, 403, "Forbidden: Global manage access is required"); return true;
        case Fault::too_large: call.connection.respond(413, {}, "Payload too large"); return true;
        case Fault::wrong_dimensions:
            refuse(copy, 400, "Wrong input: Vector dimension error: expected dim: 384, got 3");
            return true;
        case Fault::batch_size: refuse(copy, 422, "Validation error in body"); return true;
        case Fault::overloaded: refuse(copy, 429, "Rate limiting exceeded"); return true;
        case Fault::overloaded_7s: call.connection.respond(429, {{"Retry-After", "7"}}, ""); return true;
        case Fault::overloaded_1h: call.connection.respond(429, {{"Retry-After", "3600"}}, ""); return true;
        case Fault::unavailable:
            refuse(copy, 503, "Service internal error: shard is not available");
            return true;
        case Fault::out_of_storage: refuse(copy, 507, "No space left on device"); return true;
        default: return commit_fault(call.fault, call.request, call.connection);
    }
}

void ImitationQdrant::list_collections(Call& call) {
    json::array names;
    collections_.with([&](const Collections& all) {
        for (const auto& [name, collection] : all) names.push_back(json::object{{"name", name}});
    });
    answer(call, json::object{{"collections", std::move(names)}});
}

void ImitationQdrant::create(Call& call) {
    if (!has_only(call,
                  {"vectors", "sparse_vectors", "hnsw_config", "quantization_config", "on_disk_payload"}))
        return;
    QdrantCollection made;
    if (const json::value* vectors = call.body.if_contains("vectors"))
        for (const auto& vector : vectors->as_object()) {
            const json::object& params = vector.value().as_object();
            if (!unknown_field(params, {"size", "distance", "on_disk"}).empty() ||
                params.at("distance") != "Cosine")
                return refuse_shape(call, "Format error in JSON body: vectors have a size and a distance");
            made.dense[vector.key()] = params.at("size").to_number<std::size_t>();
        }
    if (const json::value* vectors = call.body.if_contains("sparse_vectors"))
        for (const auto& vector : vectors->as_object()) {
            if (vector.value() != json::object{{"modifier", "idf"}})
                return refuse_shape(call, "only the modifier idf is imitated");
            made.sparse.insert(vector.key());
        }
    const bool is_new = collections_.with(
        [&](Collections& all) { return all.try_emplace(call.collection, std::move(made)).second; });
    if (!is_new)
        return refuse(call, 409,
                      fmt::format("Wrong input: Collection `{}` already exists!", call.collection));
    answer(call, true);
}

void ImitationQdrant::drop(Call& call) {
    const bool was_there =
        collections_.with([&](Collections& all) { return all.erase(call.collection) > 0; });
    answer(call, was_there);
}

void ImitationQdrant::put_vector(Call& call) {
    if (!has_only(call, {"dense"})) return;
    const json::value* params = call.body.if_contains("dense");
    if (params == nullptr || !params->is_object() || params->get_object().size() != 2 ||
        params->get_object().at("distance") != "Cosine")
        return refuse_shape(call, "Format error in JSON body: a vector has a size and a distance");
    const auto size = params->at("size").to_number<std::size_t>();
    if (with(call, [&](QdrantCollection& collection) { collection.dense["dense"] = size; }))
        answer_update(call);
}

void ImitationQdrant::drop_vector(Call& call) {
    if (with(call, [](QdrantCollection& collection) { collection.drop_vector("dense"); }))
        answer_update(call);
}

void ImitationQdrant::put_index(Call& call) {
    if (!has_only(call, {"field_name", "field_schema"})) return;
    const std::string schema(call.body.at("field_schema").as_string());
    if (schema != "keyword" && schema != "integer" && schema != "bool")
        return refuse_shape(call, "Format error in JSON body: unknown schema " + schema);
    const std::string name(call.body.at("field_name").as_string());
    if (with(call, [&](QdrantCollection& collection) { collection.indexed_fields.insert(name); }))
        answer_update(call);
}

void ImitationQdrant::upsert(Call& call) {
    if (!has_only(call, {"points"})) return;
    const json::value* points = call.body.if_contains("points");
    if (points == nullptr || !points->is_array() || points->get_array().empty())
        return refuse_shape(call, "Format error in JSON body: no points");
    std::string wrong;
    if (!with(call, [&](const QdrantCollection& collection) {
            for (const json::value& point : points->get_array())
                if (wrong.empty()) wrong = collection.check_point(point);
        }))
        return;
    if (!wrong.empty()) return refuse_shape(call, wrong);
    for (const json::value& point : points->get_array()) {
        if (!with(call, [&](QdrantCollection& collection) { collection.put(point.get_object()); })) return;
        changed();
    }
    answer_update(call);
}

void ImitationQdrant::retrieve(Call& call) {
    if (!has_only(call, {"ids", "with_payload", "with_vector"})) return;
    if (!call.body.contains("ids") || !is_payload_selection(call.body))
        return refuse_shape(call, "Format error in JSON body: missing field `ids`");
    json::array records;
    if (!with(call, [&](const QdrantCollection& collection) {
            for (const json::value& id : call.body.at("ids").as_array())
                if (auto record = collection.record(QdrantCollection::key_of(id))) {
                    (*record)["payload"] = payload_wanted(call.body, *record, true);
                    keep_vectors_wanted(call.body, *record);
                    records.push_back(*std::move(record));
                }
        }))
        return;
    if (call.fault == Fault::wrong_count && !records.empty()) records.pop_back();
    answer(call, std::move(records));
}

std::optional<std::vector<std::string>> ImitationQdrant::selected(Call& call) {
    std::vector<std::string> ids;
    std::string wrong;
    const json::value* points = call.body.if_contains("points");
    const json::value* filter = call.body.if_contains("filter");
    if ((points == nullptr) == (filter == nullptr)) {
        refuse_shape(call, "Format error in JSON body: either points or a filter");
        return std::nullopt;
    }
    if (points != nullptr)
        for (const json::value& id : points->as_array()) ids.push_back(QdrantCollection::key_of(id));
    if (!with(call, [&](const QdrantCollection& collection) {
            if (filter == nullptr) return;
            wrong = wrong_with_filter(*filter, collection.indexed_fields);
            if (wrong.empty()) ids = collection.ids_passing(*filter);
        }))
        return std::nullopt;
    if (!wrong.empty()) {
        refuse_shape(call, "Format error in JSON body: " + wrong);
        return std::nullopt;
    }
    return ids;
}

void ImitationQdrant::erase(Call& call) {
    if (!has_only(call, {"points", "filter"})) return;
    const auto ids = selected(call);
    if (!ids) return;
    for (const std::string& id : *ids) {
        if (!with(call, [&](QdrantCollection& collection) { collection.erase(id); })) return;
        changed();
    }
    answer_update(call);
}

void ImitationQdrant::set_payload(Call& call) {
    if (!has_only(call, {"payload", "points", "filter"})) return;
    const auto ids = selected(call);
    if (!ids) return;
    for (const std::string& id : *ids) {
        if (!with(call, [&](QdrantCollection& collection) {
                collection.set_payload(id, call.body.at("payload").as_object());
            }))
            return;
        changed();
    }
    answer_update(call);
}

void ImitationQdrant::count(Call& call) {
    if (!has_only(call, {"filter", "exact"})) return;
    const json::value filter = call.body.contains("filter") ? call.body.at("filter") : json::object{};
    std::string wrong;
    std::size_t number = 0;
    if (!with(call, [&](const QdrantCollection& collection) {
            wrong = wrong_with_filter(filter, collection.indexed_fields);
            if (wrong.empty()) number = collection.ids_passing(filter).size();
        }))
        return;
    if (!wrong.empty()) return refuse_shape(call, "Format error in JSON body: " + wrong);
    if (call.fault == Fault::not_a_number) return answer(call, json::object{{"count", "many"}});
    answer(call, json::object{{"count", number}});
}

void ImitationQdrant::scroll(Call& call) {
    if (!has_only(call, {"filter", "limit", "offset", "with_payload", "with_vector"})) return;
    const json::value filter = call.body.contains("filter") ? call.body.at("filter") : json::object{};
    const json::value* offset = call.body.if_contains("offset");
    const std::string from = offset != nullptr && !offset->is_null() ? QdrantCollection::key_of(*offset) : "";
    const std::size_t limit =
        call.body.contains("limit") ? call.body.at("limit").to_number<std::size_t>() : 10;
    std::string wrong;
    json::array records;
    json::value next = nullptr;
    if (!with(call, [&](const QdrantCollection& collection) {
            wrong = wrong_with_filter(filter, collection.indexed_fields);
            if (!wrong.empty()) return;
            for (const std::string& id : collection.ids_passing(filter)) {
                if (id < from || !next.is_null()) continue;
                json::object record = collection.record(id).value();
                record["payload"] = payload_wanted(call.body, record, true);
                keep_vectors_wanted(call.body, record);
                if (records.size() < limit)
                    records.push_back(std::move(record));
                else
                    next = record.at("id");
            }
        }))
        return;
    if (!wrong.empty()) return refuse_shape(call, "Format error in JSON body: " + wrong);
    answer(call, json::object{{"points", std::move(records)}, {"next_page_offset", std::move(next)}});
}

void ImitationQdrant::query(Call& call) {
    if (!is_payload_selection(call.body))
        return refuse_shape(call, "Format error in JSON body: with_payload");
    std::string wrong;
    json::array points;
    if (!with(call, [&](const QdrantCollection& collection) {
            wrong = collection.check_query(call.body);
            if (!wrong.empty()) return;
            for (const QdrantCollection::Found& found : collection.query(call.body)) {
                json::object record = collection.record(found.id).value();
                record["payload"] = payload_wanted(call.body, record, false);
                keep_vectors_wanted(call.body, record);
                record["version"] = 3;
                record["score"] = found.score;
                points.push_back(std::move(record));
            }
        }))
        return;
    if (!wrong.empty()) return refuse_shape(call, wrong);
    if (call.fault == Fault::not_a_number && !points.empty()) points.front().as_object()["score"] = nullptr;
    answer(call, json::object{{"points", std::move(points)}});
}

}  // namespace quarry::test
