#ifndef FURROW_CZEROMQ_SHIM_H
#define FURROW_CZEROMQ_SHIM_H

#include <zmq.h>

#endif
