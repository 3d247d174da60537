// QUARRY_FOR_EACH_PROCESSOR before a function: it is compiled once for each generation of x86 processors, its
// loops vectorised, and the right one is picked at load time. Loops over floats and bytes run four to eight
// times faster so than with the baseline's registers.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
// Not under sanitizers: the choice is made before they are ready. O3, because at O2 this compiler vectorises
// no loop whose length it does not know.
#define QUARRY_FOR_EACH_PROCESSOR \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define QUARRY_FOR_EACH_PROCESSOR
#endif
