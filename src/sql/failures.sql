-- Failures of releases at the analyst's door, and their reset

-- Failures that count against a table, of all roles: those that no administrator has reset since.
CREATE OR REPLACE VIEW dpobj.counted_failures AS
SELECT f.id,
       f.at,
       f.release,
       f.relation_identity,
       f.relation_name,
       f.role_identity,
       f.role_name
  FROM dpobj.ledger_events f
  JOIN dpobj.ledger_events c ON c.id = f.release
 WHERE f.event = 'failed'
   AND f.reason IS NULL
   AND c.door = 'analyst'
   AND NOT EXISTS (SELECT FROM dpobj.ledger_events r
                    WHERE r.event = 'reset_failures' AND r.id > f.id
                      AND (r.relation_identity = f.relation_identity
                           OR (r.relation_identity, f.relation_identity) IN (SELECT l.ancestor, l.descendant FROM dpobj.lineage l))
                      AND (r.payers IS NULL OR f.role_identity = ANY (r.payers)));
COMMENT ON VIEW dpobj.counted_failures IS 'failures that count against a table, of all roles';
COMMENT ON COLUMN dpobj.counted_failures.id IS 'ledger id of the failure';
COMMENT ON COLUMN dpobj.counted_failures.at IS 'when it was written';
COMMENT ON COLUMN dpobj.counted_failures.release IS 'ledger id of the charge';
COMMENT ON COLUMN dpobj.counted_failures.relation_identity IS 'identity of the table';
COMMENT ON COLUMN dpobj.counted_failures.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.counted_failures.role_identity IS 'identity of the session user';
COMMENT ON COLUMN dpobj.counted_failures.role_name IS 'name that the session user had then';

CREATE OR REPLACE VIEW dpobj.failures WITH (security_barrier) AS
SELECT t.relation,
       coalesce(t.relation_name, pg_catalog.max(f.relation_name)) AS relation_name,
       coalesce(r.role_name, r.recorded_name) AS role,
       pg_catalog.count(*) AS failures,
       pg_catalog.max(f.at) AS last,
       pg_catalog.array_agg(f.release ORDER BY f.release) AS releases
  FROM dpobj.counted_failures f
  JOIN dpobj.identity_roles r ON r.id = f.role_identity
  LEFT JOIN dpobj.identity_tables t ON t.id = f.relation_identity
 WHERE r.role_name = session_user OR dpobj_internal.sees_all() OR dpobj_internal.administers()
 GROUP BY f.relation_identity, f.role_identity, t.relation, t.relation_name, r.role_name, r.recorded_name;
COMMENT ON VIEW dpobj.failures IS 'failures that count against dpobj.max_failures: those of the session''s own role; all for superusers, dpobj_auditor and administrators';
COMMENT ON COLUMN dpobj.failures.relation IS 'the table; null when it does not exist any more';
COMMENT ON COLUMN dpobj.failures.relation_name IS 'name of the table';
COMMENT ON COLUMN dpobj.failures.role IS 'name of the role';
COMMENT ON COLUMN dpobj.failures.failures IS 'how many count; those of relatives of the table count too, each in its own line';
COMMENT ON COLUMN dpobj.failures.last IS 'when the last one was written';
COMMENT ON COLUMN dpobj.failures.releases IS 'their charges in dpobj.ledger; the server log has the reasons, as private release N failed';

CREATE OR REPLACE FUNCTION dpobj.reset_failures(relation regclass, role regrole DEFAULT NULL) RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_reset_failures';
COMMENT ON FUNCTION dpobj.reset_failures(regclass, regrole) IS
  'lets the failures of a role, or of all roles with null, on a table and its children count no longer, and says how many did; for administrators';
