#include "extract/structured/synonyms.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"

namespace quarry::structured {

namespace {

struct Row {
    std::vector<std::string_view> names;  // any of these …
    std::vector<std::string_view> paths;  // … may be any of those
};

const std::vector<Row>& table() {
    static const std::vector<Row> rows = {
        {{"title", "headline", "name", "productname", "label"},
         {"headline", "name", "title", "alternatename"}},
        {{"description", "summary", "abstract"}, {"description", "abstract", "summary", "text"}},
        {{"text", "body", "content", "articlebody"}, {"articlebody", "text", "reviewbody", "content"}},
        {{"author", "authors", "authorname", "writer", "creator", "byline"}, {"author", "creator", "byline"}},
        {{"price", "amount", "cost"},
         {"price", "offers.price", "offers.lowprice", "offers.pricespecification.price", "priceamount",
          "baseprice"}},
        {{"currency", "pricecurrency"},
         {"pricecurrency", "offers.pricecurrency", "offers.pricespecification.pricecurrency"}},
        {{"availability", "instock", "available", "stock"}, {"availability", "offers.availability"}},
        {{"condition"}, {"itemcondition", "offers.itemcondition"}},
        {{"seller", "vendor", "merchant"}, {"seller", "offers.seller", "publisher"}},
        {{"brand", "manufacturer", "maker"}, {"brand", "manufacturer"}},
        {{"sku", "productid", "id", "identifier"}, {"sku", "productid", "identifier", "mpn", "gtin13"}},
        {{"rating", "score", "averagerating", "ratingvalue", "stars"},
         {"aggregaterating.ratingvalue", "reviewrating.ratingvalue", "ratingvalue", "rating"}},
        {{"reviewcount", "reviews", "ratingcount", "numberofreviews", "numreviews"},
         {"aggregaterating.reviewcount", "aggregaterating.ratingcount", "reviewcount", "commentcount"}},
        {{"image", "imageurl", "photo", "picture", "thumbnail", "images"},
         {"image", "thumbnailurl", "imagesecureurl", "photo"}},
        {{"url", "link", "canonical", "permalink"}, {"url", "mainentityofpage", "id"}},
        {{"date", "published", "publishedat", "publisheddate", "publishdate", "datepublished",
          "publishedtime", "publicationdate", "releasedate"},
         {"datepublished", "publishedtime", "uploaddate", "datecreated", "releasedate", "date"}},
        {{"modified", "updated", "updatedat", "lastmodified", "datemodified", "modifiedtime"},
         {"datemodified", "modifiedtime", "updatedtime"}},
        {{"site", "sitename", "publisher", "source"}, {"publisher", "sitename"}},
        {{"tags", "keywords", "tag"}, {"keywords", "tag"}},
        {{"category", "section", "categories"}, {"category", "articlesection", "section", "genre"}},
        {{"language", "lang", "locale"}, {"inlanguage", "language", "locale"}},
        {{"phone", "telephone", "phonenumber"}, {"telephone", "contactpoint.telephone"}},
        {{"email", "mail"}, {"email", "contactpoint.email"}},
        {{"city", "town"}, {"address.addresslocality", "location.address.addresslocality"}},
        {{"street", "streetaddress"}, {"address.streetaddress", "location.address.streetaddress"}},
        {{"postcode", "postalcode", "zip", "zipcode"}, {"address.postalcode", "location.address.postalcode"}},
        {{"country"}, {"address.addresscountry", "location.address.addresscountry"}},
        {{"latitude", "lat"}, {"geo.latitude", "location.geo.latitude"}},
        {{"longitude", "lng", "lon"}, {"geo.longitude", "location.geo.longitude"}},
        {{"venue", "place", "location"}, {"location", "location.name"}},
        {{"start", "startdate", "begins", "starttime"}, {"startdate"}},
        {{"end", "enddate", "ends", "endtime"}, {"enddate"}},
        {{"company", "employer", "organization", "organisation"},
         {"hiringorganization", "worksfor", "publisher"}},
        {{"salary"}, {"basesalary.value.value", "basesalary.value.minvalue", "basesalary"}},
        {{"ingredients"}, {"recipeingredient", "ingredients"}},
        {{"instructions", "steps"}, {"recipeinstructions", "step"}},
        {{"servings", "yield"}, {"recipeyield"}},
        {{"duration", "runtime", "length"}, {"duration", "totaltime", "timerequired"}},
        {{"cooktime"}, {"cooktime"}},
        {{"preptime"}, {"preptime"}},
        {{"isbn"}, {"isbn"}},
        {{"pages", "numberofpages", "pagecount"}, {"numberofpages"}},
        {{"type", "kind"}, {"type"}},
    };
    return rows;
}

}  // namespace

std::string plain_name(std::string_view name) {
    std::string plain;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (is_ascii_letter(c) || is_ascii_digit(c) || byte >= 0x80) plain += c;
    }
    return lower_case(plain);
}

std::span<const std::string_view> synonyms_of(std::string_view name) {
    for (const Row& row : table())
        if (std::ranges::find(row.names, name) != row.names.end()) return row.paths;
    return {};
}

}  // namespace quarry::structured
