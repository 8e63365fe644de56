/*
 * shape_bytes.h - what a scan reads of a row (ScanShape), as bytes for another server.
 *
 * The shape is that of a table whose rows are on several servers; the reader fits it to the columns
 * of its own part, found by name.  Numbers are in network order and floats are sent bit for bit, so
 * both servers compute the same features.  Constants of enums are sent as labels, because the
 * values of an enum differ from server to server.
 *
 * The reader takes the bytes for hostile: whatever they are, it raises an error or returns a shape
 * that a scan can use.
 */
#ifndef DPOBJ_SHAPE_BYTES_H
#define DPOBJ_SHAPE_BYTES_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "lib/stringinfo.h"

#include "server/rows/scan_shape.h"

/* The name that a column has on the other server. */
typedef const char *(*ShapeColumnName)(const char *name, void *context);

extern void shape_write(StringInfo bytes, const ScanShape *shape, ShapeColumnName name_of,
						void *context);

/*
 * The shape for the columns of a table; all of it is allocated in the current context.  Returns the
 * name of a column that the table does not have with this type, and NULL if it has all.
 */
extern const char *shape_read(StringInfo bytes, TupleDesc descriptor, ScanShape *shape);

#endif
