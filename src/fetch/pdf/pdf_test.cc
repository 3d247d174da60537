#include "fetch/pdf/pdf.h"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fetch/pdf/sandbox.h"

using namespace quarry;
using namespace quarry::fetch;
using namespace std::chrono_literals;

namespace {

// A PDF with the objects given, numbered from 1, and a table of where they are.
std::string pdf_of(const std::vector<std::string>& objects, std::string_view trailer) {
    std::string file = "%PDF-1.4\n";
    std::vector<std::size_t> places;
    for (const std::string& object : objects) {
        places.push_back(file.size());
        file += fmt::format("{} 0 obj\n{}\nendobj\n", places.size(), object);
    }
    const std::size_t table = file.size();
    file += fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
    for (const std::size_t place : places) file += fmt::format("{:010} 00000 n \n", place);
    return file + fmt::format("trailer\n<< /Size {} /Root 1 0 R {} >>\nstartxref\n{}\n%%EOF\n",
                              objects.size() + 1, trailer, table);
}

std::string stream_of(std::string_view content, std::string_view dictionary = "") {
    return fmt::format("<< /Length {} {} >>\nstream\n{}\nendstream", content.size(), dictionary, content);
}

constexpr std::string_view fonts =
    "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> "
    "/F2 << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >> >>";

// One page for each content.
std::string pdf_with_pages(const std::vector<std::string>& contents, std::string_view trailer = "") {
    std::vector<std::string> objects = {"<< /Type /Catalog /Pages 2 0 R >>", ""};
    std::string kids;
    for (const std::string& content : contents) {
        objects.push_back(fmt::format(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources {} >>",
            objects.size() + 2, fonts));
        kids += fmt::format("{} 0 R ", objects.size());
        objects.push_back(stream_of(content));
    }
    objects[1] = fmt::format("<< /Type /Pages /Count {} /Kids [{}] >>", contents.size(), kids);
    return pdf_of(objects, trailer);
}

const std::string article =
    "BT /F1 24 Tf 72 700 Td (A Modest Title) Tj ET\n"
    "BT /F1 10 Tf 72 660 Td (The first paragraph of the article is extraor-) Tj 0 -12 Td (dinarily short, "
    "and ends here.) Tj ET\n"
    "BT /F1 10 Tf 72 610 Td (A caf\\351 opens the second one.) Tj ET\n";

// A form that draws another ten times, ten levels deep: ten thousand million words in two kilobytes.
std::string pdf_bomb() {
    std::vector<std::string> objects = {
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
                    "/Resources << /XObject << /X 5 0 R >> >> >>"),
        stream_of("/X Do")};
    std::string ten;
    for (int i = 0; i < 10; ++i) ten += "/X Do ";
    for (int level = 0; level < 10; ++level) {
        objects.push_back(stream_of(ten, fmt::format("/Type /XObject /Subtype /Form /BBox [0 0 612 792] "
                                                     "/Resources << /XObject << /X {} 0 R >> >>",
                                                     objects.size() + 2)));
    }
    objects.push_back(
        stream_of("BT /F1 10 Tf 72 700 Td (word) Tj ET",
                  fmt::format("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources {}", fonts)));
    return pdf_of(objects, "");
}

PdfLimits limits() {
    return {.program = QUARRY_PDF_CHILD};
}

Error error_of(std::string_view bytes, const PdfLimits& given = limits()) {
    const auto result = read_pdf(bytes, given);
    REQUIRE_FALSE(result);
    return result.error();
}

bool has_no_children() {
    return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

std::ptrdiff_t open_files() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
}

}  // namespace

TEST_CASE("a PDF becomes markdown with its properties") {
    const std::string pdf = pdf_with_pages(
        {article}, "/Info << /Title (Given title) /Author (Jane Doe) /CreationDate (D:20240102030405Z) >>");

    const auto text = read_pdf(pdf, limits());

    REQUIRE_MESSAGE(text, text.error().message);
    CHECK(text->title == "Given title");
    CHECK(text->author == "Jane Doe");
    CHECK(text->created == "2024-01-02T03:04:05Z");
    CHECK(text->page_count == 1);
    CHECK(
        text->markdown ==
        "# A Modest Title\n\nThe first paragraph of the article is extraordinarily short, and ends here.\n\n"
        "A café opens the second one.\n");
}

TEST_CASE("a PDF without properties is named after its heading") {
    const auto text = read_pdf(pdf_with_pages({article}), limits());

    REQUIRE(text);
    CHECK(text->title == "A Modest Title");
    CHECK(text->author == "");
    CHECK(text->created == "");
}

TEST_CASE("pages beyond the limit are left out, and counted") {
    PdfLimits few = limits();
    few.pages = 2;

    const auto text = read_pdf(pdf_with_pages({article, article, article}), few);

    REQUIRE(text);
    CHECK(text->page_count == 3);
    CHECK(text->pages_read == 2);
}

TEST_CASE("a PDF whose end is missing is read as far as it goes") {
    const std::string pdf = pdf_with_pages({article});

    const auto text = read_pdf(pdf.substr(0, pdf.find("startxref")), limits());

    REQUIRE(text);
    CHECK(text->markdown.contains("A Modest Title"));
}

TEST_CASE("what cannot be read is named for what it is") {
    const std::string no_key =
        "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 "
        "/O <0000000000000000000000000000000000000000000000000000000000000000> "
        "/U <0000000000000000000000000000000000000000000000000000000000000000> >> /ID [<00> <00>]";
    const struct {
        std::string bytes;
        ErrorCode code;
        std::string_view message;
    } cases[] = {
        {"", ErrorCode::corrupt, "is damaged"},
        {"not a PDF at all", ErrorCode::corrupt, "is damaged"},
        {"%PDF-1.7\n1 0 obj << >> endobj", ErrorCode::corrupt, "is damaged"},
        {pdf_with_pages({article}, no_key), ErrorCode::unsupported, "is encrypted"},
        {pdf_with_pages({"0 0 100 100 re f"}), ErrorCode::unsupported, "has no text (a scan?)"},
    };
    for (const auto& [bytes, code, message] : cases) {
        CAPTURE(message);
        const Error error = error_of(bytes);
        CHECK(error.code == code);
        CHECK(error.message == message);
    }
}

TEST_CASE("page trees that lie do not hold anyone up") {
    const std::string page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>";
    const std::string catalog = "<< /Type /Catalog /Pages 2 0 R >>";

    CHECK_FALSE(read_pdf(pdf_of({catalog, "<< /Type /Pages /Count 2000000000 /Kids [3 0 R] >>", page}, ""),
                         limits()));
    CHECK_FALSE(
        read_pdf(pdf_of({catalog, "<< /Type /Pages /Count 5 /Kids [2 0 R 2 0 R] >>", page}, ""), limits()));
    CHECK(has_no_children());
}

TEST_CASE("a PDF that takes too much processor time is given up") {
    PdfLimits short_time = limits();
    short_time.cpu_time = 1s;
    short_time.memory_bytes = std::uint64_t{64} << 30;

    const Error error = error_of(pdf_bomb(), short_time);

    CHECK(error.code == ErrorCode::timeout);
    CHECK(error.message == "took longer than 1 s to read");
    CHECK(has_no_children());
}

TEST_CASE("a PDF that takes too long is given up, however little it works") {
    PdfLimits short_time = limits();
    short_time.wall_time = 1s;
    short_time.memory_bytes = std::uint64_t{64} << 30;

    const Error error = error_of(pdf_bomb(), short_time);

    CHECK(error.code == ErrorCode::timeout);
    CHECK(has_no_children());
}

TEST_CASE("a PDF that takes too much memory is given up") {
    PdfLimits little_memory = limits();
    little_memory.memory_bytes = std::uint64_t{150} << 20;
    little_memory.cpu_time = 5s;

    const Error error = error_of(pdf_bomb(), little_memory);

#ifdef QUARRY_SANITIZED
    CHECK(error.code == ErrorCode::timeout);  // sanitizers leave no limit on memory but time
#else
    CHECK(error.code == ErrorCode::too_large);
    CHECK(error.message == "needs more than 150 MB to read");
#endif
    CHECK(has_no_children());
}

TEST_CASE("a child that talks without end is cut off") {
    PdfLimits talker{.output_bytes = 1 << 20, .program = "/usr/bin/yes"};

    CHECK(error_of("", talker).message == "has more than 1 MB of text");
    CHECK(has_no_children());
}

TEST_CASE("a program that is not there is reported") {
    const Error error = error_of("", {.program = "/no/such/program"});

    CHECK(error.code == ErrorCode::unavailable);
    CHECK(error.message == "cannot be read: posix_spawn /no/such/program: No such file or directory");
}

TEST_CASE("text in a script whose tables Poppler reads from files is read") {
    if (!std::filesystem::exists("/usr/share/poppler/cMap/Adobe-Japan1/EUC-H")) {
        MESSAGE("SKIPPED: poppler-data is not installed");
        return;
    }
    const std::string content = "BT /F1 18 Tf 72 600 Td <c6fccbdcb8eca4cecab8bdf1> Tj ET";  // in EUC-JP
    const std::string pdf =
        pdf_of({"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << "
                "/F1 5 0 R >> "
                ">> >>",
                stream_of(content),
                "<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /EUC-H /DescendantFonts [6 "
                "0 R] >>",
                "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry "
                "(Adobe) /Ordering "
                "(Japan1) /Supplement 2 >> /DW 1000 /FontDescriptor 7 0 R >>",
                "<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 6 /FontBBox [0 -200 1000 800] "
                "/ItalicAngle 0 "
                "/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"},
               "");

    const auto text = read_pdf(pdf, limits());

    REQUIRE_MESSAGE(text, text.error().message);
    CHECK(text->markdown.contains("日本語の文書"));
}

TEST_CASE("a reader that was taken over has no files, no sockets, no processes and nobody to signal") {
    int said[2];
    REQUIRE(pipe(said) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const bool is_confined =
            confine_pdf_reader({.cpu_seconds = 10, .memory_bytes = std::uint64_t{64} << 30});
        std::string able;
        const auto can = [&](const char* what, long result) {
            if (result >= 0) able += std::string(what) + " ";
        };
        can("open /etc/passwd", open("/etc/passwd", O_RDONLY));
        can("open itself", open("/proc/self/exe", O_RDONLY));
        can("open memory", open("/proc/self/mem", O_RDWR));
        can("list /", open("/", O_RDONLY | O_DIRECTORY));
        can("write", open("/tmp/quarry-pdf-test", O_WRONLY | O_CREAT, 0600));
        can("tcp", socket(AF_INET, SOCK_STREAM, 0));
        can("tcp6", socket(AF_INET6, SOCK_STREAM, 0));
        can("udp", socket(AF_INET, SOCK_DGRAM, 0));
        can("unix", socket(AF_UNIX, SOCK_STREAM, 0));
        can("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
        can("fork", syscall(SYS_fork));
        can("exec", execl("/bin/true", "true", nullptr));
        can("signal", kill(getppid(), 0));
        can("trace", ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr));
        can("be root", setuid(0));
        can("unshare", unshare(CLONE_NEWUSER));
        can("make code",
            mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1
                                                                                                         : 0);
        if (geteuid() == 0) able += "root ";
        if (!is_confined) able = "not confined";
        if (able.empty()) able = "nothing";
        (void)!write(said[1], able.data(), able.size());
        _exit(0);
    }
    close(said[1]);
    char words[1024];
    const ssize_t got = read(said[0], words, sizeof words);
    close(said[0]);
    waitpid(child, nullptr, 0);

    REQUIRE(got > 0);
    CHECK(std::string(words, static_cast<std::size_t>(got)) == "nothing");
}

TEST_CASE("many threads read at once, and leave nothing behind") {
    const std::string pdf = pdf_with_pages({article});
    const auto files_before = open_files();
    std::vector<int> read_well(4);
    {
        std::vector<std::jthread> threads;
        for (int& done : read_well) {
            threads.emplace_back([&] {
                for (int i = 0; i < 3; ++i) done += read_pdf(pdf, limits()).has_value();
            });
        }
    }

    CHECK(read_well == std::vector{3, 3, 3, 3});
    CHECK(has_no_children());
    CHECK(open_files() == files_before);
}
