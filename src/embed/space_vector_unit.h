// Compiles a function once for each generation of x86 processors and picks at load time. A loop over floats
// runs four to eight times faster with wide registers than with the baseline's.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
// Not under sanitizers: the choice is made before they are ready.
#define QUARRY_FOR_EACH_PROCESSOR \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define QUARRY_FOR_EACH_PROCESSOR
#endif
