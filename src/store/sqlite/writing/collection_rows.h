// The table collection: whose vectors each collection has.
#pragma once

#include <string>

#include "store/sqlite/ledger.h"

namespace quarry::store {

Answer<void> set_collection(Ledger& ledger, const Collection& collection);
// Its pages are gone already. False if nothing was known of it.
Answer<bool> remove_collection(Ledger& ledger, const std::string& name);

}  // namespace quarry::store
