#include "extract/metadata/images.h"

#include <string>
#include <unordered_set>

#include "base/ascii.h"
#include "extract/metadata/base_url.h"
#include "extract/metadata/image_source.h"
#include "extract/one_line.h"

namespace quarry::extract {

namespace {

constexpr std::size_t max_images = 20'000;
constexpr std::size_t max_alt_bytes = 1'000;

std::string image_url(std::string_view source, const url::Url* base, DataImages data_images) {
    const bool is_data = source.size() > 11 && same_letters(source.substr(0, 11), "data:image/");
    if (is_data) return data_images == DataImages::keep ? std::string(source) : std::string{};
    return source.empty() ? std::string{} : absolute_url(source, base);
}

}  // namespace

std::vector<Image> find_images(const html::Tree& tree, const url::Url* base, DataImages data_images) {
    std::vector<Image> images;
    std::unordered_set<std::string> known;
    // AMP pages write <amp-img>, with the attributes of <img>.
    const auto amp_img = tree.find_tag("amp-img");
    for (html::NodeId id = 0; id < tree.size() && images.size() < max_images; ++id) {
        if (!tree.is(id, html::Tag::img) && !(amp_img && tree.is(id, *amp_img))) continue;
        std::string url = image_url(image_source(tree, id), base, data_images);
        if (url.empty() || !known.insert(url).second) continue;
        images.push_back({.url = std::move(url),
                          .alt = one_line(tree.attribute_or_empty(id, html::Attr::alt), max_alt_bytes)});
    }
    return images;
}

}  // namespace quarry::extract
