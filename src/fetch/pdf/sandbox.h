// What the reader of a PDF gives up before it looks at the first byte of one. Poppler is a large parser of a
// hostile format. An attacker who takes over the reader should find nothing to steal and no way to send it
// anywhere.
#pragma once

#include <cstdint>

namespace quarry::fetch {

struct PdfShare {
    std::uint64_t cpu_seconds = 0;
    std::uint64_t memory_bytes = 0;
};

// Confines this process for good. If it was root, it becomes the user nobody. It has no capabilities, and can
// open no socket, write or change no file, start no process and signal no other. It reads Poppler's tables
// and the system's fonts, or no file at all where the kernel has no Landlock (5.13). It uses no more than its
// share, leaves no core, and dies with its parent. Returns false if the kernel does not let it be confined:
// then it must not read a hostile file.
bool confine_pdf_reader(const PdfShare& share);

}  // namespace quarry::fetch
