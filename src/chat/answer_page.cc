#include "chat/answer_page.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chat/ask_data.h"
#include "extract/metadata/base_url.h"
#include "html/parser.h"
#include "schema/json_values.h"

namespace quarry::chat {

namespace {

namespace json = boost::json;
using structured::Filled;
using structured::Source;

constexpr std::string_view how_to_configure =
    "configure a model with model.url and model.name (or OPENAI_BASE_URL and QUARRY_MODEL_NAME)";

std::string pointer_to(std::string_view name) {
    std::string pointer;
    schema::append_to_pointer(pointer, name);
    return pointer;
}

// What can be said without a model.
class LocalAnswer {
public:
    LocalAnswer(const PageText& page, const PageRequest& request)
        : request_(request),
          tree_(html::parse(page.html)),
          base_(extract::base_url(tree_, page.url)),
          data_(structured::read_page_data(tree_, page.url)) {
        if (request.rules != nullptr) ruled_ = request.rules->apply(tree_, base());
    }

    Result<Filled> run() const {
        if (request_.schema != nullptr)
            return structured::fill_schema(*request_.schema,
                                           {.page = &data_, .rules = &ruled_, .base = base()});
        Filled filled;
        if (request_.rules != nullptr) {
            filled.data = ruled_;
            for (const auto& field : ruled_)
                filled.sources.push_back({pointer_to(field.key()), Source::rule, field.key()});
        } else if (request_.prompt.empty()) {
            filled.data = data_.to_json();
            for (std::size_t i = 0; i < data_.items.size(); ++i)
                filled.sources.push_back(
                    {fmt::format("/{}", i), data_.items[i].source, data_.items[i].where});
        }
        return filled;
    }

private:
    const url::Url* base() const { return base_ ? &*base_ : nullptr; }

    const PageRequest& request_;
    html::Tree tree_;
    std::optional<url::Url> base_;
    structured::PageData data_;
    json::object ruled_;
};

bool lacks_something(const Filled& filled, const schema::Schema& schema) {
    if (!filled.problems.empty() || filled.sources.empty()) return true;
    const json::object* root = schema.behind(schema.document()).if_object();
    const json::value* properties = root != nullptr ? root->if_contains("properties") : nullptr;
    const json::object* data = filled.data.if_object();
    if (properties == nullptr || data == nullptr) return false;
    return std::ranges::any_of(properties->get_object(), [&](const auto& property) {
        const json::value* value = data->if_contains(property.key());
        return value == nullptr || value->is_null();
    });
}

const Source* source_of(const Filled& filled, const std::string& field) {
    const auto found = std::ranges::find(filled.sources, field, &structured::FieldSource::field);
    return found != filled.sources.end() ? &found->source : nullptr;
}

bool is_wrong(const Filled& filled, const std::string& field) {
    return std::ranges::any_of(filled.problems, [&](const schema::Problem& problem) {
        return problem.where == field || problem.where.starts_with(field + "/");
    });
}

// Rules say what somebody is sure of. Else the model's word counts if it was asked something in words, and
// where nothing usable was found.
Filled merged(Filled local, ModelData answer, const PageRequest& request, const std::string& name) {
    if (!local.data.is_object() || !answer.data.is_object()) {
        const bool keeps_local = request.prompt.empty() && local.problems.empty() && !local.sources.empty();
        if (keeps_local) return local;
        return {.data = std::move(answer.data), .sources = {{"", Source::model, name}}};
    }
    json::object& data = local.data.get_object();
    for (auto& member : answer.data.get_object()) {
        const std::string field = pointer_to(member.key());
        const Source* known = source_of(local, field);
        const bool is_sure = known != nullptr && (*known == Source::rule || request.prompt.empty());
        if (member.value().is_null() || (is_sure && !is_wrong(local, field))) continue;
        data[member.key()] = std::move(member.value());
        std::erase_if(local.sources, [&](const auto& source) { return source.field == field; });
        local.sources.push_back({field, Source::model, name});
    }
    return local;
}

Result<Filled> nothing_found(const PageRequest& request, bool has_model) {
    if (has_model)
        return fail(ErrorCode::not_found, "neither the page's own data nor the model has what is wanted");
    return fail(ErrorCode::not_found,
                fmt::format("the page has nothing of it in JSON-LD, microdata, RDFa, Open Graph, meta tags "
                            "or tables{}: {}, or {}",
                            request.rules != nullptr ? ", nor where the rules look" : "",
                            request.rules != nullptr ? "correct the rules" : "give rules with selectors",
                            how_to_configure));
}

}  // namespace

Result<Filled> answer_page(const PageText& page, const PageRequest& request, Model* model,
                           const std::stop_token& stop) {
    if (model == nullptr && !request.prompt.empty())
        return fail(ErrorCode::unsupported,
                    fmt::format("a prompt needs a language model: {}", how_to_configure));
    auto local = LocalAnswer(page, request).run();
    if (!local && (model == nullptr || local.error().code != ErrorCode::unsupported)) {
        if (local.error().code != ErrorCode::unsupported) return local;
        return fail(ErrorCode::unsupported, fmt::format("{}; {}", local.error().message, how_to_configure));
    }
    Filled filled = local ? *std::move(local) : Filled{};
    const bool is_lacking = request.schema != nullptr && lacks_something(filled, *request.schema);
    if (model != nullptr && (!request.prompt.empty() || is_lacking)) {
        const DataQuestion question{
            .url = page.url, .text = page.markdown, .prompt = request.prompt, .schema = request.schema};
        filled =
            merged(std::move(filled), TRY(ask_data(*model, question, stop)), request, model->config().name);
        if (request.schema != nullptr) filled.problems = TRY(request.schema->check(filled.data));
    }
    if (filled.sources.empty()) return nothing_found(request, model != nullptr);
    return filled;
}

}  // namespace quarry::chat
