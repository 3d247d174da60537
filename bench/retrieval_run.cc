#include "retrieval_run.h"

#include <chrono>
#include <cmath>
#include <fstream>

#include <boost/json.hpp>

#include "text/chunks/chunk_markdown.h"

namespace quarry::bench {
namespace {

namespace json = boost::json;

const std::string collection = "default";
constexpr std::size_t pages_at_once = 256;

Result<std::vector<json::object>> read_lines(const std::string& path) {
    std::ifstream file(path);
    if (!file) return fail(ErrorCode::not_found, "File not found: " + path);
    std::vector<json::object> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line).as_object());
    return lines;
}

std::string text_at(const json::object& object, std::string_view name) {
    const json::value& value = object.at(name);
    return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

text::TermBag terms_of(const Chunk& chunk, text::TermReader& reader) {
    std::vector<std::string_view> texts(chunk.headings.begin(), chunk.headings.end());
    texts.push_back(chunk.text);
    return reader.count(texts);
}

index::IndexedPage page_of(const json::object& document, std::int64_t number, text::TermReader& reader) {
    index::IndexedPage page{.page = PageId{number}, .version = 1};
    page.label.id = text_at(document, "_id");
    page.label.title = text_at(document, "title");
    for (Chunk& chunk : text::chunk_markdown(text_at(document, "text"), page.label.title, {})) {
        text::TermBag terms = terms_of(chunk, reader);
        page.chunks.push_back({.chunk = std::move(chunk), .terms = std::move(terms)});
    }
    return page;
}

double gain(double grade, std::size_t rank) {
    return grade / std::log2(static_cast<double>(rank) + 2);
}

double ndcg_at_10(const Judged& question, const std::vector<search::Hit>& hits) {
    double found = 0, best = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(hits.size(), 10); ++i) {
        const auto grade = question.relevant.find(hits[i].label.id);
        if (grade != question.relevant.end()) found += gain(grade->second, i);
    }
    std::vector<double> grades;
    for (const auto& [id, grade] : question.relevant) grades.push_back(grade);
    std::ranges::sort(grades, std::greater{});
    for (std::size_t i = 0; i < std::min<std::size_t>(grades.size(), 10); ++i) best += gain(grades[i], i);
    return found / best;
}

double recall_at_100(const Judged& question, const std::vector<search::Hit>& hits) {
    double found = 0;
    for (const search::Hit& hit : hits) found += question.relevant.contains(hit.label.id) ? 1 : 0;
    return found / static_cast<double>(question.relevant.size());
}

Result<std::vector<Judged>> read_questions(const std::string& dataset) {
    std::map<std::string, std::map<std::string, double>> relevant;
    for (const json::object& line : TRY(read_lines(dataset + "/qrels.jsonl"))) {
        const auto grade = line.at("score").to_number<double>();
        if (grade > 0) relevant[text_at(line, "query_id")][text_at(line, "doc_id")] = grade;
    }
    std::vector<Judged> questions;
    for (const json::object& line : TRY(read_lines(dataset + "/queries.jsonl"))) {
        const auto judged = relevant.find(text_at(line, "_id"));
        if (judged != relevant.end()) questions.push_back({text_at(line, "text"), judged->second});
    }
    return questions;
}

}  // namespace

Result<std::unique_ptr<RetrievalRun>> RetrievalRun::open(const std::string& dataset,
                                                         const std::string& index_path, int dimensions) {
    auto run = std::make_unique<RetrievalRun>();
    run->questions_ = TRY(read_questions(dataset));
    run->index_ = TRY(index::open_embedded_index({.path = index_path}));
    TRY(run->fill(dataset));
    TRY(run->fit(dimensions));
    return run;
}

Result<void> RetrievalRun::fill(const std::string& dataset) {
    text::TermReader reader;
    std::vector<index::IndexedPage> pages;
    std::int64_t number = 0;
    for (const json::object& document : TRY(read_lines(dataset + "/corpus.jsonl"))) {
        pages.push_back(page_of(document, ++number, reader));
        if (pages.size() < pages_at_once) continue;
        TRY(index_->replace(collection, std::exchange(pages, {})));
    }
    return index_->replace(collection, std::move(pages));
}

Result<void> RetrievalRun::fit(int dimensions) {
    const auto chunks = TRY(index_->chunks_after(collection, 0, 1'000'000, 1));
    text::TermReader reader;
    embed::SpaceFit fit({.dimensions = dimensions});
    for (const auto& chunk : chunks) fit.add(terms_of(chunk.chunk, reader));
    space_ = std::make_unique<embed::Space>(TRY(fit.finish({})));
    const int version =
        TRY(index_->begin_space(collection, static_cast<std::int64_t>(chunks.size()), space_->serialise()));
    std::vector<index::EmbeddedIndex::ChunkVector> vectors;
    for (const auto& chunk : chunks)
        vectors.push_back({chunk.id, space_->fold_in(terms_of(chunk.chunk, reader))});
    TRY(index_->add_vectors(collection, version, vectors));
    return index_->use_space(collection, version);
}

Result<RetrievalRun::Score> RetrievalRun::measure(search::Mode mode, const search::SearchTuning& tuning) {
    text::TermReader reader;
    const search::Searcher searcher(
        {.index = *index_,
         .embed = [&](const std::string&,
                      std::string_view query) { return space_->fold_in(reader.count({&query, 1})); }},
        tuning);
    Score score;
    const auto begin = std::chrono::steady_clock::now();
    for (const Judged& question : questions_) {
        const auto answer = TRY(searcher.search({.query = question.text,
                                                 .limit = 100,
                                                 .mode = mode,
                                                 .passages = 0,
                                                 .syntax = search::Syntax::plain}));
        score.ndcg += ndcg_at_10(question, answer.hits);
        score.recall += recall_at_100(question, answer.hits);
        ++score.questions;
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    score.ndcg /= score.questions;
    score.recall /= score.questions;
    score.milliseconds = took.count() / score.questions;
    return score;
}

}  // namespace quarry::bench
