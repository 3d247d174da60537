#include "url/canonical.h"

#include <algorithm>

#include "url/percent.h"

namespace quarry::url {

namespace {

// A name is here only if the service that adds it to links documents it, and if it is unlikely to mean
// anything else. Dropping a parameter that a server needs loses pages; keeping a useless one only costs a
// fetch. That is why `ref`, `source`, `campaign` and `spm` are not here.
constexpr std::string_view tracking_names[] = {
    // Google: Ads, Analytics' cross-domain linker, Merchant Center
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "gad_source",
    "gad_campaignid",
    "_ga",
    "_gl",
    "srsltid",
    // Meta, Microsoft, X, TikTok, LinkedIn, Pinterest, Snapchat, Reddit
    "fbclid",
    "igshid",
    "igsh",
    "msclkid",
    "twclid",
    "ttclid",
    "li_fat_id",
    "epik",
    "sccid",
    "rdt_cid",
    // Yandex, Openstat
    "yclid",
    "ysclid",
    "ymclid",
    "_openstat",
    // Mailchimp, HubSpot, Marketo, Klaviyo, Vero, Omeda, MailerLite, Drip
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "__hssc",
    "__hstc",
    "__hsfp",
    "hsctatracking",
    "mkt_tok",
    "_kx",
    "vero_id",
    "vero_conv",
    "oly_enc_id",
    "oly_anon_id",
    "ml_subscriber",
    "ml_subscriber_hash",
    "__s",
    // Piwik (Matomo's older names), Adobe Analytics
    "pk_campaign",
    "pk_kwd",
    "pk_keyword",
    "pk_source",
    "pk_medium",
    "pk_content",
    "pk_cid",
    "s_cid",
    "ef_id",
    "s_kwcid",
    // Branch, Impact, Outbrain, Wicked Reports, Awin
    "_branch_match_id",
    "_branch_referrer",
    "irclickid",
    "obclickid",
    "outbrainclickid",
    "wickedid",
    "zanpid",
};

// Urchin and Google Analytics, Matomo, HubSpot ads.
constexpr std::string_view tracking_prefixes[] = {"utm_", "mtm_", "hsa_"};

constexpr std::size_t longest_tracking_name = 32;

// The text after the '#' if it names a page that a script shows, without the directive that browsers hide
// from scripts.
std::string_view route_of(const Url& url) {
    const std::string_view fragment = url.fragment().value_or("");
    const std::string_view route = fragment.substr(0, fragment.find(":~:"));
    if (route.starts_with("!/")) return route.size() > 2 ? route : "";
    const bool is_route = route.starts_with('/') || route.starts_with('!');
    return is_route && route.size() > 1 ? route : "";
}

// The query without tracking parameters; "" if nothing is left.
std::string kept_query(std::string_view query) {
    std::string kept;
    bool first = true;
    while (true) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view parameter = query.substr(0, end);
        if (!is_tracking_parameter(parameter.substr(0, parameter.find('=')))) {
            if (!first) kept += '&';
            kept += parameter;
            first = false;
        }
        if (end == query.size()) return kept;
        query.remove_prefix(end + 1);
    }
}

}  // namespace

std::string canonical(const Url& url) {
    if (!url.is_http()) return url.without_fragment();
    std::string form = url.origin();
    append_normalised(url.path(), form);
    if (const auto query = url.query()) {
        std::string normalised;
        append_normalised(*query, normalised);
        const std::string kept = kept_query(normalised);
        if (!kept.empty()) (form += '?') += kept;
    }
    if (const std::string_view route = route_of(url); !route.empty()) {
        form += '#';
        append_normalised(route, form);
    }
    return form;
}

bool is_tracking_parameter(std::string_view name) {
    if (name.size() > longest_tracking_name) return false;
    std::string lower(name);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c |= 0x20;
    }
    const auto begins = [&](std::string_view prefix) { return lower.starts_with(prefix); };
    return std::ranges::any_of(tracking_prefixes, begins) ||
           std::ranges::find(tracking_names, lower) != std::end(tracking_names);
}

}  // namespace quarry::url
