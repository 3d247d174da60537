#include "store/job_json.h"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace quarry::store {

namespace {

namespace json = boost::json;

json::object object_of(const NewJob& job) {
    return {{"kind", job.kind},
            {"payload", job.payload},
            {"priority", job.priority},
            {"max_attempts", job.max_attempts},
            {"unique_key", job.unique_key},
            {"owner", job.owner},
            {"zero_retention", job.zero_retention}};
}

json::array array_of(const std::vector<NewJob>& jobs) {
    json::array list;
    for (const NewJob& job : jobs) list.push_back(object_of(job));
    return list;
}

// Reads fields of an object; what is missing or of another type keeps its default.
class Fields {
public:
    explicit Fields(const json::object& object) : object_(object) {}

    void read(std::string_view name, std::string& target) const {
        const json::value* value = object_.if_contains(name);
        if (value && value->is_string()) target = std::string(value->get_string());
    }
    void read(std::string_view name, bool& target) const {
        const json::value* value = object_.if_contains(name);
        if (value && value->is_bool()) target = value->get_bool();
    }
    template <std::integral Number>
    void read(std::string_view name, Number& target) const {
        const json::value* value = object_.if_contains(name);
        if (value && value->is_int64()) target = static_cast<Number>(value->get_int64());
    }

private:
    const json::object& object_;
};

NewJob job_of(const json::object& object) {
    NewJob job;
    const Fields fields(object);
    fields.read("kind", job.kind);
    fields.read("payload", job.payload);
    fields.read("priority", job.priority);
    fields.read("max_attempts", job.max_attempts);
    fields.read("unique_key", job.unique_key);
    fields.read("owner", job.owner);
    fields.read("zero_retention", job.zero_retention);
    return job;
}

std::vector<NewJob> jobs_of(const json::value& value) {
    std::vector<NewJob> jobs;
    const json::array* list = value.if_array();
    for (const json::value& entry : list ? *list : json::array{}) {
        if (const json::object* object = entry.if_object()) jobs.push_back(job_of(*object));
    }
    return jobs;
}

std::optional<NewJob> notice_in(const json::object& object) {
    const json::value* notice = object.if_contains("notice");
    if (!notice || !notice->is_object()) return std::nullopt;
    return job_of(notice->get_object());
}

Result<json::value> parse(std::string_view text) {
    boost::system::error_code error;
    json::value value = json::parse(text, error);
    if (error) return fail(ErrorCode::corrupt, fmt::format("stored jobs are no JSON: {}", error.message()));
    return value;
}

}  // namespace

std::string jobs_to_json(const std::vector<NewJob>& jobs) {
    return json::serialize(array_of(jobs));
}

Result<std::vector<NewJob>> jobs_from_json(std::string_view text) {
    return jobs_of(TRY(parse(text)));
}

std::string later_jobs_to_json(const LaterJobs& jobs) {
    if (!jobs.notice) return jobs_to_json(jobs.closing);
    return json::serialize(
        json::object{{"closing", array_of(jobs.closing)}, {"notice", object_of(*jobs.notice)}});
}

Result<LaterJobs> later_jobs_from_json(std::string_view text) {
    const json::value value = TRY(parse(text));
    const json::object* object = value.if_object();
    if (!object) return LaterJobs{.closing = jobs_of(value)};
    LaterJobs jobs;
    if (const json::value* closing = object->if_contains("closing")) jobs.closing = jobs_of(*closing);
    jobs.notice = notice_in(*object);
    return jobs;
}

NewJob notice_about(NewJob notice, GroupId group, JobState state) {
    boost::system::error_code error;
    json::value payload = json::parse(notice.payload, error);
    if (error || !payload.is_object()) payload = json::object();
    payload.get_object()["group"] = number(group);
    payload.get_object()["state"] = name_of(state);
    notice.payload = json::serialize(payload);
    return notice;
}

std::string group_to_json(const NewGroup& group) {
    json::object object{{"kind", group.kind},
                        {"name", group.name},
                        {"options", group.options},
                        {"collection", group.collection},
                        {"owner", group.owner},
                        {"priority", group.priority},
                        {"company", static_cast<int>(group.concurrency)},
                        {"page_limit", group.page_limit},
                        {"url_limit", group.url_limit},
                        {"index_pages", group.index_pages},
                        {"zero_retention", group.zero_retention},
                        {"site", group.site},
                        {"closing_jobs", array_of(group.closing_jobs)}};
    if (group.notice) object["notice"] = object_of(*group.notice);
    if (group.keeping) {
        object["keep_ms"] = group.keeping->completed.count();
        object["keep_failed_ms"] = group.keeping->failed.count();
    }
    object["page_keeping"] = static_cast<int>(group.page_keeping);
    return json::serialize(object);
}

Result<NewGroup> group_from_json(std::string_view text) {
    const json::value value = TRY(parse(text));
    if (!value.is_object()) return fail(ErrorCode::corrupt, "a stored group is no object");
    NewGroup group;
    const Fields fields(value.get_object());
    int company = 0;
    fields.read("kind", group.kind);
    fields.read("name", group.name);
    fields.read("options", group.options);
    fields.read("collection", group.collection);
    fields.read("owner", group.owner);
    fields.read("priority", group.priority);
    fields.read("company", company);
    fields.read("page_limit", group.page_limit);
    fields.read("url_limit", group.url_limit);
    fields.read("index_pages", group.index_pages);
    fields.read("zero_retention", group.zero_retention);
    fields.read("site", group.site);
    const bool is_known = company >= 0 && company <= static_cast<int>(Concurrency::unlimited);
    group.concurrency = is_known ? static_cast<Concurrency>(company) : Concurrency::shared;
    std::int64_t keep_ms = -1, keep_failed_ms = -1;
    fields.read("keep_ms", keep_ms);
    fields.read("keep_failed_ms", keep_failed_ms);
    if (keep_ms >= 0 && keep_failed_ms >= 0)
        group.keeping =
            Keeping{std::chrono::milliseconds(keep_ms), std::chrono::milliseconds(keep_failed_ms)};
    int page_keeping = 0;
    fields.read("page_keeping", page_keeping);
    group.page_keeping = page_keeping_of(page_keeping);
    if (const json::value* jobs = value.get_object().if_contains("closing_jobs")) {
        group.closing_jobs = jobs_of(*jobs);
    }
    group.notice = notice_in(value.get_object());
    return group;
}

}  // namespace quarry::store
