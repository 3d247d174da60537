#include "extract/content/surroundings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "extract/content/visibility.h"

namespace quarry::extract {

using html::Attr;
using html::NodeId;
using html::Tag;
using html::Tree;

namespace {

struct CueWords {
    Cue cue;
    std::string_view words;  // separated by spaces, singular
};

// General words only, as web authors use them; the learnt weights do the fine sorting.
constexpr CueWords cue_words[] = {
    {Cue::content,
     "content article post entry body text story main markdown prose rst document doc page paragraph "
     "richtext wysiwyg copy articlebody bodytext maincontent mainbody"},
    {Cue::comment, "comment reply response discussion disqus discuss commentlist remark"},
    {Cue::thread, "thread message topic forum board conversation bbs postbody msg"},
    {Cue::navigation,
     "nav menu navbar navigation topbar toolbar submenu dropdown megamenu menubar offcanvas drawer "
     "subnav navlink hamburger skip"},
    {Cue::sidebar, "sidebar aside rail widget side sidenav complementary leftbar rightbar"},
    {Cue::footer, "footer bottom colophon copyright foot contentinfo legal"},
    {Cue::header, "header masthead head hero top topbar logo brand title headline"},
    {Cue::breadcrumb, "breadcrumb crumb path trail"},
    {Cue::share,
     "share social sharing follow facebook twitter linkedin whatsapp addthis sharedaddy pinterest"},
    {Cue::related,
     "related recommend recommended recommendation more similar suggested suggestion popular trending "
     "recirc recirculation also latest recent upnext readnext"},
    {Cue::promotion,
     "promo promotion ad ads advert advertisement advertising sponsor sponsored cta upsell banner dfp "
     "commercial affiliate offer teaser"},
    {Cue::consent, "cookie consent gdpr privacy modal popup overlay dialog lightbox onetrust ccpa"},
    {Cue::subscribe,
     "subscribe subscription newsletter signup paywall login register account signin mailing optin "
     "donate membership"},
    {Cue::byline, "byline author date time published timestamp meta posted dateline updated"},
    {Cue::tag, "tag category label badge keyword taxonomy chip"},
    {Cue::contents_table, "toc contents outline anchor onthispage tableofcontents scrollspy"},
    {Cue::pager, "pagination pager next prev previous paging paginate pagenav"},
    {Cue::product, "product price sku cart shop buy variant swatch add2cart addtocart basket checkout"},
    {Cue::description,
     "description desc summary excerpt intro lead overview spec specification feature detail "
     "abstract subtitle dek standfirst lede"},
    {Cue::review, "review rating star testimonial feedback"},
    {Cue::card, "card grid tile list listing result feed collection item row col column"},
    {Cue::user, "user profile avatar member signature sig rank username reputation karma poster"},
    {Cue::action,
     "button btn action control tool vote like copy edit print clipboard toggle bookmark report"},
    {Cue::search, "search filter sort facet form input select field refine"},
    {Cue::media,
     "figure image img caption credit gallery slider carousel video player media photo slide swiper"},
    {Cue::hidden, "hidden sr visually screen invisible collapse hide offscreen sronly noprint"},
    {Cue::question, "question answer qa faq accordion accepted"},
    {Cue::code, "code highlight syntax snippet listing pre"},
    {Cue::notice, "notice alert warning note announcement disclaimer admonition tip callout info"},
};

struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t bits = 0;
};
constexpr std::size_t slot_count = 2048;

constexpr void insert(std::array<Slot, slot_count>& slots, std::uint32_t hash, Cue cue) {
    std::size_t at = hash % slot_count;
    while (slots[at].hash != 0 && slots[at].hash != hash) at = (at + 1) % slot_count;
    slots[at].hash = hash;
    slots[at].bits |= 1U << static_cast<unsigned>(cue);
}

constexpr std::array<Slot, slot_count> make_slots() {
    std::array<Slot, slot_count> slots{};
    for (const CueWords& entry : cue_words) {
        std::string_view rest = entry.words;
        while (!rest.empty()) {
            const std::size_t space = std::min(rest.find(' '), rest.size());
            insert(slots, WordHash(rest.substr(0, space)).value(), entry.cue);
            rest.remove_prefix(std::min(space + 1, rest.size()));
        }
    }
    return slots;
}

constexpr std::array<Slot, slot_count> slots = make_slots();

std::uint32_t cue_bits(WordHash word) {
    for (std::size_t at = word.value() % slot_count; slots[at].hash != 0; at = (at + 1) % slot_count) {
        if (slots[at].hash == word.value()) return slots[at].bits;
    }
    return 0;
}

void add_word(std::string_view word, const WordWeights& weights, NameCues& cues) {
    const WordHash hash(word);
    std::uint32_t bits = cue_bits(hash);
    const bool plural = word.size() > 3 && word.back() == 's';
    if (bits == 0 && plural) bits = cue_bits(WordHash({word.data(), word.size() - 1}));
    cues.bits |= bits;
    cues.weight = static_cast<std::int16_t>(std::clamp(cues.weight + weights[hash], -2048, 2047));
}

}  // namespace

NameCues read_name_cues(const html::Tree& tree, html::NodeId id, const WordWeights& weights) {
    NameCues cues;
    each_name(tree, id, [&](std::string_view name) {
        each_name_word(name, [&](std::string_view word) { add_word(word, weights, cues); });
    });
    return cues;
}

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
