// The text a tree is made of: the page's own bytes, the strings that had to be copied, and the names. An
// arena hands out the memory of the copies and frees it all at once. normalise_source is the standard's
// "preprocessing the input stream", done once for the whole page, so that nothing after it needs to think
// about line endings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "html/names.h"
#include "html/tree.h"

namespace quarry::html {

// Memory for the strings of one tree: handed out piece by piece, freed all at once.

class Arena {
public:
    char* allocate(std::size_t bytes) {
        if (bytes > static_cast<std::size_t>(limit_ - cursor_)) add_block(bytes);
        return std::exchange(cursor_, cursor_ + bytes);
    }
    std::string_view copy(std::string_view bytes) {
        if (bytes.empty()) return {};
        char* at = allocate(bytes.size());
        std::memcpy(at, bytes.data(), bytes.size());
        return {at, bytes.size()};
    }
    // True if what ends at `end` was the last thing handed out and `bytes` more fit right behind it.
    bool can_extend(const char* end, std::size_t bytes) const {
        return end == cursor_ && bytes <= static_cast<std::size_t>(limit_ - cursor_);
    }

private:
    void add_block(std::size_t at_least) {
        const std::size_t bytes = std::max(at_least, next_block_);
        next_block_ = std::min<std::size_t>(next_block_ * 2, std::size_t{1} << 20);
        blocks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
        cursor_ = blocks_.back().get();
        limit_ = cursor_ + bytes;
    }

    std::vector<std::unique_ptr<char[]>> blocks_;
    char* cursor_ = nullptr;
    char* limit_ = nullptr;
    std::size_t next_block_ = std::size_t{1} << 12;
};

// The standard's "preprocessing the input stream", done once for the whole page so that nothing after it
// needs to think about encodings or line endings.

// Makes `source` valid UTF-8 (each invalid sequence becomes one U+FFFD, as decoders of the WHATWG do) and its
// line ends line feeds.
void normalise_source(std::string& source);

// The text a tree is made of: the page's own bytes, the strings that had to be copied, and the names.

struct SourceText {
    std::string bytes;
    Arena text;    // characters of text nodes; apart from `values` so that they can grow in place
    Arena values;  // attribute values, comments, names
    NameTable tag_names{listed_tags};
    NameTable attribute_names{listed_attributes};

    // The number of a name, listed or not. The bytes of a name that is not must live as long as this.
    Tag tag_number(std::string_view name) {
        const HashedName hashed(name);
        const auto listed = find_listed_tag(hashed);
        return listed ? *listed : static_cast<Tag>(tag_names.intern(hashed));
    }
    Attr attribute_number(std::string_view name) {
        const HashedName hashed(name);
        const auto listed = find_listed_attribute(hashed);
        return listed ? *listed : static_cast<Attr>(attribute_names.intern(hashed));
    }
};

struct Tree::Storage {
    SourceText source;
};

}  // namespace quarry::html
