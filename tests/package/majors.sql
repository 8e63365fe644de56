-- What differs in versions of PostgreSQL that `make check` does not run on: scripts/majors.sh
-- runs this after job.sql, as a superuser with ON_ERROR_STOP.
\set QUIET 1
SET client_min_messages = warning;
SELECT current_setting('server_version_num')::int >= 160000 AS creators_are_members,
       current_setting('server_version_num')::int >= 180000 AS is_18 \gset

-- Whoever creates a role is a member of it, by a superuser's grant: it does not make an administrator.
\if :creators_are_members
CREATE ROLE maker LOGIN CREATEROLE;
SET SESSION AUTHORIZATION maker;
CREATE ROLE curators;
GRANT curators TO maker WITH INHERIT TRUE, SET TRUE;
RESET SESSION AUTHORIZATION;
GRANT dpobj_admin TO curators;
SET SESSION AUTHORIZATION maker;
DO $body$
BEGIN
  PERFORM dpobj.set_budget('patient', NULL, 1000, 0);
  ASSERT false, 'the creator of a role administers by it';
EXCEPTION WHEN insufficient_privilege THEN
  ASSERT pg_has_role('dpobj_admin', 'USAGE'), 'he is no member, and nothing was tested';
END
$body$;
RESET SESSION AUTHORIZATION;
GRANT curators TO maker WITH INHERIT TRUE;
SET SESSION AUTHORIZATION maker;
SELECT dpobj.set_budget('patient', NULL, 5, 0.00001) \g /dev/null
RESET SESSION AUTHORIZATION;
\endif

-- A scan would find nulls in a column that is not stored. A join of a table with itself by its key is no join any more.
\if :is_18
CREATE TABLE visit (ill boolean, weight float8, height float8,
                    mass_index float8 GENERATED ALWAYS AS (weight / (height * height)) VIRTUAL);
DO $body$
BEGIN
  PERFORM dpobj.protect('visit', '{"ill": {}, "mass_index": {"center": 25, "scale": 10}}');
  ASSERT false, 'a virtual column is protected';
EXCEPTION WHEN feature_not_supported THEN
  NULL;
END
$body$;
CREATE TABLE keyed AS SELECT row_number() OVER () AS id, * FROM patient;
ALTER TABLE keyed ADD PRIMARY KEY (id);
SELECT dpobj.set_budget('keyed', NULL, 2, 0) \g /dev/null
DO $body$
BEGIN
  ASSERT (SELECT (dp_halfspace(a.features, b.readmitted, 1.0, 0)).epsilon = 1 FROM keyed a JOIN keyed b USING (id)), 'it trains';
  SET LOCAL enable_self_join_elimination = off;
  PERFORM dp_halfspace(a.features, b.readmitted, 1.0, 0) FROM keyed a JOIN keyed b USING (id);
  ASSERT false, 'a join trains';
EXCEPTION WHEN SQLSTATE 'UB003' THEN
  ASSERT (SELECT epsilon_left = 1 FROM dpobj.budgets WHERE relation = 'keyed'::regclass), 'what did not train was charged';
END
$body$;
\endif
SELECT 'and what differs is as it should be' \g (tuples_only format=unaligned)
