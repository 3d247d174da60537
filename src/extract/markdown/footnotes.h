// Finds footnotes: a raised link leads to a note, and the note leads back. That is true of every generator's
// footnotes, so no generator has to be known by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "extract/markdown/survey.h"
#include "extract/selection.h"
#include "html/tree.h"

namespace quarry::extract::markdown {

struct Footnote {
    html::NodeId id = 0;  // the block that holds the note
    std::string label{};
};

class Footnotes {
public:
    Footnotes(const html::Tree& tree, const Selection& selection, const Survey& survey);

    bool any() const { return !notes_.empty(); }
    // The note that this element is, or that this link refers to; nullptr if none.
    const Footnote* note(html::NodeId id) const;
    const Footnote* reference(html::NodeId link) const;
    // The first reference at or after `id`; no_node if there is none.
    html::NodeId next_reference(html::NodeId id) const;
    // True if the element is a note's way back to the text, or the number it repeats.
    bool is_backlink(html::NodeId id) const;

private:
    struct Reference {
        html::NodeId link = 0;
        html::NodeId note = 0;
    };

    void collect_ids(const html::Tree& tree);
    html::NodeId find_note(const html::Tree& tree, html::NodeId link);
    bool leads_back(const html::Tree& tree, html::NodeId note, html::NodeId link);
    html::NodeId target(std::string_view reference) const;
    void add(const html::Tree& tree, html::NodeId link, html::NodeId note);
    void collect_backlinks(const html::Tree& tree, html::NodeId note, html::NodeId marked_by);
    std::string free_label(std::string wanted);

    // For finding only; empty afterwards.
    std::unordered_map<std::string_view, html::NodeId> ids_;
    std::unordered_set<html::NodeId> known_;
    std::unordered_set<std::string> labels_;
    std::uint64_t look_budget_ = 0;  // nodes that may still be looked at
    std::uint32_t next_number_ = 1;

    std::vector<Footnote> notes_;        // by id
    std::vector<Reference> references_;  // by link
    std::vector<html::NodeId> backlinks_;
};

}  // namespace quarry::extract::markdown
