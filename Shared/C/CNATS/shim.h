#pragma once

// libnats, the C client of NATS. Packaged by Debian as libnats-dev.
#include <nats/nats.h>
