// Rules that say where on a page a field is: CSS selectors, written by a person or learnt from a model.
//
//   {"fields": {
//      "title":  "h1",
//      "price":  {"selector": ".price", "type": "number"},
//      "photo":  {"selector": "img.main", "attribute": "src", "type": "url"},
//      "text":   {"selector": "article", "get": "html"},
//      "tags":   {"selector": ".tag", "list": true},
//      "offers": {"selector": ".offer", "list": true, "fields": {"seller": "b", "price": {…}}}
//   }}
//
// Selectors of nested fields look inside the element around them; without a selector they mean that element.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/result.h"
#include "extract/structured/values.h"
#include "html/selector/selector.h"
#include "html/tree.h"
#include "url/url.h"

namespace quarry::structured {

struct Rule {
    enum class Get : std::uint8_t { text, html, attribute, fields };

    std::string name{};
    std::string selector{};  // as written; "": the element around
    html::SelectorList compiled{};
    Get get = Get::text;
    std::string attribute{};
    ValueType type = ValueType::string;
    bool is_list = false;  // all matches, not the first that has a value
    std::vector<Rule> fields{};
};

class Rules {
public:
    // Fails with `invalid_argument` and the place of the mistake ("/fields/price/selector: …"), also on an
    // unknown key, with a suggestion; `too_large` beyond 500 rules or four levels.
    static Result<Rules> parse(std::string_view text);
    static Result<Rules> read(const boost::json::value& value);

    // The fields that were found. At most 10,000 values and 4 MB of them. Linear in page times rules.
    boost::json::object apply(const html::Tree& tree, const url::Url* base) const;

    const std::vector<Rule>& fields() const { return fields_; }
    boost::json::object to_json() const;

private:
    std::vector<Rule> fields_;
};

}  // namespace quarry::structured
