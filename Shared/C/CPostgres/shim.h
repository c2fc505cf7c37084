#pragma once

// libpq, the C client of PostgreSQL. Its headers lie apart, so the manifest finds them by pkg-config.
#include <libpq-fe.h>
