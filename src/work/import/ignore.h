// Which files of a folder are none of ours: hidden ones, what editors leave behind, what the user's
// .quarryignore and --ignore name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::work {

inline constexpr std::string_view ignore_file_name = ".quarryignore";

// Whether a path matches a pattern as in .gitignore: `*` and `?` match within a name, `**/` across folders,
// `[a-z]` and `[!a-z]` one character, `\` takes the next one as it is.
bool matches_glob(std::string_view pattern, std::string_view path);

// The lines of one .quarryignore. A pattern with a slash before its end holds from the file's folder down,
// one without for names at any depth; one that ends with a slash for folders only; `!` takes back what an
// earlier line ignored.
class IgnorePatterns {
public:
    enum class Verdict { none, ignored, wanted };

    // Lines beyond 10,000, or longer than 1 KB, are left out: nobody means them.
    static IgnorePatterns parse(std::string_view text);

    // Of the last line that matches. `path` is relative to the folder of the file, without a slash at either
    // end.
    Verdict check(std::string_view path, bool is_folder) const;

private:
    struct Pattern {
        std::string glob{};
        bool wanted = false, folders_only = false, anywhere = false;
    };
    std::vector<Pattern> patterns_;
};

// The rules of a folder and all below it. .quarryignore files are read when they are first needed.
class IgnoreRules {
public:
    // `globs` are those of --ignore; they win over every file.
    IgnoreRules(std::string root, const std::vector<std::string>& globs);

    // `path` is absolute and inside the root. What lies in an ignored folder is ignored.
    bool is_ignored(std::string_view path, bool is_folder);

    // For when a .quarryignore has changed.
    void forget_files() { files_.clear(); }

private:
    bool is_part_ignored(std::string_view relative, bool is_folder);
    const IgnorePatterns& patterns_in(std::string_view folder);

    std::string root_;
    IgnorePatterns globs_;
    std::map<std::string, IgnorePatterns, std::less<>> files_;  // by folder, relative to the root
};

}  // namespace quarry::work
