// `quarry embed-daemon`: the daemon under the name that users of embedding queues look for. It embeds, and
// does everything else a worker does.

#include "cli/commands.h"
#include "cli/commands/daemon_control.h"
#include "cli/data_access.h"

namespace quarry::cli {
namespace {

int run_embed_daemon(const Session& session, const Parser& parser) {
    const auto place = place_of(session);
    if (!place) return give_up(session, place.error());
    if (parser.chose("start")) return start_daemon(session, *place);
    if (parser.chose("stop")) return stop_daemon(session, *place);
    return show_daemon(session, *place);
}

}  // namespace

Command add_embed_daemon(CommandBuilder& builder) {
    Parser& parser = builder.add("embed-daemon", "The daemon, which also works on the embedding queue",
                                 "quarry embed-daemon start\n"
                                 "quarry embed-daemon status\n"
                                 "quarry embed-daemon stop\n"
                                 "quarry embed-queue list             # what it has to do");
    for (const auto& [name, help] : {std::pair{"start", "Start it, or have the one that runs stay"},
                                     std::pair{"stop", "Finish what is under way and leave"},
                                     std::pair{"status", "Is it running, and what does it do?"}})
        parser.add_command(name, help);
    parser.require_command();
    return {&parser, [&parser](const Session& session) { return run_embed_daemon(session, parser); }};
}

}  // namespace quarry::cli
