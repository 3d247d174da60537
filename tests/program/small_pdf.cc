#include "program/small_pdf.h"

#include <vector>

#include <fmt/format.h>

namespace quarry::test {

std::string small_pdf(const std::string& words) {
    const std::string content = "BT /F1 18 Tf 72 700 Td (" + words + ") Tj ET";
    const std::vector<std::string> objects = {
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 "
        "R >> >> >>",
        fmt::format("<< /Length {} >>\nstream\n{}\nendstream", content.size(), content),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"};
    std::string pdf = "%PDF-1.4\n", table;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        table += fmt::format("{:010} 00000 n \n", pdf.size());
        pdf += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
    }
    const std::size_t start = pdf.size();
    return pdf +
           fmt::format(
               "xref\n0 6\n0000000000 65535 f \n{}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n",
               table, start);
}

}  // namespace quarry::test
