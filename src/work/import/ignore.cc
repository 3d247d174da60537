#include "work/import/ignore.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace quarry::work {
namespace {

constexpr std::size_t longest_pattern = 1024, most_patterns = 10'000;

// Of a set such as "[a-z]": where it ends, and whether the character is in it.
struct SetMatch {
    std::size_t end = 0;  // 0: it is not closed, and stands for itself
    bool contains = false;
};

SetMatch match_set(std::string_view pattern, std::size_t at, char c) {
    std::size_t i = at + 1;
    const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
    if (negated) ++i;
    bool contains = false;
    for (const std::size_t first = i; i < pattern.size(); ++i) {
        if (pattern[i] == ']' && i > first) return {.end = i + 1, .contains = contains != negated};
        if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
        const bool is_range = i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']';
        const char last = is_range ? pattern[i + 2] : pattern[i];
        contains |= pattern[i] <= c && c <= last;
        if (is_range) i += 2;
    }
    return {};
}

// How many bytes of the pattern match this one character; 0 if they do not.
std::size_t match_one(std::string_view pattern, std::size_t at, char c) {
    if (at == pattern.size()) return 0;
    if (pattern[at] == '?') return c == '/' ? 0 : 1;
    if (pattern[at] == '[') {
        const SetMatch set = match_set(pattern, at, c);
        if (set.end > 0) return set.contains && c != '/' ? set.end - at : 0;
    }
    const bool escaped = pattern[at] == '\\' && at + 1 < pattern.size();
    return pattern[at + (escaped ? 1 : 0)] == c ? (escaped ? 2 : 1) : 0;
}

// A star that can take one more character. Of each kind only the last one met has to be tried again: what an
// earlier one could take, a later one can as well.
struct Star {
    std::size_t pattern = std::string_view::npos;  // after the star
    std::size_t path = 0;                          // what follows the star begins here

    bool is_set() const { return pattern != std::string_view::npos; }
};

std::string_view without_line_end(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    // Blanks at the end do not count, unless the last is escaped.
    while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
    return line;
}

// What nobody wrote to be found: programs put these down and take them away again.
bool is_left_behind(std::string_view name, bool is_folder) {
    if (name.starts_with('.')) return true;
    if (is_folder) return name == "node_modules" || name == "__pycache__";
    constexpr std::array<std::string_view, 6> endings = {"~", ".swp", ".swx", ".tmp", ".part", ".crdownload"};
    if (std::ranges::any_of(endings, [&](auto ending) { return name.ends_with(ending); })) return true;
    const bool is_autosave = name.size() > 2 && name.starts_with('#') && name.ends_with('#');
    return is_autosave || name == "4913" || name.starts_with("___jb_");
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view path) {
    Star name_star, path_star;
    std::size_t p = 0, at = 0;
    while (true) {
        if (pattern.substr(p).starts_with("**")) {
            p += 2;
            // "**/x" also matches "x": the slash belongs to the stars.
            if (p < pattern.size() && pattern[p] == '/') ++p;
            path_star = {p, at};
            name_star = {};
            continue;
        }
        if (p < pattern.size() && pattern[p] == '*') {
            name_star = {++p, at};
            continue;
        }
        if (p == pattern.size() && at == path.size()) return true;
        const std::size_t matched = at < path.size() ? match_one(pattern, p, path[at]) : 0;
        if (matched > 0) {
            p += matched;
            ++at;
            continue;
        }
        if (name_star.is_set() && name_star.path < path.size() && path[name_star.path] != '/') {
            p = name_star.pattern;
            at = ++name_star.path;
            continue;
        }
        if (!path_star.is_set() || path_star.path >= path.size()) return false;
        // After "**/" a name begins; after a bare "**" anything.
        const bool names_only = path_star.pattern > 0 && pattern[path_star.pattern - 1] == '/';
        const std::size_t next = names_only ? path.find('/', path_star.path) : path_star.path;
        if (next == std::string_view::npos) return false;
        path_star.path = next + 1;
        p = path_star.pattern;
        at = path_star.path;
        name_star = {};
    }
}

IgnorePatterns IgnorePatterns::parse(std::string_view text) {
    IgnorePatterns parsed;
    while (!text.empty() && parsed.patterns_.size() < most_patterns) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = without_line_end(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.starts_with('#') || line.size() > longest_pattern) continue;
        Pattern pattern;
        pattern.wanted = line.starts_with('!');
        if (pattern.wanted) line.remove_prefix(1);
        pattern.folders_only = line.ends_with('/');
        if (pattern.folders_only) line.remove_suffix(1);
        pattern.anywhere = line.find('/') == std::string_view::npos;
        if (line.starts_with('/')) line.remove_prefix(1);
        if (line.empty()) continue;
        pattern.glob = line;
        parsed.patterns_.push_back(std::move(pattern));
    }
    return parsed;
}

IgnorePatterns::Verdict IgnorePatterns::check(std::string_view path, bool is_folder) const {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto matches = [&](const Pattern& pattern) {
        if (pattern.folders_only && !is_folder) return false;
        return matches_glob(pattern.glob, pattern.anywhere ? name : path);
    };
    const auto last = std::find_if(patterns_.rbegin(), patterns_.rend(), matches);
    if (last == patterns_.rend()) return Verdict::none;
    return last->wanted ? Verdict::wanted : Verdict::ignored;
}

IgnoreRules::IgnoreRules(std::string root, const std::vector<std::string>& globs) : root_(std::move(root)) {
    std::string lines;
    for (const std::string& glob : globs) lines += glob + "\n";
    globs_ = IgnorePatterns::parse(lines);
}

bool IgnoreRules::is_ignored(std::string_view path, bool is_folder) {
    std::string_view relative = path.substr(std::min(root_.size(), path.size()));
    while (relative.starts_with('/')) relative.remove_prefix(1);
    for (std::size_t slash = relative.find('/'); slash != std::string_view::npos;
         slash = relative.find('/', slash + 1)) {
        if (is_part_ignored(relative.substr(0, slash), true)) return true;
    }
    return !relative.empty() && is_part_ignored(relative, is_folder);
}

bool IgnoreRules::is_part_ignored(std::string_view relative, bool is_folder) {
    using Verdict = IgnorePatterns::Verdict;
    Verdict verdict = globs_.check(relative, is_folder);
    // From the innermost folder out: the nearest file that says something decides.
    std::size_t slash = relative.rfind('/');
    while (verdict == Verdict::none) {
        const bool is_root = slash == std::string_view::npos;
        const std::string_view folder = is_root ? "" : relative.substr(0, slash);
        verdict = patterns_in(folder).check(is_root ? relative : relative.substr(slash + 1), is_folder);
        if (is_root) break;
        slash = slash == 0 ? std::string_view::npos : relative.rfind('/', slash - 1);
    }
    if (verdict != Verdict::none) return verdict == Verdict::ignored;
    return is_left_behind(relative.substr(relative.rfind('/') + 1), is_folder);
}

const IgnorePatterns& IgnoreRules::patterns_in(std::string_view folder) {
    if (const auto known = files_.find(folder); known != files_.end()) return known->second;
    constexpr std::size_t longest_file = 1 << 20;
    std::string path = root_ + "/";
    if (!folder.empty()) (path += folder) += '/';
    std::string text;
    if (std::ifstream in(path += ignore_file_name, std::ios::binary); in) {
        text.resize(longest_file);
        in.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    }
    return files_.emplace(folder, IgnorePatterns::parse(text)).first->second;
}

}  // namespace quarry::work
