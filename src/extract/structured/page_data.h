// What a page says in forms made for machines, each piece with where it came from: JSON-LD, microdata,
// RDFa, Open Graph, meta tags and tables, all as the same JSON. local_name and add_field are small steps
// that all readers of such data share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <boost/json/fwd.hpp>

#include "html/tree.h"
#include "model/page.h"

namespace quarry::structured {

// Small steps that all readers of structured data share.

// "https://schema.org/Product", "schema:Product" and "Product" are one: "Product".
std::string_view local_name(std::string_view name);

// Adds a value; a name met again turns its value into a list.
void add_field(boost::json::object& fields, std::string_view name, boost::json::value value);

// What a page says in forms made for machines, each piece with where it came from: JSON-LD, microdata, RDFa,
// Open Graph, meta tags and tables, all as the same JSON.

// From the most to the least trusted: the order in which fields are looked for.
enum class Source : std::uint8_t { rule, json_ld, microdata, rdfa, open_graph, meta, table, model };
std::string_view name_of(Source source);  // "json-ld"

// One thing that the page describes: a product, an article, a row of a table.
struct Item {
    Source source = Source::json_ld;
    std::string where{};           // "Product", "table 2": what a person would look for in the page
    std::string type{};            // "Product", without its vocabulary; "" if it has none
    boost::json::object fields{};  // things in it are objects, repeated names are arrays
};

struct PageData {
    std::vector<Item> items{};  // by source, then in page order

    boost::json::array to_json() const;  // [{"source", "where", "type", "fields"}]
};

struct PageDataLimits {
    static constexpr std::size_t items = 2'000;
    static constexpr std::size_t values = 20'000;
    static constexpr std::size_t value_bytes = 4'000;
    static constexpr std::size_t nesting = 16;
};

// Never fails: what is broken or beyond the limits is left out. Linear in the size of the page. `headers` may
// name a language or a canonical address.
PageData read_page_data(const html::Tree& tree, std::string_view page_url,
                        const std::vector<Header>& headers = {});

}  // namespace quarry::structured
