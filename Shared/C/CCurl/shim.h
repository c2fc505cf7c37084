#pragma once

// libcurl, and what of it Swift cannot call: its setters and getters are variadic macros.
#include <curl/curl.h>
