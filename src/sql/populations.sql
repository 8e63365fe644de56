-- Populations: one person's rows in several tables, and one budget for them

/*
 * A population is named by a relation of its own, a partitioned table that never has a partition or a
 * row.  So it has a name, an owner and privileges as tables have, each function that takes a table
 * takes it, and its budgets are those of a table: an ancestor, in dpobj.lineage, of the tables that
 * have joined it (docs/proofs/populations.md).  dpobj.population and dpobj.protect write these rows.
 */
CREATE TABLE dpobj.populations
(
    population bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    adjacency text NOT NULL,
    key_relation bigint NOT NULL,
    key_column text NOT NULL,
    CONSTRAINT population_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT population_key UNIQUE (key_relation, key_column)
);
COMMENT ON TABLE dpobj.populations IS 'sets of people, each named by a key; one row per dpobj.population';
COMMENT ON INDEX dpobj.populations_pkey IS 'a relation names one population';
COMMENT ON COLUMN dpobj.populations.population IS 'identity of the relation that names it';
COMMENT ON COLUMN dpobj.populations.at IS 'when it was named';
COMMENT ON COLUMN dpobj.populations.adjacency IS 'which databases are neighbours: one person''s rows in all tables are replaced, or come or go';
COMMENT ON COLUMN dpobj.populations.key_relation IS 'identity of the table whose column is the key';
COMMENT ON COLUMN dpobj.populations.key_column IS 'the key';

CREATE TABLE dpobj.population_tables
(
    relation bigint PRIMARY KEY,
    population bigint NOT NULL,
    person text NOT NULL,
    rows integer,
    since bigint NOT NULL,
    CONSTRAINT population_rows_valid CHECK (rows > 0)
);
CREATE INDEX population_tables_population_idx ON dpobj.population_tables (population);
COMMENT ON TABLE dpobj.population_tables IS 'the tables of populations; what they spend counts for the population for ever';
COMMENT ON INDEX dpobj.population_tables_pkey IS 'a table is in one population';
COMMENT ON INDEX dpobj.population_tables_population_idx IS 'finds the tables of a population';
COMMENT ON COLUMN dpobj.population_tables.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.population_tables.population IS 'identity of the relation that names the population';
COMMENT ON COLUMN dpobj.population_tables.person IS 'column that names the person of a row';
COMMENT ON COLUMN dpobj.population_tables.rows IS 'number of rows of a person that a charge for a single row counts for; null: the table had no such charges';
COMMENT ON COLUMN dpobj.population_tables.since IS 'ledger id of the event by which it has joined';
SELECT pg_catalog.pg_extension_config_dump('dpobj.populations', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.population_tables', '');

CREATE OR REPLACE FUNCTION dpobj.population(name text, relation regclass, "column" text, adjacency text DEFAULT 'replace') RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_population';
COMMENT ON FUNCTION dpobj.population(text, regclass, text, text) IS
  'for the owner of a table of people: names a set of people by its key, for dpobj.protect(..., population => name) of the tables about them, and for the budgets of them all';

CREATE OR REPLACE FUNCTION dpobj_internal.population_of(relation oid) RETURNS oid
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_population_of';
COMMENT ON FUNCTION dpobj_internal.population_of(oid) IS 'internal: the relation that names the population of a table; null: it is in none';

-- Under which neighbours the charges of a table or of a population are added up.
CREATE OR REPLACE VIEW dpobj.units AS
SELECT p.relation, p.adjacency, p.person, p.earlier_rows_per_person AS rows, false AS is_population
  FROM dpobj.protections p
 UNION ALL
SELECT t.relation, o.adjacency, t.person, t.rows, false
  FROM dpobj.population_tables t
  JOIN dpobj.populations o ON o.population = t.population
 WHERE NOT EXISTS (SELECT FROM dpobj.protections p WHERE p.relation = t.relation)
 UNION ALL
SELECT o.population, o.adjacency, o.key_column, NULL, true
  FROM dpobj.populations o;
COMMENT ON VIEW dpobj.units IS 'under which neighbours the charges of a table or of a population are added up';
COMMENT ON COLUMN dpobj.units.relation IS 'identity of the table, or of the relation that names the population';
COMMENT ON COLUMN dpobj.units.adjacency IS 'which tables are neighbours';
COMMENT ON COLUMN dpobj.units.person IS 'column that names persons; null: neighbours differ in a row';
COMMENT ON COLUMN dpobj.units.rows IS 'number of rows of a person that a charge for a single row counts for';
COMMENT ON COLUMN dpobj.units.is_population IS 'whether it is a population: each of its tables has a column of persons and a number of rows of its own';
