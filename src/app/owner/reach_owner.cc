#include "app/owner/reach_owner.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "app/remote/store.h"
#include "app/data_source.h"

namespace quarry::app {

using namespace std::chrono_literals;

namespace {

std::string holder_of(const DataFolder& folder) {
    const auto holder = lock_holder(folder);
    return holder ? fmt::format("process {}", holder->process) : "another process";
}

// Nothing if both can work together; else what to do about it.
Result<void> agree(OwnerClient& client, const DataFolder& folder, const std::string& version) {
    const Greeting& owner = client.owner();
    const int age = compare_versions(owner.version, version);
    if (age >= 0 && owner.protocol == protocol_version) return {};
    if (age >= 0)
        return fail(
            ErrorCode::conflict,
            fmt::format("the data folder {} is in use by a newer quarry ({}, process {}). Use that one, "
                        "or another folder with --data",
                        folder.path, owner.version, owner.process));
    if (owner.role == OwnerRole::background) return fail(ErrorCode::not_found, "it is older");
    if (owner.protocol == protocol_version) return {};
    return fail(
        ErrorCode::conflict,
        fmt::format("the data folder {} is in use by an older quarry ({}, process {}), which runs in the "
                    "foreground. Stop it first, or use another folder with --data",
                    folder.path, owner.version, owner.process));
}

}  // namespace

Result<OwnerOrLock> reach_owner(const DataFolder& folder, const std::string& version, std::stop_token stop) {
    constexpr auto patience = 15s;
    auto deadline = std::chrono::steady_clock::now() + patience;
    while (!stop.stop_requested()) {
        auto client = OwnerClient::connect(folder, version);
        if (client) {
            const auto agreed = agree(*client, folder, version);
            if (agreed) return OwnerOrLock(*std::move(client));
            if (agreed.error().code != ErrorCode::not_found) return std::unexpected(agreed.error());
            // It finishes what is under way, which takes as long as the slowest page.
            if (client->call("handover")) client->wait_until_left();
            deadline = std::chrono::steady_clock::now() + patience;
        } else if (client.error().code != ErrorCode::not_found) {
            break;
        }
        auto lock = FolderLock::take(folder, version);
        if (lock) return OwnerOrLock(*std::move(lock));
        if (lock.error().code != ErrorCode::conflict) return std::unexpected(lock.error());
        if (std::chrono::steady_clock::now() > deadline) break;
        // Its owner is beginning, leaving, or a short command without a socket: milliseconds in each case.
        std::this_thread::sleep_for(2ms);
    }
    if (stop.stop_requested()) return fail(ErrorCode::interrupted, "interrupted");
    return fail(ErrorCode::conflict,
                fmt::format("{} uses the data folder {} and does not answer. Stop it, or use "
                            "another folder with --data",
                            holder_of(folder), folder.path));
}

Result<LinkOrLock> reach_owner(const Workplace& place, std::stop_token stop) {
    if (place.remote) return LinkOrLock(std::make_unique<RemoteOwner>(place.remote));
    auto reached = TRY(reach_owner(place.folder, place.version, std::move(stop)));
    if (auto* owner = std::get_if<OwnerClient>(&reached))
        return LinkOrLock(std::make_unique<OwnerClient>(std::move(*owner)));
    return LinkOrLock(std::get<FolderLock>(std::move(reached)));
}

Result<std::unique_ptr<OwnerLink>> connect_to_owner(const Workplace& place) {
    if (place.remote) return std::make_unique<RemoteOwner>(place.remote);
    return std::make_unique<OwnerClient>(TRY(OwnerClient::connect(place.folder, place.version)));
}

}  // namespace quarry::app
