#include "app/settings/settings.h"

#include <algorithm>
#include <cassert>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/suggest.h"
#include "base/units.h"
#include "url/percent.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

extern char** environ;

namespace quarry::app {
namespace {

constexpr std::string_view file_suffix = "_file";

const SettingDefinition* find_definition(std::string_view key) {
    const auto table = setting_table();
    const auto found = std::ranges::find(table, key, &SettingDefinition::key);
    return found == table.end() ? nullptr : &*found;
}

// "fetch.bearer_token_file" -> the definition of "fetch.bearer_token", if that is a secret.
const SettingDefinition* find_secret_of_file_key(std::string_view key) {
    if (!key.ends_with(file_suffix)) return nullptr;
    const SettingDefinition* definition = find_definition(key.substr(0, key.size() - file_suffix.size()));
    return definition && definition->secrecy == Secrecy::secret ? definition : nullptr;
}

std::string suggestion_for(std::string_view key) {
    std::vector<std::string> keys;
    for (const SettingDefinition& definition : setting_table()) keys.emplace_back(definition.key);
    const std::string nearest = nearest_word(key, keys);
    return nearest.empty() ? "see `quarry config show` for all of them"
                           : fmt::format("did you mean \"{}\"?", nearest);
}

Result<bool> parse_yes_no(std::string_view text) {
    if (text == "true" || text == "1" || text == "yes" || text == "on") return true;
    if (text == "false" || text == "0" || text == "no" || text == "off" || text.empty()) return false;
    return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is neither true nor false", text));
}

Result<void> check_shape(const SettingDefinition& definition, std::string_view text) {
    switch (definition.kind) {
        case SettingKind::yes_no: TRY(parse_yes_no(text)); break;
        case SettingKind::duration: TRY(parse_duration(text)); break;
        case SettingKind::bytes: TRY(parse_bytes(text)); break;
        case SettingKind::number: TRY(parse_number(text, definition.low, definition.high)); break;
        case SettingKind::text:
        case SettingKind::list: break;
    }
    return {};
}

Result<std::string> read_secret(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    if (!in || !std::getline(in, line))
        return fail(ErrorCode::invalid_argument, fmt::format("cannot read a secret from \"{}\"", path));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    return line;
}

Result<std::string> text_of(const toml::node& node) {
    if (const auto* string = node.as_string()) return string->get();
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
    if (const auto* array = node.as_array()) {
        std::string joined;
        for (const toml::node& element : *array)
            joined += (joined.empty() ? "" : ",") + TRY(text_of(element));
        return joined;
    }
    return fail(ErrorCode::invalid_argument,
                "is neither a string, a number, true, false nor a list of these");
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Result<void> flatten(const toml::table& table, const std::string& prefix, Pairs& out) {
    for (const auto& [name, node] : table) {
        const std::string key =
            prefix.empty() ? std::string(name.str()) : fmt::format("{}.{}", prefix, name.str());
        if (const auto* nested = node.as_table()) {
            TRY(flatten(*nested, key, out));
            continue;
        }
        auto text = text_of(node);
        if (!text) return fail(text.error().code, fmt::format("{} {}", key, text.error().message));
        out.emplace_back(key, *std::move(text));
    }
    return {};
}

constexpr std::string_view mask = "********";

// Parameters of addresses that are secrets: libpq's (33.1.2), and what services take keys by.
bool names_secret(std::string_view parameter) {
    const std::string name = lower_case(url::percent_decoded(parameter));
    for (const std::string_view part : {"pass", "pwd", "token", "secret", "key", "auth", "sig"})
        if (name.contains(part)) return true;
    return false;
}

// "http://user:secret@proxy:3128" -> "http://user:********@proxy:3128"
std::string mask_userinfo(const std::string& url) {
    const auto scheme = url.find("://");
    const auto start = scheme == std::string::npos ? 0 : scheme + 3;
    const auto at = url.rfind('@');
    const auto colon = url.find(':', start);
    if (at == std::string::npos || colon == std::string::npos || colon > at) return url;
    return fmt::format("{}{}{}", url.substr(0, colon + 1), mask, url.substr(at));
}

// And "postgres://host/db?password=secret&sslmode=require" ->
// "postgres://host/db?password=********&sslmode=require"
std::string mask_secrets(const std::string& url) {
    const std::size_t question = std::min(url.find('?'), url.size());
    std::string shown = url.substr(0, question);
    std::string_view rest = std::string_view(url).substr(question);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of("&;#", 1), rest.size());
        const std::string_view parameter = rest.substr(0, end);
        const std::size_t equals = parameter.find('=');
        const bool is_secret =
            equals != std::string_view::npos && names_secret(parameter.substr(1, equals - 1));
        shown += parameter.substr(0, is_secret ? equals + 1 : end);
        if (is_secret) shown += mask;
        rest.remove_prefix(end);
    }
    // Last, as a password may have a '?' in it.
    return mask_userinfo(shown);
}

}  // namespace

std::string environment_name(std::string_view key) {
    std::string name = "QUARRY_";
    for (const char c : key)
        name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return name;
}

Result<void> Settings::set(std::string_view key, SettingValue value) {
    const SettingDefinition* definition = find_definition(key);
    if (!definition) {
        definition = find_secret_of_file_key(key);
        if (!definition)
            return fail(ErrorCode::invalid_argument, fmt::format("unknown setting \"{}\" ({}), {}", key,
                                                                 value.origin, suggestion_for(key)));
        value.text = TRY(read_secret(value.text));
    }
    if (const auto checked = check_shape(*definition, value.text); !checked)
        return fail(checked.error().code,
                    fmt::format("{} ({}): {}", definition->key, value.origin, checked.error().message));
    values_[std::string(definition->key)] = std::move(value);
    return {};
}

Result<void> Settings::read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("cannot read the configuration file \"{}\"", path));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed)
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("{}:{}: {}", path, parsed.error().source().begin.line, parsed.error().description()));
    Pairs pairs;
    if (const auto flat = flatten(parsed.table(), "", pairs); !flat)
        return fail(flat.error().code, fmt::format("{}: {}", path, flat.error().message));
    for (auto& [key, value] : pairs) TRY(set(key, {std::move(value), SettingSource::file, path}));
    return {};
}

Result<void> Settings::read_environment(const SettingsRequest& request) {
    // Only names from the table are looked at: other QUARRY_ variables belong to scripts around the program.
    const auto take = [&](const std::string& key, const std::string& name) -> Result<void> {
        const auto found = request.environment.find(name);
        if (found == request.environment.end()) return {};
        return set(key, {found->second, SettingSource::environment, name});
    };
    for (const SettingDefinition& definition : setting_table()) {
        const std::string key(definition.key);
        if (!definition.also.empty()) TRY(take(key, std::string(definition.also)));
        TRY(take(key, environment_name(key)));
        const std::string file_key = key + std::string(file_suffix);
        if (definition.secrecy == Secrecy::secret) TRY(take(file_key, environment_name(file_key)));
    }
    return {};
}

Result<Settings> Settings::load(const SettingsRequest& request) {
    Settings settings;
    for (const SettingDefinition& definition : setting_table())
        settings.values_[std::string(definition.key)] = {std::string(definition.standard),
                                                         SettingSource::standard, "default"};
    std::optional<std::string> file = request.config_file;
    if (!file) {
        file = default_config_file(request);
        if (file && !std::ifstream(*file)) file.reset();  // Only a file that was asked for must exist.
    }
    if (file) TRY(settings.read_file(*file));
    TRY(settings.read_environment(request));
    for (const auto& [key, value] : request.flags)
        TRY(settings.set(key, {value, SettingSource::flag, "flag"}));
    return settings;
}

const SettingValue& Settings::value(std::string_view key) const {
    const auto found = values_.find(key);
    assert(found !=
           values_.end());  // A key that is not in the table is a typing error in the program itself.
    return found->second;
}

std::string Settings::masked(std::string_view key) const {
    const std::string& text = value(key).text;
    switch (find_definition(key)->secrecy) {
        case Secrecy::secret: return text.empty() ? "" : "********";
        case Secrecy::in_userinfo: return mask_secrets(text);
        case Secrecy::open: break;
    }
    return text;
}

// The getters below cannot fail: `set` has checked every value's shape.

bool Settings::yes(std::string_view key) const {
    return parse_yes_no(value(key).text).value_or(false);
}

std::chrono::milliseconds Settings::duration(std::string_view key) const {
    return parse_duration(value(key).text).value();
}

std::uint64_t Settings::bytes(std::string_view key) const {
    return parse_bytes(value(key).text).value();
}

std::int64_t Settings::number(std::string_view key) const {
    return parse_number(value(key).text, INT64_MIN, INT64_MAX).value();
}

std::vector<std::string> Settings::list(std::string_view key) const {
    std::vector<std::string> items;
    std::string_view rest = value(key).text;
    while (!rest.empty()) {
        const auto comma = rest.find(',');
        const std::string_view item = trimmed(rest.substr(0, comma));
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
        if (!item.empty()) items.emplace_back(item);
    }
    return items;
}

std::map<std::string, std::string, std::less<>> process_environment() {
    std::map<std::string, std::string, std::less<>> variables;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view pair(*entry);
        const auto equals = pair.find('=');
        if (equals != std::string_view::npos)
            variables.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    }
    return variables;
}

std::optional<std::string> default_config_file(const SettingsRequest& request) {
    const auto variable = [&](std::string_view name) -> std::string {
        const auto found = request.environment.find(name);
        return found == request.environment.end() ? "" : found->second;
    };
    if (const std::string home = variable("XDG_CONFIG_HOME"); !home.empty())
        return home + "/quarry/quarry.toml";
    if (const std::string home = variable("HOME"); !home.empty()) return home + "/.config/quarry/quarry.toml";
    return std::nullopt;
}

}  // namespace quarry::app
