// How Asio is compiled; included before any of its headers. ThreadSanitizer does not understand the fences
// that Asio puts around handlers, and what passes between threads here passes through a mutex.
#pragma once

#ifdef __SANITIZE_THREAD__
#define BOOST_ASIO_DISABLE_FENCED_BLOCK
#endif
