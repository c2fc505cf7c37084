#pragma once

// GNU libmicrohttpd, and what of it Swift cannot call: variadic functions.
#include <microhttpd.h>
