// All documents below a folder: which there are, what the store already has of them, and their words.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/work_queue.h"
#include "fetch/pdf/pdf.h"
#include "store/reader.h"
#include "work/import/import_file.h"
#include "work/import/ignore.h"
#include "work/import/import_source.h"

namespace quarry::work {

struct FolderContent {
    std::vector<FileSeen> files{};
    std::vector<std::string> folders{};   // the one asked for, and those below it that are not ignored
    std::int64_t other_files = 0;         // neither ignored nor documents
    std::vector<std::string> problems{};  // sentences about folders that cannot be read
};

// Looks at a folder and all below it. Symbolic links are not followed: what they lead to inside the folder is
// met there anyway. `not_found` if the folder itself is not there. `before_folder` is called with each folder
// before it is looked into.
using BeforeFolder = std::function<void(const std::string& folder)>;
Result<FolderContent> look_into_folder(const std::string& folder, IgnoreRules& rules,
                                       const BeforeFolder& before_folder = {});

// The files below a folder that a collection has pages of: paths, and FileSeen::etag when they were read.
using StoredFiles = std::map<std::string, std::string>;
Result<StoredFiles> stored_files(store::Reader& reader, const std::string& collection,
                                 const std::string& folder);

// True if `path` is the folder or lies in it. Both absolute, without a slash at the end.
bool is_inside(std::string_view path, std::string_view folder);

// The documents of many files, read by several threads ahead of who asks, in any order.
class FilesSource : public ImportSource {
public:
    FilesSource(std::vector<std::string> paths, const fetch::PdfLimits& limits, int threads);
    ~FilesSource() override;

    std::optional<Result<ImportDocument>> next() override;
    // Which of the paths next() was about.
    std::size_t last() const { return last_; }

private:
    struct ReadFile {
        std::size_t path = 0;
        Result<ImportDocument> document;
    };
    void read_files(std::stop_token stop);

    const std::vector<std::string> paths_;
    const fetch::PdfLimits limits_;
    std::atomic<std::size_t> next_path_ = 0;
    std::size_t given_ = 0, last_ = 0;
    // Of documents that are being read, or are read and not yet asked for: it bounds the memory.
    std::counting_semaphore<> room_;
    WorkQueue<ReadFile> documents_;
    std::vector<std::jthread> threads_;
};

}  // namespace quarry::work
