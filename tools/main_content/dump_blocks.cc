// Lets the trainer see pages as the program sees them. Reads a list of pages (id TAB path of an HTML file):
//   dump_blocks features LIST OUT        OUT.rows (the first look's features) and OUT.texts
//   dump_blocks names LIST OUT           OUT.texts with the name words of the ancestors in place of the text
//   dump_blocks context LIST LIKELY OUT  OUT.rows (the second look's) for the first judgements in LIKELY
//   dump_blocks choose LIST LIKELY DIR   DIR/id.txt, the chosen text for the second judgements in LIKELY
//   dump_blocks select LIST DIR          the same with the built-in model
// Rows and judgements are raw bytes, block after block, page after page. OUT.texts has a line "# id count"
// per page, then a line per block. A last argument vocabulary=FILE (lines "text|name WORD WEIGHT") replaces
// the built-in vocabulary.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "extract/content/block_features.h"
#include "extract/content/context_features.h"
#include "extract/content/main_content.h"
#include "html/parser.h"

namespace {

using namespace quarry;
using namespace quarry::extract;

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string block_text(const PageView& page, const Block& block) {
    std::string text;
    for (html::NodeId id = block.first; id <= block.last; ++id) {
        if (page.visibility.never_shown(id)) {
            id = page.tree[id].end - 1;
        } else if (page.tree.is(id, html::Tag::br)) {
            text += ' ';
        } else if (page.tree.is_text(id)) {
            text += page.tree[id].text;
        }
    }
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    }
    return text;
}

std::string block_names(const PageView& page, const Block& block) {
    std::set<std::string> words;
    for (html::NodeId id = page.innermost(block); id != html::no_node && id != page.tree.body();
         id = page.tree[id].parent) {
        if (!page.tree.is_element(id)) continue;
        each_name(page.tree, id, [&](std::string_view name) {
            each_name_word(name, [&](std::string_view word) {
                std::string lower(word);
                for (char& c : lower) c = static_cast<char>(c | 0x20);
                words.insert(lower);
            });
        });
    }
    std::string line;
    for (const std::string& word : words) line += word + ' ';
    return line;
}

Vocabulary read_vocabulary(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::pair<std::string, int>> text, names;
    std::string kind, word;
    for (int weight = 0; file >> kind >> word >> weight;)
        (kind == "text" ? text : names).emplace_back(word, weight);
    const auto weigh = [](const std::vector<std::pair<std::string, int>>& entries) {
        std::vector<WeightedWord> words;
        for (const auto& [entry, weight] : entries)
            words.push_back({entry, static_cast<std::int8_t>(weight)});
        return WordWeights(words);
    };
    return {weigh(text), weigh(names)};
}

struct Output {
    std::ofstream rows, texts;
    std::string folder;
    std::string likely;  // judgements not yet used
    std::size_t used = 0;

    std::vector<std::uint8_t> take(std::size_t count) {
        std::vector<std::uint8_t> taken(likely.begin() + static_cast<std::ptrdiff_t>(used),
                                        likely.begin() + static_cast<std::ptrdiff_t>(used + count));
        used += count;
        return taken;
    }
    void write(const FeatureTable& table, std::size_t width) {
        for (std::size_t row = 0; row < table.rows(); ++row) {
            for (std::size_t feature = 0; feature < width; ++feature)
                rows.put(static_cast<char>(table.at(row, feature)));
        }
    }
};

void write_chosen(const PageView& page, const std::vector<std::uint8_t>& likely, const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    const std::vector<std::uint8_t> chosen = choose_blocks(page, likely);
    for (std::size_t at = 0; at < chosen.size(); ++at) {
        if (chosen[at] != 0) file << block_text(page, page.blocks.list[at]) << '\n';
    }
}

void dump_page(const std::string& mode, const std::string& id, const PageView& page, Output& output) {
    const std::vector<Block>& blocks = page.blocks.list;
    FeatureTable table(blocks.size(), feature_count + context_feature_count);
    describe_blocks(page, table);
    if (mode == "features") {
        output.write(table, feature_count);
        output.texts << "# " << id << ' ' << blocks.size() << '\n';
        for (const Block& block : blocks) output.texts << block_text(page, block) << '\n';
    } else if (mode == "names") {
        output.texts << "# " << id << ' ' << blocks.size() << '\n';
        for (const Block& block : blocks) output.texts << block_names(page, block) << '\n';
    } else if (mode == "context") {
        describe_context(page, output.take(blocks.size()), table);
        output.write(table, table.width());
    } else if (mode == "choose") {
        write_chosen(page, output.take(blocks.size()), output.folder + "/" + id + ".txt");
    } else {
        write_chosen(page, judge_blocks(page), output.folder + "/" + id + ".txt");
    }
}

int run(std::vector<std::string> arguments) {
    std::optional<Vocabulary> given;
    if (arguments.back().starts_with("vocabulary=")) {
        given = read_vocabulary(arguments.back().substr(11));
        arguments.pop_back();
    }
    const Vocabulary& vocabulary = given ? *given : learnt_vocabulary();
    const std::string& mode = arguments.at(0);
    const bool has_likely = mode == "context" || mode == "choose";
    const std::string& out = arguments.at(has_likely ? 3 : 2);
    Output output;
    if (has_likely) output.likely = read_file(arguments.at(2));
    if (mode == "features" || mode == "context") output.rows.open(out + ".rows", std::ios::binary);
    if (mode == "features" || mode == "names") output.texts.open(out + ".texts", std::ios::binary);
    output.folder = out;
    std::ifstream list(arguments.at(1));
    for (std::string line; std::getline(list, line);) {
        const std::size_t tab = line.find('\t');
        const html::Tree tree =
            html::parse(read_file(line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1)));
        dump_page(mode, line.substr(0, tab), PageView(tree, vocabulary), output);
    }
    std::cout << feature_count << ' ' << feature_count + context_feature_count << '\n';
    for (const std::string& name : feature_names()) std::cout << name << '\n';
    for (const std::string& name : context_feature_names()) std::cout << name << '\n';
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 4) {
        std::cerr << "usage: dump_blocks features|names|context|choose|select LIST [LIKELY] OUT "
                     "[vocabulary=FILE]\n";
        return 2;
    }
    return run({arguments + 1, arguments + count});
}
