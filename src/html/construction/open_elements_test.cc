// The stack answers in constant time what the standard asks by walking: both ways must agree.
#include "html/construction/open_elements.h"

#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace quarry::html;

namespace {

using Index = OpenElements::Index;

// The standard's way: from the top down to the element, unless a boundary comes first.
Index walk(const OpenElements& open, Tag tag, unsigned boundaries) {
    for (Index i = open.size() - 1; i >= 0; --i) {
        if (open[i].is(tag)) return i;
        if ((open[i].classes() & boundaries) != 0) return OpenElements::none;
    }
    return OpenElements::none;
}

bool found(const OpenElements& open, Tag tag, unsigned boundaries) {
    return walk(open, tag, boundaries) != OpenElements::none;
}

// How <li> looks for the item before it: through div, p and address.
bool finds_item(const OpenElements& open, Tag tag) {
    for (Index i = open.size() - 1; i >= 0; --i) {
        if (open[i].is(tag)) return true;
        const unsigned classes = open[i].classes();
        if ((classes & special) != 0 && (classes & transparent_to_items) == 0) return false;
    }
    return false;
}

void check_against_walks(const OpenElements& open) {
    using enum Tag;
    for (const Tag tag : {p, li, button, table, td, ul, div, template_, html, svg, b, first_unlisted}) {
        REQUIRE(open.topmost(tag) == walk(open, tag, 0));
        REQUIRE(open.has_in_scope(tag) == found(open, tag, bounds_scope));
        REQUIRE(open.has_in_button_scope(tag) == found(open, tag, bounds_scope | bounds_button_scope));
        REQUIRE(open.has_in_list_scope(tag) == found(open, tag, bounds_scope | bounds_list_scope));
        REQUIRE(open.has_in_table_scope(tag) == found(open, tag, bounds_table_scope));
        REQUIRE(open.has_above_special(tag) == found(open, tag, special));
        REQUIRE(open.has_above_item_stop(tag) == finds_item(open, tag));
    }
}

class RandomStack {
public:
    void step() {
        const auto below_top = static_cast<unsigned>(std::max<Index>(open_.size(), 1));
        const auto any_index = static_cast<Index>(random_() % below_top);
        switch (random_() % 8) {
            case 0:
            case 1:
                if (!open_.empty()) open_.pop();
                break;
            case 2:
                if (!open_.empty()) open_.remove(any_index);
                break;
            case 3: open_.insert(any_index, element()); break;
            case 4:
                if (!open_.empty()) open_.replace(any_index, element());
                break;
            default: open_.push(element()); break;
        }
    }
    const OpenElements& open() const { return open_; }

private:
    OpenElement element() {
        using enum Tag;
        static const std::vector<Tag> tags = {
            html,   body, p,   div, li,    ul, button, table, tbody,          td,
            select, b,    svg, mi,  title, a,  object, dd,    first_unlisted, template_};
        const Tag tag = tags[random_() % tags.size()];
        const auto space = static_cast<Namespace>(random_() % 5 < 3 ? 0 : random_() % 3);
        return {.node = nodes_.add(BuildNode{}), .tag = tag, .token_tag = tag, .space = space};
    }

    std::mt19937 random_{7};
    Arena text_;
    BuildTree nodes_{text_, 0};
    OpenElements open_{nodes_};
};

}  // namespace

TEST_CASE("answers in constant time are those of a walk over the stack") {
    RandomStack stack;
    for (int round = 0; round < 5'000; ++round) {
        stack.step();
        check_against_walks(stack.open());
    }
}

TEST_CASE("an element that leaves the stack is no longer open") {
    Arena text;
    BuildTree nodes(text, 0);
    OpenElements open(nodes);
    const NodeId first = nodes.add(BuildNode{}), second = nodes.add(BuildNode{});
    open.push({.node = first, .tag = Tag::div, .token_tag = Tag::div});
    open.push({.node = second, .tag = Tag::p, .token_tag = Tag::p});

    open.remove(0);

    const bool first_is_open = nodes[first].is_open, second_is_open = nodes[second].is_open;
    CHECK(!first_is_open);
    CHECK(second_is_open);
    CHECK(open.index_of(second) == 0);
    CHECK(open.index_of(first) == OpenElements::none);
}
