#include "app/settings/credentials_file.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <sys/stat.h>

#include "model/collection.h"
#include "net/http_message.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace quarry::app {
namespace {

std::unexpected<Error> wrong_credentials(std::string words) {
    return fail(ErrorCode::invalid_argument, std::move(words));
}

Result<std::string> origin_named(std::string_view name) {
    const auto url = url::Url::parse(name);
    if (!url || !url->is_http())
        return wrong_credentials(
            "is no origin, such as \"https://wiki.example\" or \"http://10.0.0.7:8080\"");
    if (url->href() != url->origin() + "/")
        return wrong_credentials(fmt::format("is more than an origin: write \"{}\"", url->origin()));
    return url->origin();
}

Result<std::string> first_line(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    if (!in || !std::getline(in, line))
        return wrong_credentials(fmt::format("cannot read a secret from \"{}\"", path));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    return line;
}

Result<std::string> word_of(const toml::node& node, std::string_view key) {
    const auto* text = node.as_string();
    if (!text || text->get().empty()) return wrong_credentials(fmt::format("{} has to be a text", key));
    return text->get();
}

Result<std::vector<std::string>> owners_of(const toml::node& node) {
    std::vector<std::string> owners;
    const auto* list = node.as_array();
    if (!list || list->empty()) return wrong_credentials("owners has to be a list of names, or [\"*\"]");
    for (const toml::node& entry : *list) {
        std::string name = TRY(word_of(entry, "each of owners"));
        if (name != "*" && !is_owner_name(name))
            return wrong_credentials(fmt::format("\"{}\" is not the name of an owner", name));
        owners.push_back(std::move(name));
    }
    return owners;
}

Result<fetch::Credential> credential_of(std::string_view origin, const toml::node& node) {
    const auto* table = node.as_table();
    fetch::Credential credential{.origin = TRY(origin_named(origin))};
    if (!table) return wrong_credentials("needs bearer_token or basic_auth");
    for (const auto& [name, value] : *table) {
        const std::string_view key = name.str();
        if (key == "owners") {
            credential.owners = TRY(owners_of(value));
            continue;
        }
        const bool is_bearer = key == "bearer_token" || key == "bearer_token_file";
        if (!is_bearer && key != "basic_auth" && key != "basic_auth_file")
            return wrong_credentials(fmt::format(
                "has no \"{}\": there are bearer_token, basic_auth, either with _file, and owners", key));
        if (!credential.authorization.empty())
            return wrong_credentials("has more than one of bearer_token and basic_auth");
        std::string secret = TRY(word_of(value, key));
        if (key.ends_with("_file")) secret = TRY(first_line(secret));
        credential.authorization =
            is_bearer ? net::bearer_authorization(secret) : TRY(basic_authorization_of(secret));
        TRY(net::check_request_headers({{"Authorization", credential.authorization}}));
    }
    if (credential.authorization.empty()) return wrong_credentials("needs bearer_token or basic_auth");
    return credential;
}

Result<std::string> read_private_file(const std::string& path) {
    struct stat about{};
    std::ifstream in(path, std::ios::binary);
    if (!in || stat(path.c_str(), &about) != 0) return wrong_credentials("cannot be read");
    if ((about.st_mode & 07) != 0)
        return wrong_credentials(
            fmt::format("can be read or written by everybody on this machine: chmod 600 {}", path));
    return std::string{std::istreambuf_iterator<char>(in), {}};
}

Result<fetch::Credentials> parse_credentials(const std::string& text) {
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed)
        return wrong_credentials(
            fmt::format("line {}: {}", parsed.error().source().begin.line, parsed.error().description()));
    std::vector<fetch::Credential> all;
    for (const auto& [origin, node] : parsed.table()) {
        auto credential = credential_of(origin.str(), node);
        if (!credential)
            return wrong_credentials(fmt::format("[\"{}\"] {}", origin.str(), credential.error().message));
        all.push_back(*std::move(credential));
    }
    return fetch::Credentials(std::move(all));
}

}  // namespace

Result<std::string> basic_authorization_of(const std::string& user_and_password) {
    const auto colon = user_and_password.find(':');
    if (colon == std::string::npos) return wrong_credentials("basic_auth has to be USER:PASSWORD");
    return net::basic_authorization(user_and_password.substr(0, colon), user_and_password.substr(colon + 1));
}

Result<fetch::Credentials> read_credentials(const std::string& path) {
    const auto text = read_private_file(path);
    auto credentials = text ? parse_credentials(*text) : std::unexpected(text.error());
    if (!credentials)
        return wrong_credentials(fmt::format("fetch.credentials: {}: {}", path, credentials.error().message));
    return credentials;
}

}  // namespace quarry::app
