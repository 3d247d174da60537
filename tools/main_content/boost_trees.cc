// Gradient-boosted decision trees for features that are bytes: exact histograms, no binning, no dependencies.
//   boost_trees ROWS WIDTH SAMPLES OUT [name=value ...]
// ROWS has WIDTH bytes per sample; SAMPLES has a Sample per row. Writes OUT.likely (a float per row, each
// judged by trees that have not seen its fold) and, unless cross=1, OUT.trees (a line per tree of all folds:
// features, thresholds, leaves).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Sample {
    float label = 0;
    float weight = 0;
    std::int32_t fold = 0;
};

struct Settings {
    int trees = 100;
    int depth = 5;
    double rate = 0.1;       // how much of its improvement each tree contributes
    double lambda = 20;      // draws leaves towards zero
    double smallest = 20;    // the least weight (of the second derivative) in a leaf
    double row_share = 0.6;  // of the rows, drawn for each tree
    double column_share = 0.35;
    int seed = 1;
    int cross = 0;

    void set(const std::string& name, double value) {
        if (name == "trees") trees = static_cast<int>(value);
        if (name == "depth") depth = static_cast<int>(value);
        if (name == "rate") rate = value;
        if (name == "lambda") lambda = value;
        if (name == "smallest") smallest = value;
        if (name == "row_share") row_share = value;
        if (name == "column_share") column_share = value;
        if (name == "seed") seed = static_cast<int>(value);
        if (name == "cross") cross = static_cast<int>(value);
    }
};

struct Data {
    std::vector<std::uint8_t> rows;
    std::vector<Sample> samples;
    std::size_t width = 0;

    const std::uint8_t* row(std::uint32_t at) const { return &rows[at * width]; }
};

struct Gradient {
    float first = 0, second = 0;
};

// A tree as a heap; a greater value goes right.
struct GrownTree {
    std::vector<std::uint8_t> feature, threshold;
    std::vector<float> leaf;

    float judge(const std::uint8_t* row, int depth) const {
        std::size_t node = 0;
        for (int level = 0; level < depth; ++level)
            node = 2 * node + 1 + (row[feature[node]] > threshold[node]);
        return leaf[node - feature.size()];
    }
};

class TreeGrower {
public:
    TreeGrower(const Data& data, const Settings& settings, const std::vector<Gradient>& gradients,
               std::vector<std::uint32_t> columns)
        : data_(data), settings_(settings), gradients_(gradients), columns_(std::move(columns)) {
        const std::size_t inner = (1U << static_cast<unsigned>(settings.depth)) - 1;
        tree_.feature.assign(inner, 0);
        tree_.threshold.assign(inner, 255);
        tree_.leaf.assign(inner + 1, 0);
    }

    GrownTree grow(std::vector<std::uint32_t>& rows) {
        split(0, 0, {rows.data(), rows.data() + rows.size()},
              histogram({rows.data(), rows.data() + rows.size()}));
        return std::move(tree_);
    }

private:
    struct Range {
        std::uint32_t *begin, *end;
    };
    struct Bin {
        double first = 0, second = 0;
    };
    using Histogram = std::vector<Bin>;  // 256 per drawn column
    struct Split {
        double gain = 1e-6;
        std::size_t column = 0;
        int threshold = -1;
    };

    Histogram histogram(Range range) const {
        Histogram bins(columns_.size() * 256);
        for (const std::uint32_t* at = range.begin; at != range.end; ++at) {
            const std::uint8_t* row = data_.row(*at);
            const Gradient gradient = gradients_[*at];
            for (std::size_t column = 0; column < columns_.size(); ++column) {
                Bin& bin = bins[column * 256 + row[columns_[column]]];
                bin.first += gradient.first;
                bin.second += gradient.second;
            }
        }
        return bins;
    }

    double score(const Bin& bin) const { return bin.first * bin.first / (bin.second + settings_.lambda); }

    static Bin total(const Histogram& bins) {
        Bin sum;
        for (std::size_t value = 0; value < 256; ++value) {
            sum.first += bins[value].first;
            sum.second += bins[value].second;
        }
        return sum;
    }

    Split best_split(const Histogram& bins, const Bin& all) const {
        Split best;
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            Bin left;
            for (int value = 0; value < 255; ++value) {
                const Bin& bin = bins[column * 256 + static_cast<std::size_t>(value)];
                if (bin.second == 0) continue;
                left.first += bin.first;
                left.second += bin.second;
                const Bin right{all.first - left.first, all.second - left.second};
                if (left.second < settings_.smallest || right.second < settings_.smallest) continue;
                const double gain = score(left) + score(right) - score(all);
                if (gain > best.gain) best = {gain, column, value};
            }
        }
        return best;
    }

    void split(std::size_t node, int level, Range range, const Histogram& bins) {
        const Bin all = total(bins);
        const Split best = level < settings_.depth ? best_split(bins, all) : Split{};
        if (best.threshold < 0) {
            fill_leaves(node, level,
                        static_cast<float>(-settings_.rate * all.first / (all.second + settings_.lambda)));
            return;
        }
        const std::uint32_t feature = columns_[best.column];
        tree_.feature[node] = static_cast<std::uint8_t>(feature);
        tree_.threshold[node] = static_cast<std::uint8_t>(best.threshold);
        std::uint32_t* middle = std::partition(range.begin, range.end, [&](std::uint32_t at) {
            return data_.row(at)[feature] <= best.threshold;
        });
        const Range left{range.begin, middle}, right{middle, range.end};
        // Only the smaller half is counted; the other is what remains.
        const bool left_is_smaller = left.end - left.begin < right.end - right.begin;
        const Histogram smaller = histogram(left_is_smaller ? left : right);
        Histogram larger = bins;
        for (std::size_t at = 0; at < larger.size(); ++at) {
            larger[at].first -= smaller[at].first;
            larger[at].second -= smaller[at].second;
        }
        split(2 * node + 1, level + 1, left, left_is_smaller ? smaller : larger);
        split(2 * node + 2, level + 1, right, left_is_smaller ? larger : smaller);
    }

    void fill_leaves(std::size_t node, int level, float value) {
        if (level == settings_.depth) {
            tree_.leaf[node - tree_.feature.size()] = value;
            return;
        }
        fill_leaves(2 * node + 1, level + 1, value);
        fill_leaves(2 * node + 2, level + 1, value);
    }

    const Data& data_;
    const Settings& settings_;
    const std::vector<Gradient>& gradients_;
    std::vector<std::uint32_t> columns_;
    GrownTree tree_;
};

template <typename T>
std::vector<T> draw(std::vector<T> from, double part, std::mt19937& random) {
    std::ranges::shuffle(from, random);
    from.resize(static_cast<std::size_t>(part * static_cast<double>(from.size())));
    std::ranges::sort(from);
    return from;
}

// Trees from the samples of all folds but one (-1: of all).
std::vector<GrownTree> train(const Data& data, const Settings& settings, int without) {
    std::vector<std::uint32_t> usable;
    for (std::uint32_t at = 0; at < data.samples.size(); ++at) {
        if (data.samples[at].fold != without && data.samples[at].weight > 0) usable.push_back(at);
    }
    std::vector<std::uint32_t> columns(data.width);
    std::iota(columns.begin(), columns.end(), 0);
    std::vector<float> log_odds(data.samples.size());
    std::vector<Gradient> gradients(data.samples.size());
    std::mt19937 random(static_cast<unsigned>(settings.seed));
    std::vector<GrownTree> trees;
    for (int step = 0; step < settings.trees; ++step) {
        for (const std::uint32_t at : usable) {
            const Sample& sample = data.samples[at];
            const float likely = 1 / (1 + std::exp(-log_odds[at]));
            gradients[at] = {sample.weight * (likely - sample.label),
                             sample.weight * std::max(likely * (1 - likely), 1e-6F)};
        }
        std::vector<std::uint32_t> rows = draw(usable, settings.row_share, random);
        TreeGrower grower(data, settings, gradients, draw(columns, settings.column_share, random));
        trees.push_back(grower.grow(rows));
        for (const std::uint32_t at : usable)
            log_odds[at] += trees.back().judge(data.row(at), settings.depth);
    }
    return trees;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Data read_data(const std::vector<std::string>& arguments) {
    Data data;
    const std::string rows = read_file(arguments.at(0)), samples = read_file(arguments.at(2));
    data.rows.assign(rows.begin(), rows.end());
    data.width = std::stoul(arguments.at(1));
    data.samples.resize(samples.size() / sizeof(Sample));
    std::memcpy(data.samples.data(), samples.data(), data.samples.size() * sizeof(Sample));
    return data;
}

void judge_fold(const Data& data, const Settings& settings, int fold, std::vector<float>& likely) {
    const std::vector<GrownTree> trees = train(data, settings, fold);
    for (std::uint32_t at = 0; at < data.samples.size(); ++at) {
        if (data.samples[at].fold != fold) continue;
        float log_odds = 0;
        for (const GrownTree& tree : trees) log_odds += tree.judge(data.row(at), settings.depth);
        likely[at] = 1 / (1 + std::exp(-log_odds));
    }
}

void write_trees(const std::vector<GrownTree>& trees, const std::string& path) {
    std::ofstream file(path);
    for (const GrownTree& tree : trees) {
        for (const int value : tree.feature) file << value << ' ';
        for (const int value : tree.threshold) file << value << ' ';
        for (const float value : tree.leaf) file << std::lround(value * 1024) << ' ';
        file << '\n';
    }
}

void run(const std::vector<std::string>& arguments) {
    const Data data = read_data(arguments);
    Settings settings;
    for (std::size_t at = 4; at < arguments.size(); ++at) {
        const std::size_t equals = arguments[at].find('=');
        settings.set(arguments[at].substr(0, equals), std::stod(arguments[at].substr(equals + 1)));
    }
    int folds = 0;
    for (const Sample& sample : data.samples) folds = std::max(folds, sample.fold + 1);
    std::vector<float> likely(data.samples.size());
    const auto every_second_fold = [&](int first) {
        for (int fold = first; fold < folds; fold += 2) judge_fold(data, settings, fold, likely);
    };
    std::jthread other(every_second_fold, 1);
    every_second_fold(0);
    other.join();
    std::ofstream file(arguments.at(3) + ".likely", std::ios::binary);
    file.write(reinterpret_cast<const char*>(likely.data()),
               static_cast<std::streamsize>(likely.size() * sizeof(float)));
    if (settings.cross == 0) write_trees(train(data, settings, -1), arguments.at(3) + ".trees");
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 5) {
        std::cerr << "usage: boost_trees ROWS WIDTH SAMPLES OUT [name=value ...]\n";
        return 2;
    }
    run({arguments + 1, arguments + count});
}
