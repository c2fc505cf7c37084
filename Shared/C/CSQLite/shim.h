#ifndef FURROW_CSQLITE_SHIM_H
#define FURROW_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Variadic in C, so Swift cannot call it; returns what SQLite says, and what is set now in *now. */
static inline int furrow_sqlite_configure(sqlite3 *database, int option, int value, int *now) {
    return sqlite3_db_config(database, option, value, now);
}

/* SQLITE_TRANSIENT is a cast that Swift does not import: SQLite copies the bytes before these return. */
static inline int furrow_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* A null pointer would bind NULL, so an empty blob is bound as a blob of no bytes. */
static inline int furrow_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/* The caller keeps the bytes as they are until the statement is reset; nothing is copied. */
static inline int furrow_sqlite_lend_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_STATIC);
}

#endif
