// The keeper as a program of its own, for tests that are not quarry.
#include "browser/supervisor.h"

int main() {
    return quarry::browser::run_keeper();
}
