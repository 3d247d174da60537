// The text a tree is made of: the page's own bytes, the strings that had to be copied, and the names.
#pragma once

#include <string>

#include "html/source_text.h"
#include "html/name_table.h"
#include "html/names.h"
#include "html/tree.h"

namespace quarry::html {

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
