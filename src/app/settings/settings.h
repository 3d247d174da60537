// Every setting of quarry: one table, four sources. A flag beats the environment, which beats quarry.toml,
// which beats the built-in default; each value remembers which of them it came from.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace quarry::app {

enum class SettingKind : std::uint8_t { text, yes_no, duration, bytes, number, list };
enum class Secrecy : std::uint8_t {
    open,
    secret,  // masked whenever it is shown; may also be given as KEY_file, the path of a file that holds it
    in_userinfo,  // a URL: only its password is masked, before the host or among its parameters
};

struct SettingDefinition {
    std::string_view key;  // "fetch.timeout"; the environment's name is QUARRY_FETCH_TIMEOUT
    SettingKind kind;
    std::string_view standard;  // the built-in default
    std::string_view help;
    Secrecy secrecy = Secrecy::open;
    std::int64_t low = 0, high = 1'000'000;  // for numbers
    std::string_view also{};                 // another name of its environment variable
};

// All settings, in the order in which `config show` prints them.
std::span<const SettingDefinition> setting_table();

// "fetch.max_body" -> "QUARRY_FETCH_MAX_BODY"
std::string environment_name(std::string_view key);

enum class SettingSource : std::uint8_t { standard, file, environment, flag };

struct SettingValue {
    std::string text{};
    SettingSource source = SettingSource::standard;
    std::string origin{};  // "default", the file's path, the variable's name, "flag"
};

struct SettingsRequest {
    std::optional<std::string> config_file{};                       // must exist when given
    std::map<std::string, std::string, std::less<>> environment{};  // names to values
    std::vector<std::pair<std::string, std::string>> flags{};       // keys to values
};

class Settings {
public:
    // Reads and checks all sources. Fails with `invalid_argument`, naming the source and the key, on an
    // unknown key (with a suggestion), a value of the wrong shape, or a file that cannot be read.
    static Result<Settings> load(const SettingsRequest& request);

    const SettingValue& value(std::string_view key) const;
    // As it may be shown to anybody.
    std::string masked(std::string_view key) const;

    std::string text(std::string_view key) const { return value(key).text; }
    bool yes(std::string_view key) const;
    std::chrono::milliseconds duration(std::string_view key) const;
    std::uint64_t bytes(std::string_view key) const;
    std::int64_t number(std::string_view key) const;
    std::vector<std::string> list(std::string_view key) const;  // comma-separated

private:
    Result<void> set(std::string_view key, SettingValue value);
    Result<void> read_file(const std::string& path);
    Result<void> read_environment(const SettingsRequest& request);

    std::map<std::string, SettingValue, std::less<>> values_;
};

// The environment of this process, for SettingsRequest.
std::map<std::string, std::string, std::less<>> process_environment();

// $XDG_CONFIG_HOME/quarry/quarry.toml, or ~/.config/quarry/quarry.toml; nothing if neither variable is set.
std::optional<std::string> default_config_file(const SettingsRequest& request);

}  // namespace quarry::app
