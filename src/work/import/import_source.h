// Where documents to import come from: one after the other, each as it is asked for.
#pragma once

#include <optional>

#include "base/result.h"
#include "work/import/import_document.h"

namespace quarry::work {

class ImportSource {
public:
    virtual ~ImportSource() = default;

    // Nothing at the end. An error is about one document, named in it; the others follow.
    virtual std::optional<Result<ImportDocument>> next() = 0;
};

}  // namespace quarry::work
