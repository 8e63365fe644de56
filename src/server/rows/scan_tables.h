/*
 * scan_tables.h - which relations a scan reads, and where their rows are, by the catalogs.
 *
 * locked: a relation and its descendants, by scan_lock().
 */
#ifndef DPOBJ_SCAN_TABLES_H
#define DPOBJ_SCAN_TABLES_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "utils/relcache.h"

/*
 * Raises UB003, with the rule, unless the relation is a permanent table of a user and, unless
 * ignore_rls, has no row-level security.  is_part: for another server, which knows that it is a
 * shard if it is one.
 */
extern void scan_check_relation(Relation relation, bool ignore_rls, bool is_part);

/* The rule for a part, of which the above would raise the error; NULL if it may be read. */
extern const char *scan_rule(Relation relation, bool ignore_rls);

/*
 * Raises UB003 if rows of the table are on other servers and those of one person, whom the column
 * names, may be in several parts.  The relation and its descendants stay locked.
 */
extern void scan_check_person(Oid relation, const char *person);

/* The same for tables that are locked, with their parts. */
extern void scan_check_person_here(const List *locked, const List *parts, const char *person);

/* The parts of these tables, RemotePart. */
extern List *scan_list_parts(const List *locked);

/* Are rows of the table, or of one of its descendants, on other servers? */
extern bool scan_is_elsewhere(Oid relation);

/* Locks a relation and its descendants: each once in the list, with the number of its parents. */
extern List *scan_lock(Oid relation, List **parents);

/* Gives back these locks. */
extern void scan_unlock(const List *locked, const List *parents);

#endif
