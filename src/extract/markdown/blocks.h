// Lays out blocks: what separates them, and what every line inside lists and quotes begins with. Knows
// nothing of HTML; text arrives ready.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::extract::markdown {

enum class Block : std::uint8_t {
    none,
    paragraph,
    heading,
    list,
    quote,
    code,
    table,
    rule,
    term,        // of a definition list
    definition,  // stands right below its term
    footnote,
    alert,  // the first line of an admonition; its text follows on the next
};

// One list: its items belong together, and two lists in a row must not be read as one.
struct List {
    std::uint32_t id = 0;
    char marker = '-';  // '-' or '*'; '.' or ')' after a number
    bool tight = true;  // no blank lines between the items
    std::uint32_t number = 1;
    bool ordered() const { return marker == '.' || marker == ')'; }
};

class BlockOutput {
public:
    BlockOutput() { containers_.push_back({}); }

    // Begins a block: writes what separates it from the one before, and the markers of the items and quotes
    // it is the first block of.
    void begin(Block kind);
    // Appends to the current line.
    void write(std::string_view text) { out_ += text; }
    void write(char c) { out_ += c; }
    // Ends the line and begins the next one of the same block.
    void next_line();
    // Appends text that may have several lines.
    void write_lines(std::string_view text);

    // A list that can follow what is there without being taken for a part of it.
    List begin_list(bool ordered, std::uint32_t start, bool tight);
    // True if an item of this list was the last thing written here.
    bool continues(const List& list) const {
        return containers_.back().last == Block::list && containers_.back().last_list == list.id;
    }
    // Items, quotes and footnotes hold blocks. Their markers are written with their first block, so that an
    // empty one leaves no trace, unless `write_empty_container` is called.
    void open_item(List& list);
    void open_quote();
    void open_footnote(std::string_view label);
    void close_container();
    void write_empty_container();
    // Nothing has been written into the innermost container yet.
    bool container_is_empty() const { return containers_.back().last == Block::none; }
    // The innermost container is an item marked with a hyphen and nothing is written in it yet: "- ---" would
    // be a rule.
    bool after_hyphen() const;

    Block last_block() const { return containers_.back().last; }
    bool empty() const { return out_.empty(); }
    // Everything written, ended by a newline; "" if nothing was.
    std::string take();

private:
    struct Container {
        std::string marker{};           // written with the first block: "- ", "> ", "12. "
        std::uint32_t prefix_size = 0;  // of prefix_, for lines inside this container
        std::uint32_t list = 0;         // items: which list it belongs to
        std::uint32_t last_list = 0;    // the list written last in this container
        Block kind = Block::none;
        Block last = Block::none;  // the block written last in this container
        char last_marker = '-';    // of that list
        bool tight = false;        // items: blocks follow each other without blank lines where they can
        bool needs_room = false;   // items: cannot stand right below a line of text
    };

    void open(Block kind, std::string marker, std::string_view line_prefix);
    void separate(std::size_t parent, Block kind, const Container* container);
    static bool needs_blank_line(const Container& parent, Block kind, const Container* container);

    std::string out_;
    std::string prefix_;
    std::vector<Container> containers_;  // the first is the page
    std::size_t first_pending_ = 1;      // containers from here on have not written their markers
    std::size_t invisible_ = 0;          // containers beyond the visible nesting
    std::uint32_t lists_ = 0;
};

}  // namespace quarry::extract::markdown
