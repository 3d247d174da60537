#include "space_bench_sets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>

#include <boost/json.hpp>

namespace quarry::bench {

namespace {

void for_each_line(const std::string& path, const std::function<void(const boost::json::object&)>& use) {
    std::ifstream in(path);
    if (!in) {
        std::fprintf(stderr, "error: cannot read %s\n", path.c_str());
        std::exit(2);
    }
    for (std::string line; std::getline(in, line);) use(boost::json::parse(line).as_object());
}

std::string text_of(const boost::json::object& line, const char* name) {
    return std::string(line.at(name).as_string());
}

struct Posting {
    int document = 0;
    std::uint32_t count = 0;
};
using Postings = std::unordered_map<std::string_view, std::vector<Posting>>;

Postings invert(const std::vector<text::TermBag>& documents) {
    Postings postings;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        for (const text::TermCount& term : documents[i].counts) {
            postings[term.term].push_back({static_cast<int>(i), term.count});
        }
    }
    return postings;
}

double ideal_gain(const std::map<int, double>& relevant) {
    std::vector<double> grades;
    for (const auto& [document, grade] : relevant) grades.push_back(grade);
    std::ranges::sort(grades, std::greater{});
    double gain = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(grades.size(), 10); ++i) {
        gain += grades[i] / std::log2(static_cast<double>(i) + 2);
    }
    return gain;
}

double gain_of(const Ranking& ranking, const std::map<int, double>& relevant) {
    double gain = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(ranking.size(), 10); ++i) {
        const auto found = relevant.find(ranking[i].document);
        if (found != relevant.end()) gain += found->second / std::log2(static_cast<double>(i) + 2);
    }
    return gain;
}

}  // namespace

TestSet load_test_set(const std::string& folder) {
    TestSet set{.name = folder.substr(folder.find_last_of('/') + 1)};
    text::TermReader reader;
    std::unordered_map<std::string, int> document_numbers;
    std::unordered_map<std::string, std::size_t> question_numbers;
    for_each_line(folder + "/corpus.jsonl", [&](const boost::json::object& line) {
        const std::string title = text_of(line, "title"), text = text_of(line, "text");
        document_numbers[text_of(line, "_id")] = static_cast<int>(set.documents.size());
        set.documents.push_back(reader.count(std::array<std::string_view, 2>{title, text}));
    });
    for_each_line(folder + "/queries.jsonl", [&](const boost::json::object& line) {
        const std::string text = text_of(line, "text");
        question_numbers[text_of(line, "_id")] = set.questions.size();
        set.questions.push_back({.terms = reader.count(std::array<std::string_view, 1>{text})});
    });
    for_each_line(folder + "/qrels.jsonl", [&](const boost::json::object& line) {
        const auto question = question_numbers.find(text_of(line, "query_id"));
        const auto grade = line.at("score").to_number<double>();
        if (question == question_numbers.end() || !(grade > 0)) return;
        std::map<int, double>& relevant = set.questions[question->second].relevant;
        const auto document = document_numbers.find(text_of(line, "doc_id"));
        relevant[document != document_numbers.end() ? document->second
                                                    : -1 - static_cast<int>(relevant.size())] = grade;
    });
    return set;
}

Ranking best_of(std::vector<float> scores, std::size_t limit) {
    Ranking ranking;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (scores[i] > std::numeric_limits<float>::lowest())
            ranking.push_back({static_cast<int>(i), scores[i]});
    }
    const std::size_t kept = std::min(ranking.size(), limit);
    std::ranges::partial_sort(ranking, ranking.begin() + static_cast<std::ptrdiff_t>(kept), std::greater{},
                              [](const Hit& hit) { return std::pair(hit.score, -hit.document); });
    ranking.resize(kept);
    return ranking;
}

std::vector<Ranking> rank_by_words(const TestSet& set) {
    constexpr double k1 = 1.2, b = 0.75;
    const Postings postings = invert(set.documents);
    double average_length = 0;
    for (const text::TermBag& document : set.documents) average_length += document.length;
    const auto documents = static_cast<double>(set.documents.size());
    average_length /= documents;

    std::vector<Ranking> rankings;
    for (const Question& question : set.questions) {
        std::vector<float> scores(set.documents.size(), std::numeric_limits<float>::lowest());
        for (const text::TermCount& term : question.terms.counts) {
            const auto found = postings.find(term.term);
            if (found == postings.end() || text::is_stop_word(term.term)) continue;
            const auto count = static_cast<double>(found->second.size());
            const double rarity = std::log(1 + (documents - count + 0.5) / (count + 0.5));
            for (const Posting& posting : found->second) {
                const auto document = static_cast<std::size_t>(posting.document);
                const double length = set.documents[document].length / average_length;
                const double weight = term.count * rarity * posting.count * (k1 + 1) /
                                      (posting.count + k1 * (1 - b + b * length));
                scores[document] = static_cast<float>(std::max(0.0F, scores[document]) + weight);
            }
        }
        rankings.push_back(best_of(std::move(scores), 100));
    }
    return rankings;
}

double mean_ndcg(const TestSet& set, const std::vector<Ranking>& rankings) {
    double sum = 0;
    int answered = 0;
    for (std::size_t i = 0; i < set.questions.size(); ++i) {
        if (set.questions[i].relevant.empty()) continue;
        sum += gain_of(rankings[i], set.questions[i].relevant) / ideal_gain(set.questions[i].relevant);
        ++answered;
    }
    return answered > 0 ? sum / answered : 0;
}

}  // namespace quarry::bench
