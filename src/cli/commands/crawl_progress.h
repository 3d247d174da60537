// "Embedded 3 chunks for https://a.example/": a line for each page that has come into the index, for who
// asked to see how far it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "model/ids.h"
#include "store/store.h"

namespace quarry::cli {

class EmbeddedLines {
public:
    // What a store or its owner tells of. Any thread.
    void hear(const store::Event& event);

    // Hears a store of this process while the token is kept: of one group, or of all.
    [[nodiscard]] std::shared_ptr<void> listen_to(store::Store& store, std::optional<GroupId> group);

    // Those that are new since they were taken last.
    std::vector<std::string> take();

private:
    Guarded<std::vector<std::string>> lines_;
};

}  // namespace quarry::cli
