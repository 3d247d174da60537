// The scripts hold a graph of nodes: as one object, as an array, or under "@graph", with references by "@id".
// The node that is about the page is found by its type; an article counts for more than the page around it.
#include "extract/metadata/json_ld.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include <boost/json.hpp>

#include "base/ascii.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

namespace json = boost::json;

constexpr std::size_t max_script_bytes = std::size_t{512} * 1024;
constexpr std::size_t max_json_ld_bytes = std::size_t{1024} * 1024;
constexpr std::size_t max_texts = 32;
constexpr std::size_t max_nodes = 2'000;
constexpr std::size_t max_authors = 10;
constexpr std::size_t max_item_bytes = 2'000;

// Without what is put around JSON to hide it from old browsers: comments, CDATA marks, a semicolon.
std::string_view unwrapped(std::string_view script) {
    static constexpr std::array before{std::string_view{"<!--"}, std::string_view{"<![CDATA["},
                                       std::string_view{"//"}, std::string_view{"/*"},
                                       std::string_view{"*/"}};
    static constexpr std::array after{std::string_view{"-->"}, std::string_view{"]]>"},
                                      std::string_view{"//"},  std::string_view{"/*"},
                                      std::string_view{"*/"},  std::string_view{";"}};
    std::size_t size_before = 0;
    do {
        script = trimmed(script);
        size_before = script.size();
        for (const std::string_view mark : before) {
            if (script.starts_with(mark)) script.remove_prefix(mark.size());
        }
        for (const std::string_view mark : after) {
            if (script.ends_with(mark)) script.remove_suffix(mark.size());
        }
    } while (script.size() != size_before);
    return script;
}

std::string text_of(const json::value& value) {
    if (const json::string* text = value.if_string())
        return line_of_html({text->data(), text->size()}, max_item_bytes);
    return {};
}

std::string text_at(const json::object& node, std::string_view key) {
    const json::value* value = node.if_contains(key);
    return value == nullptr ? std::string{} : text_of(*value);
}

// How much a node of this type says about the page.
enum class About : std::uint8_t { content, page, site, other, count };

About about_type(std::string_view type) {
    if (const std::size_t slash = type.find_last_of("/#:"); slash != std::string_view::npos) {
        type.remove_prefix(slash + 1);
    }
    if (type.ends_with("Article") || type.ends_with("Posting") || type.ends_with("Review"))
        return About::content;
    static constexpr std::array content{std::string_view{"Report"},
                                        std::string_view{"Recipe"},
                                        std::string_view{"HowTo"},
                                        std::string_view{"Question"},
                                        std::string_view{"Product"},
                                        std::string_view{"VideoObject"},
                                        std::string_view{"Book"},
                                        std::string_view{"Dataset"},
                                        std::string_view{"Course"},
                                        std::string_view{"Event"},
                                        std::string_view{"CreativeWork"},
                                        std::string_view{"Movie"},
                                        std::string_view{"SoftwareSourceCode"},
                                        std::string_view{"PodcastEpisode"}};
    if (std::ranges::find(content, type) != content.end()) return About::content;
    if (type.ends_with("Page") || type == "WebPageElement") return About::page;
    return type == "WebSite" ? About::site : About::other;
}

About about(const json::object& node) {
    const json::value* type = node.if_contains("@type");
    if (type == nullptr) return About::other;
    if (const json::string* name = type->if_string()) return about_type({name->data(), name->size()});
    About best = About::other;
    if (const json::array* names = type->if_array()) {
        for (const json::value& name : *names) best = std::min(best, about_type(text_of(name)));
    }
    return best;
}

class Graph {
public:
    // Notes the nodes of a script. The values must stay alive.
    void add(const json::value& value, int depth = 0) {
        constexpr int max_depth = 6;
        if (depth > max_depth || nodes_.size() >= max_nodes) return;
        if (const json::array* list = value.if_array()) {
            for (const json::value& item : *list) add(item, depth + 1);
            return;
        }
        const json::object* node = value.if_object();
        if (node == nullptr) return;
        nodes_.push_back(node);
        if (const std::string id = text_at(*node, "@id"); !id.empty() && node->contains("name"))
            by_id_.try_emplace(id, node);
        for (const std::string_view key : {"@graph", "mainEntity", "mainEntityOfPage"}) {
            if (const json::value* below = node->if_contains(key)) add(*below, depth + 1);
        }
    }

    StructuredFacts facts() const {
        StructuredFacts facts;
        for (const About rank : {About::content, About::page}) {
            for (const json::object* node : nodes_) {
                if (about(*node) == rank) take_facts(*node, facts);
            }
        }
        for (const json::object* node : nodes_) {
            if (facts.site_name.empty() && about(*node) == About::site)
                facts.site_name = text_at(*node, "name");
        }
        return facts;
    }

private:
    static void fill(std::string& fact, std::string value) {
        if (fact.empty()) fact = std::move(value);
    }

    void take_facts(const json::object& node, StructuredFacts& facts) const {
        fill(facts.headline, text_at(node, "headline"));
        fill(facts.headline, text_at(node, "name"));
        fill(facts.description, text_at(node, "description"));
        fill(facts.published, text_at(node, "datePublished"));
        fill(facts.modified, text_at(node, "dateModified"));
        fill(facts.language, text_at(node, "inLanguage"));
        for (const std::string_view key : {"author", "creator"}) {
            std::string& place = is_organisation(node, key) ? facts.organisation : facts.author;
            if (place.empty()) place = names_at(node, key);
        }
        if (facts.site_name.empty()) facts.site_name = names_at(node, "publisher");
        if (facts.image.empty()) facts.image = image_of(node);
    }

    static bool is_organisation(const json::object& node, std::string_view key) {
        const json::value* value = node.if_contains(key);
        const json::object* author = value == nullptr ? nullptr : value->if_object();
        return author != nullptr && text_at(*author, "@type").ends_with("Organization");
    }

    // "author": "Ann" | {"name": "Ann"} | {"@id": "#ann"} | a list of those.
    std::string names_at(const json::object& node, std::string_view key) const {
        const json::value* value = node.if_contains(key);
        if (value == nullptr) return {};
        const json::array* list = value->if_array();
        if (list == nullptr) return name_of(*value);
        std::string names;
        std::size_t count = 0;
        for (const json::value& item : *list) {
            std::string name = name_of(item);
            if (name.empty() || ++count > max_authors) continue;
            names += (names.empty() ? "" : ", ") + std::move(name);
        }
        return names;
    }

    std::string name_of(const json::value& value) const {
        const json::object* node = value.if_object();
        if (node == nullptr) return text_of(value);
        if (const json::value* name = node->if_contains("name")) {
            const json::array* list = name->if_array();
            return list == nullptr ? text_of(*name) : list->empty() ? std::string{} : text_of(list->front());
        }
        const auto found = by_id_.find(text_at(*node, "@id"));
        return found == by_id_.end() ? std::string{} : text_at(*found->second, "name");
    }

    // "image": a URL | {"url": …} | a list of those.
    static std::string image_of(const json::object& node) {
        const json::value* value = node.if_contains("image");
        if (value == nullptr) return {};
        if (const json::array* list = value->if_array()) {
            if (list->empty()) return {};
            value = &list->front();
        }
        const json::object* image = value->if_object();
        return image == nullptr ? text_of(*value) : text_at(*image, "url");
    }

    std::vector<const json::object*> nodes_;
    std::unordered_map<std::string, const json::object*> by_id_;
};

}  // namespace

JsonLd read_json_ld(std::span<const std::string_view> scripts) {
    JsonLd result;
    json::monotonic_resource memory;
    std::vector<json::value> values;
    std::size_t total_bytes = 0;
    for (const std::string_view script : scripts) {
        const std::string_view text = unwrapped(script);
        if (text.empty() || text.size() > max_script_bytes || result.texts.size() >= max_texts) continue;
        if (total_bytes + text.size() > max_json_ld_bytes) continue;
        boost::system::error_code error;
        json::value value = json::parse(text, error, &memory);
        if (error) continue;
        total_bytes += text.size();
        result.texts.emplace_back(text);
        values.push_back(std::move(value));
    }
    Graph graph;
    for (const json::value& value : values) graph.add(value);
    result.facts = graph.facts();
    return result;
}

}  // namespace quarry::extract
