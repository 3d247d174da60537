// How well the space alone ranks a public test collection. A floor, a little below what was measured: a
// change that makes the space worse fails here.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include "embed/space/space.h"
#include "text/terms/terms.h"

using namespace quarry;

namespace {

struct Judged {
    std::string id{};
    text::TermBag terms{};
    std::map<std::string, double> grades{};  // of the documents that answer it
};

std::vector<boost::json::object> lines_of(const std::string& path) {
    std::vector<boost::json::object> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) lines.push_back(boost::json::parse(line).as_object());
    return lines;
}

std::string field(const boost::json::object& line, const char* name) {
    return std::string(line.at(name).as_string());
}

text::TermBag terms_of(const boost::json::object& line) {
    static text::TermReader reader;
    const std::string title = line.contains("title") ? field(line, "title") : "", text = field(line, "text");
    return reader.count(std::array<std::string_view, 2>{title, text});
}

std::vector<Judged> read_questions(const std::string& folder) {
    std::vector<Judged> questions;
    for (const auto& line : lines_of(folder + "/queries.jsonl")) {
        questions.push_back({.id = field(line, "_id"), .terms = terms_of(line)});
    }
    for (const auto& line : lines_of(folder + "/qrels.jsonl")) {
        const auto question = std::ranges::find(questions, field(line, "query_id"), &Judged::id);
        const auto grade = line.at("score").to_number<double>();
        if (question != questions.end() && grade > 0) question->grades[field(line, "doc_id")] = grade;
    }
    std::erase_if(questions, [](const Judged& question) { return question.grades.empty(); });
    return questions;
}

double discounted(const std::vector<double>& grades) {
    double sum = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(grades.size(), 10); ++i) {
        sum += grades[i] / std::log2(static_cast<double>(i) + 2);
    }
    return sum;
}

// nDCG@10 of the documents in order of their scores.
double ndcg(const Judged& question, std::vector<std::pair<float, std::string>> scored) {
    std::ranges::partial_sort(scored, scored.begin() + 10, std::greater{});
    std::vector<double> found, best;
    for (std::size_t i = 0; i < 10; ++i) {
        const auto grade = question.grades.find(scored[i].second);
        found.push_back(grade != question.grades.end() ? grade->second : 0);
    }
    for (const auto& [document, grade] : question.grades) best.push_back(grade);
    std::ranges::sort(best, std::greater{});
    return discounted(found) / discounted(best);
}

}  // namespace

TEST_CASE("the space alone ranks the Cranfield collection better than words do") {
    const std::string folder = QUARRY_SUITES "/bench/retrieval/cranfield";
    const auto corpus = lines_of(folder + "/corpus.jsonl");
    if (corpus.empty()) {
        MESSAGE("skipped: no " << folder);
        return;
    }
    embed::SpaceFit fit({});
    std::vector<text::TermBag> documents;
    for (const auto& line : corpus) fit.add(documents.emplace_back(terms_of(line)));
    const embed::Space space = fit.finish({}).value();
    std::vector<std::vector<float>> vectors;
    for (const text::TermBag& document : documents) vectors.push_back(space.fold_in(document));

    double sum = 0;
    const std::vector<Judged> questions = read_questions(folder);
    for (const Judged& question : questions) {
        const std::vector<float> asked = space.fold_in(question.terms);
        std::vector<std::pair<float, std::string>> scored;
        for (std::size_t i = 0; i < vectors.size(); ++i) {
            // One document of the collection is empty.
            scored.emplace_back(std::inner_product(vectors[i].begin(), vectors[i].end(), asked.begin(), 0.0F),
                                field(corpus[i], "_id"));
        }
        sum += ndcg(question, std::move(scored));
    }

    CHECK(sum / static_cast<double>(questions.size()) >= 0.405);  // BM25: 0.402
}
