// The child of read_pdf alone, for its tests: the real program answers to the same command.
#include "fetch/pdf/pdf.h"

int main() {
    return quarry::fetch::run_pdf_child();
}
