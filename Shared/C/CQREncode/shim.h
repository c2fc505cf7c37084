#ifndef FURROW_QRENCODE_SHIM_H
#define FURROW_QRENCODE_SHIM_H

#include <qrencode.h>

#endif
