#ifndef FURROW_CAIRO_SHIM_H
#define FURROW_CAIRO_SHIM_H

#include <cairo.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>

#endif
