#include "extract/content/surroundings.h"

#include <algorithm>
#include <string_view>

#include "extract/content/display.h"

namespace quarry::extract {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

constexpr std::uint32_t bit(Region region) {
    return 1U << static_cast<unsigned>(region);
}

std::uint32_t region_of_tag(Tag tag) {
    switch (tag) {
        case Tag::article: return bit(Region::article);
        case Tag::main: return bit(Region::main);
        case Tag::nav: return bit(Region::nav);
        case Tag::aside: return bit(Region::aside);
        case Tag::footer: return bit(Region::footer);
        case Tag::header: return bit(Region::header);
        case Tag::section: return bit(Region::section);
        case Tag::form: return bit(Region::form);
        case Tag::table: return bit(Region::table);
        case Tag::ul:
        case Tag::menu:
        case Tag::ol: return bit(Region::list);
        case Tag::dl: return bit(Region::definitions);
        case Tag::blockquote: return bit(Region::quote);
        case Tag::pre:
        case Tag::code: return bit(Region::preformatted);
        case Tag::figure: return bit(Region::figure);
        case Tag::details: return bit(Region::details);
        case Tag::button: return bit(Region::button);
        case Tag::a: return bit(Region::link);
        case Tag::dialog: return bit(Region::dialog);
        case Tag::noscript: return bit(Region::hidden);
        case Tag::select:
        case Tag::textarea: return bit(Region::select);
        case Tag::p: return bit(Region::paragraph);
        case Tag::h1:
        case Tag::h2:
        case Tag::h3:
        case Tag::h4:
        case Tag::h5:
        case Tag::h6: return bit(Region::heading);
        case Tag::address: return bit(Region::address);
        default: return 0;
    }
}

std::uint32_t region_of_role(std::string_view role) {
    if (role == "main") return bit(Region::main);
    if (role == "article") return bit(Region::article);
    if (role == "navigation" || role == "menu" || role == "menubar") return bit(Region::nav);
    if (role == "complementary") return bit(Region::aside);
    if (role == "contentinfo") return bit(Region::footer);
    if (role == "banner") return bit(Region::header);
    if (role == "search" || role == "form") return bit(Region::form);
    if (role == "dialog" || role == "alertdialog") return bit(Region::dialog);
    if (role == "heading") return bit(Region::heading);
    if (role == "button") return bit(Region::button);
    return 0;
}

// Items of a list share tag and first class; later classes say "odd", "last", "active".
std::uint32_t signature_of(const Tree& tree, NodeId id) {
    std::string_view name = tree.attribute_or_empty(id, Attr::class_);
    name = name.substr(0, name.find_first_of(" \t\n\f\r"));
    WordHash hash(name.substr(0, 64));
    return hash.value() * 31 + static_cast<std::uint32_t>(tree[id].tag);
}

class Reader {
public:
    Reader(const Tree& tree, const Blocks& blocks, const Visibility& visibility, const WordWeights& weights)
        : tree_(tree),
          blocks_(blocks),
          visibility_(visibility),
          weights_(weights),
          all_(tree.size(), 2 * blocks.list.size()) {
        holders_.reserve(2 * blocks.list.size());
    }

    SurroundingsByNode run() {
        find_holders();
        count_repeats();
        for (const NodeId id : holders_) read(id);
        return std::move(all_);
    }

private:
    std::uint32_t block_count(NodeId id) const {
        const auto [first, end] = blocks_.inside(tree_, id);
        return end - first;
    }

    // The nodes that hold blocks, in order.
    void find_holders() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.is_text(id)) continue;
            if (block_count(id) == 0) {
                id = tree_[id].end - 1;
                continue;
            }
            holders_.push_back(id);
            all_.add(id);
        }
    }

    // A run is a row of alike siblings; its length is kept with its first element until all are counted.
    void count_repeats() {
        struct LastChild {
            std::uint32_t place = 0;  // 0 for none
            std::uint32_t signature = 0;
        };
        std::vector<LastChild> last(all_.size());
        run_of_.resize(all_.size());
        run_length_.resize(all_.size());
        for (const NodeId id : holders_) {
            if (!tree_.is_element(id) || !is_block_level(tree_[id])) continue;
            const std::uint32_t place = all_.place(id);
            LastChild& before = last[all_.place(tree_[id].parent)];
            const std::uint32_t own = signature_of(tree_, id);
            all_.entry(id).signature = own;
            run_of_[place] = before.place != 0 && before.signature == own ? run_of_[before.place] : place;
            ++run_length_[run_of_[place]];
            before = {place, own};
        }
    }

    void read(NodeId id) {
        Surroundings& own = all_.entry(id);
        const NodeId parent = tree_[id].parent;
        const std::uint32_t signature = own.signature;
        if (parent != html::no_node) {
            own = all_.entry(parent);
            if (block_count(parent) > block_count(id)) own.wider = parent;
        }
        own.repeats = 0;
        own.signature = signature;
        own.near_weight = static_cast<std::int16_t>(own.near_weight / 2);
        if (!tree_.is_element(id)) return;
        add_tag_and_role(id, own);
        add_names(id, own);
        add_repeat(id, own);
    }

    void add_tag_and_role(NodeId id, Surroundings& own) const {
        const std::uint32_t region = region_of_tag(tree_[id].tag);
        own.regions |= region;
        if (tree_[id].attribute_count != 0)
            own.regions |= region_of_role(tree_.attribute_or_empty(id, Attr::role));
        if (region == bit(Region::list)) own.lists = static_cast<std::uint8_t>(std::min(own.lists + 1, 255));
        if (region == bit(Region::table))
            own.tables = static_cast<std::uint8_t>(std::min(own.tables + 1, 255));
        if (visibility_.hides(id)) own.regions |= bit(Region::hidden);
    }

    void add_names(NodeId id, Surroundings& own) const {
        // The classes of <html> and <body> describe the page and the browser, not a place in it.
        if (tree_[id].attribute_count == 0 || id == tree_.html() || id == tree_.body()) return;
        const NameCues cues = read_name_cues(tree_, id, weights_);
        own.cues |= cues.bits;
        for (std::uint32_t bits = cues.bits; bits != 0; bits &= bits - 1) {
            own.cue_at[static_cast<std::size_t>(__builtin_ctz(bits))] = tree_[id].depth;
        }
        own.weight = static_cast<std::int16_t>(std::clamp(own.weight + cues.weight, -8192, 8191));
        own.near_weight = static_cast<std::int16_t>(std::clamp(own.near_weight + cues.weight, -8192, 8191));
        own.worst_weight = std::min(own.worst_weight, cues.weight);
    }

    void add_repeat(NodeId id, Surroundings& own) const {
        const std::uint32_t length = run_length_[run_of_[all_.place(id)]];
        if (length < 3 || !is_block_level(tree_[id])) return;
        own.repeats = length;
        own.inner_repeat = id;
        if (own.outer_repeat == html::no_node) own.outer_repeat = id;
    }

    const Tree& tree_;
    const Blocks& blocks_;
    const Visibility& visibility_;
    const WordWeights& weights_;
    SurroundingsByNode all_;
    std::vector<NodeId> holders_;
    std::vector<std::uint32_t> run_of_;  // per entry: the place of the first of its run
    std::vector<std::uint32_t> run_length_;
};

}  // namespace

void SurroundingsByNode::add(NodeId id) {
    place_[id] = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
}

SurroundingsByNode read_surroundings(const Tree& tree, const Blocks& blocks, const Visibility& visibility,
                                     const Vocabulary& vocabulary) {
    return Reader(tree, blocks, visibility, vocabulary.name_words).run();
}

}  // namespace quarry::extract
