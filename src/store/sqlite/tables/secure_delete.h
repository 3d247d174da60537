// Overwrites what is removed while this lives: what was promised not to be kept must not be left in free
// pages.
#pragma once

#include <cstdint>
#include <utility>

#include "base/result.h"
#include "db/sqlite.h"

namespace quarry::store {

class SecureDelete {
public:
    static Result<SecureDelete> begin(db::Connection& connection, bool wanted) {
        if (!wanted || TRY(connection.integer("PRAGMA secure_delete")) == on) return SecureDelete(nullptr);
        TRY(connection.execute("PRAGMA secure_delete = ON"));
        return SecureDelete(&connection);
    }
    SecureDelete(SecureDelete&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
    ~SecureDelete() {
        if (connection_) (void)connection_->execute("PRAGMA secure_delete = FAST");
    }

private:
    static constexpr std::int64_t on = 1;

    explicit SecureDelete(db::Connection* connection) : connection_(connection) {}
    db::Connection* connection_;
};

}  // namespace quarry::store
