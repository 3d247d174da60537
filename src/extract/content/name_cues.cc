#include "extract/content/name_cues.h"

#include <algorithm>
#include <array>

namespace quarry::extract {

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

}  // namespace quarry::extract
