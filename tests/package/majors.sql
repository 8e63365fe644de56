-- What differs in versions of PostgreSQL that `make check` does not run on: scripts/majors.sh
-- runs this after job.sql, as a superuser with ON_ERROR_STOP.
\set QUIET 1
SET client_min_messages = warning;
SELECT current_setting('server_version_num')::int >= 160000 AS creators_are_members,
       current_setting('server_version_num')::int >= 180000 AS columns_are_virtual \gset

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

-- A scan would find nulls in a column that is not stored.
\if :columns_are_virtual
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
\endif
SELECT 'and what differs is as it should be' \g (tuples_only format=unaligned)
