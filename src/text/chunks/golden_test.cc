// A whole page of documentation, and the chunks it should become: what the rules of chunk_markdown_test.cc
// come to for a reader. If a change of rules changes this, read the new chunks before taking them.
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "text/chunks/chunk_markdown.h"

using namespace quarry;
using namespace quarry::text;

namespace {

constexpr std::string_view page = R"markdown(# Configuring the lantern daemon

The daemon reads one file at start, `lantern.toml`, and never writes to it. A value that is missing has a default; a value that is wrong stops the daemon with a message that names the line.

Values are looked up in this order: command line, environment, file, default. To see which one won, run `lantern config --origin`.

## Quick start

Create the file, start the daemon, ask it how it is:

```sh
lantern config --example > lantern.toml
lantern start
lantern status
```

## Settings

### `listen`

The address to listen on. A port of 0 picks a free one.

### `workers`

How many requests are handled at once. More than the machine has cores rarely helps.

### `storage`

Where data is kept:

- `memory`: nothing survives a restart. For tests.
- `file:PATH`: one file, written with a journal.

  The file grows by 16 MB at a time, so that an idle daemon does not fragment the disk.
- `remote:URL`: another daemon. Both must have the same major version, e.g. 3.x. See Dr. Hale's notes on replication for what happens when they do not.

### All settings

| name | type | default | since |
|---|---|---|---|
| `listen` | address | `127.0.0.1:7070` | 1.0 |
| `workers` | integer | number of cores | 1.0 |
| `storage` | text | `file:lantern.db` | 2.0 |
| `log.level` | `error`, `warn`, `info` | `info` | 2.1 |
| `log.format` | `text`, `json` | `text` | 2.3 |
| `limits.body` | bytes | 8 MB | 2.3 |
| `limits.rate` | per second | no limit | 3.0 |

---

## Reloading

The daemon rereads its file when it receives `SIGHUP`. Settings that cannot change while it runs are reported and keep their old value. These are `listen`, `workers` and `storage`. Everything else takes effect with the next request, and a request under way is finished with the settings it began with. A file with an error changes nothing at all: the daemon logs the error and goes on as before. Whoever sent the signal learns nothing from that, so look at the log, or ask for `lantern status`, which shows when the file was last read and whether it was taken. To check a file without touching the daemon, run `lantern config --check`. It exits with 1 if the file would be refused.

> A reload is not a restart. Connections stay open, and clients notice nothing.

## An example in C

```c
#include <lantern.h>
#include <stdio.h>

static int on_change(const char *name, const char *value, void *context) {
    int *changes = context;
    printf("%s is now %s\n", name, value);
    *changes += 1;
    return 0;
}

int main(void) {
    int changes = 0;
    lantern_client *client = lantern_connect("127.0.0.1:7070");
    if (client == NULL) {
        fprintf(stderr, "cannot connect: %s\n", lantern_error());
        return 1;
    }
    lantern_watch(client, "log.*", on_change, &changes);

    while (changes < 3) {
        if (lantern_poll(client, 1000) < 0) {
            fprintf(stderr, "lost the daemon: %s\n", lantern_error());
            break;
        }
    }
    lantern_close(client);
    return 0;
}
```

## See also
)markdown";

// Each chunk below a line with its headings.
constexpr std::string_view expected = R"markdown(== > Lantern manual > Configuring the lantern daemon
# Configuring the lantern daemon

The daemon reads one file at start, `lantern.toml`, and never writes to it. A value that is missing has a default; a value that is wrong stops the daemon with a message that names the line.

Values are looked up in this order: command line, environment, file, default. To see which one won, run `lantern config --origin`.
== > Lantern manual > Configuring the lantern daemon > Quick start
## Quick start

Create the file, start the daemon, ask it how it is:

```sh
lantern config --example > lantern.toml
lantern start
lantern status
```
== > Lantern manual > Configuring the lantern daemon > Settings
## Settings

### `listen`

The address to listen on. A port of 0 picks a free one.

### `workers`

How many requests are handled at once. More than the machine has cores rarely helps.
== > Lantern manual > Configuring the lantern daemon > Settings > storage
### `storage`

Where data is kept:

- `memory`: nothing survives a restart. For tests.
- `file:PATH`: one file, written with a journal.

  The file grows by 16 MB at a time, so that an idle daemon does not fragment the disk.
- `remote:URL`: another daemon. Both must have the same major version, e.g. 3.x. See Dr. Hale's notes on replication for what happens when they do not.
== > Lantern manual > Configuring the lantern daemon > Settings > All settings
### All settings

| name | type | default | since |
|---|---|---|---|
| `listen` | address | `127.0.0.1:7070` | 1.0 |
| `workers` | integer | number of cores | 1.0 |
| `storage` | text | `file:lantern.db` | 2.0 |
== > Lantern manual > Configuring the lantern daemon > Settings > All settings
| name | type | default | since |
|---|---|---|---|
| `log.level` | `error`, `warn`, `info` | `info` | 2.1 |
| `log.format` | `text`, `json` | `text` | 2.3 |
| `limits.body` | bytes | 8 MB | 2.3 |
| `limits.rate` | per second | no limit | 3.0 |
== > Lantern manual > Configuring the lantern daemon > Reloading
## Reloading

The daemon rereads its file when it receives `SIGHUP`. Settings that cannot change while it runs are reported and keep their old value. These are `listen`, `workers` and `storage`. Everything else takes effect with the next request, and a request under way is finished with the settings it began with. A file with an error changes nothing at all: the daemon logs the error and goes on as before.
== > Lantern manual > Configuring the lantern daemon > Reloading
A file with an error changes nothing at all: the daemon logs the error and goes on as before. Whoever sent the signal learns nothing from that, so look at the log, or ask for `lantern status`, which shows when the file was last read and whether it was taken. To check a file without touching the daemon, run `lantern config --check`. It exits with 1 if the file would be refused.

> A reload is not a restart. Connections stay open, and clients notice nothing.
== > Lantern manual > Configuring the lantern daemon > An example in C
## An example in C

```c
#include <lantern.h>
#include <stdio.h>

static int on_change(const char *name, const char *value, void *context) {
    int *changes = context;
    printf("%s is now %s\n", name, value);
    *changes += 1;
    return 0;
}
```
== > Lantern manual > Configuring the lantern daemon > An example in C
```c
int main(void) {
    int changes = 0;
    lantern_client *client = lantern_connect("127.0.0.1:7070");
    if (client == NULL) {
        fprintf(stderr, "cannot connect: %s\n", lantern_error());
        return 1;
    }
```
== > Lantern manual > Configuring the lantern daemon > An example in C
```c
    lantern_watch(client, "log.*", on_change, &changes);

    while (changes < 3) {
        if (lantern_poll(client, 1000) < 0) {
            fprintf(stderr, "lost the daemon: %s\n", lantern_error());
            break;
        }
    }
    lantern_close(client);
    return 0;
}
```

## See also
)markdown";

}  // namespace

TEST_CASE("a page of documentation becomes chunks that can be read by themselves") {
    std::string chunks;
    for (const Chunk& chunk :
         chunk_markdown(page, "Lantern manual", {.target = 120, .maximum = 160, .overlap = 30})) {
        chunks += "==";
        for (const std::string& heading : chunk.headings) chunks += " > " + heading;
        chunks += '\n' + chunk.text + '\n';
    }

    CHECK(chunks == expected);
}
