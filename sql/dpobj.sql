-- dpobj: the full script of version 0.1.0
\echo Use "CREATE EXTENSION dpobj" to load this file. \quit

CREATE SCHEMA dpobj;
COMMENT ON SCHEMA dpobj IS 'ledger, administration and the analyst''s door of dpobj';
GRANT USAGE ON SCHEMA dpobj TO PUBLIC;

-- ---------------------------------------------------------------------------
-- Roles
-- ---------------------------------------------------------------------------

/*
 * Roles belong to the whole cluster: they may be there from another database or
 * from a restore, and somebody may have made them before us.  A role that bears
 * our comment and whose members are all a superuser's choice is ours; any other
 * one that has members is refused.
 */
DO $body$
DECLARE
  purpose constant text := 'dpobj: members administer privacy budgets, if a superuser granted the membership';
  existing oid := (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = 'dpobj_admin');
BEGIN
  IF existing IS NULL THEN
    CREATE ROLE dpobj_admin NOLOGIN;
  ELSIF EXISTS (
    SELECT FROM pg_catalog.pg_auth_members m
    WHERE m.roleid = existing
      AND (pg_catalog.shobj_description(existing, 'pg_authid') IS DISTINCT FROM purpose
           OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles g WHERE g.oid = m.grantor AND g.rolsuper))
  ) THEN
    RAISE EXCEPTION 'role "dpobj_admin" exists already and has members'
      USING ERRCODE = 'duplicate_object',
            DETAIL = 'Its members would administer privacy budgets.',
            HINT = 'Revoke the memberships, or drop the role.';
  END IF;
  EXECUTE pg_catalog.format('COMMENT ON ROLE dpobj_admin IS %L', purpose);
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'dpobj_auditor') THEN
    CREATE ROLE dpobj_auditor NOLOGIN;
  END IF;
  COMMENT ON ROLE dpobj_auditor IS 'dpobj: members see all budgets and the whole ledger';
END
$body$;

CREATE FUNCTION dpobj.sees_all() RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = current_user AND r.rolsuper)
        OR EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'dpobj_auditor'
                   AND pg_has_role(current_user, r.oid, 'USAGE'))
  $$;
COMMENT ON FUNCTION dpobj.sees_all() IS
  'does the current role see every budget and the whole ledger? superusers and dpobj_auditor';

-- ---------------------------------------------------------------------------
-- Epoch and identities
-- ---------------------------------------------------------------------------

CREATE FUNCTION dpobj.origin() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_origin';
COMMENT ON FUNCTION dpobj.origin() IS
  'where OIDs hold: system identifier and OID of the database';

CREATE FUNCTION dpobj.epoch() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_epoch';
COMMENT ON FUNCTION dpobj.epoch() IS
  'system identifier, OID of the database and timeline: differs after a restore and a promotion';

/*
 * What an OID or a name alone cannot be: the same table or role for ever.  An
 * identity is found by its OID, so that a rename does not lose its spending, and
 * by its name when that OID is gone or comes from another server, so that neither
 * a restore nor DROP and CREATE do.  Written by the charge worker only.
 */
CREATE TABLE dpobj.identities
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    origin text NOT NULL,
    object oid NOT NULL,
    name text NOT NULL,
    CONSTRAINT identity_kind_known CHECK (kind IN ('table', 'role')),
    CONSTRAINT identity_key UNIQUE (kind, origin, object)
);
CREATE INDEX identities_name_idx ON dpobj.identities (kind, name);
COMMENT ON TABLE dpobj.identities IS 'tables and roles that the ledger knows, through renames and restores';
COMMENT ON SEQUENCE dpobj.identities_id_seq IS 'numbers of identities';
COMMENT ON INDEX dpobj.identities_name_idx IS 'finds an identity by name when its OID holds no more';
COMMENT ON COLUMN dpobj.identities.id IS 'number that budgets and ledger refer to';
COMMENT ON COLUMN dpobj.identities.kind IS 'table or role';
COMMENT ON COLUMN dpobj.identities.origin IS 'server and database in which the OID holds, as dpobj.origin() says it';
COMMENT ON COLUMN dpobj.identities.object IS 'OID of the table or role there';
COMMENT ON COLUMN dpobj.identities.name IS 'name when a charge or a budget last touched it; of a table qualified and quoted';

/*
 * Once a descendant, always a relative: what a partition has spent counts for the
 * table that it was attached to, and the other way round, also after DETACH.
 */
CREATE TABLE dpobj.lineage
(
    ancestor bigint NOT NULL,
    descendant bigint NOT NULL,
    PRIMARY KEY (ancestor, descendant)
);
CREATE INDEX lineage_descendant_idx ON dpobj.lineage (descendant);
COMMENT ON TABLE dpobj.lineage IS 'tables that were once charged as parts of another table';
COMMENT ON INDEX dpobj.lineage_descendant_idx IS 'finds the ancestors of a table';
COMMENT ON COLUMN dpobj.lineage.ancestor IS 'identity of the table that was charged';
COMMENT ON COLUMN dpobj.lineage.descendant IS 'identity of a table that was a partition or child of it then';

-- ---------------------------------------------------------------------------
-- Ledger: an append-only table of events, and the view that people read
-- ---------------------------------------------------------------------------

/*
 * One row per event, written by the charge worker and by nothing else.  The cost
 * stands in the 'charged' row alone, so that a sum over the table counts it once;
 * the end of the release is a second row, which names that charge in "release".
 * A charge without an end may have been released: the server may have stopped in
 * between.  No reg* types: a dump is restored where other OIDs hold.
 */
CREATE TABLE dpobj.ledger_events
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    event text NOT NULL,
    release bigint,
    relation oid,
    relation_name text,
    role oid NOT NULL,
    role_name text NOT NULL,
    mechanism text,
    mechanism_version text,
    adjacency text,
    epsilon_nano bigint,
    delta_units bigint,
    guarantee text,
    pair text,
    parameters jsonb,
    snapshot text,
    output_hash bytea,
    epoch text NOT NULL DEFAULT dpobj.epoch(),
    relation_identity bigint,
    role_identity bigint,
    payers bigint[],
    CONSTRAINT ledger_event_known CHECK (event IN
        ('charged', 'released', 'failed', 'protect', 'set_budget', 'drop_budget', 'confirm_epoch')),
    CONSTRAINT ledger_charge_complete CHECK (event <> 'charged' OR
        (release IS NULL AND relation IS NOT NULL AND relation_name IS NOT NULL
         AND mechanism IS NOT NULL AND mechanism_version IS NOT NULL AND adjacency IS NOT NULL
         AND epsilon_nano IS NOT NULL AND delta_units IS NOT NULL AND guarantee IS NOT NULL
         AND pair IS NOT NULL AND parameters IS NOT NULL AND snapshot IS NOT NULL
         AND relation_identity IS NOT NULL AND role_identity IS NOT NULL AND payers IS NOT NULL
         AND role_identity = ANY (payers))),
    CONSTRAINT ledger_cost_charged_once CHECK (event = 'charged' OR
        (epsilon_nano IS NULL AND delta_units IS NULL)),
    CONSTRAINT ledger_end_of_a_charge CHECK ((event IN ('released', 'failed')) = (release IS NOT NULL)),
    CONSTRAINT ledger_hash_of_a_release CHECK ((event = 'released') = (output_hash IS NOT NULL)),
    CONSTRAINT ledger_hash_is_sha256 CHECK (pg_catalog.octet_length(output_hash) = 32),
    CONSTRAINT ledger_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT ledger_guarantee_known CHECK (guarantee IN ('exact', 'float', 'conditional', 'unproven')),
    CONSTRAINT ledger_epsilon_valid CHECK (epsilon_nano >= 0),
    CONSTRAINT ledger_delta_valid CHECK (delta_units BETWEEN 0 AND 1152921504606846976)
);
CREATE UNIQUE INDEX ledger_events_release_key ON dpobj.ledger_events (release)
    WHERE release IS NOT NULL;
CREATE INDEX ledger_events_spending_idx ON dpobj.ledger_events (relation_identity)
    WHERE event = 'charged';
REVOKE ALL ON TABLE dpobj.ledger_events FROM PUBLIC;
REVOKE ALL ON SEQUENCE dpobj.ledger_events_id_seq FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.ledger_events', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.ledger_events_id_seq', '');

CREATE FUNCTION dpobj.ledger_refuse_change() RETURNS trigger
    AS 'MODULE_PATHNAME', 'dpobj_ledger_refuse_change' LANGUAGE C;
REVOKE ALL ON FUNCTION dpobj.ledger_refuse_change() FROM PUBLIC;
-- The statement is refused even when it meets no row; the rows, even when a
-- statement on an inheritance parent reaches them.
CREATE TRIGGER ledger_append_only BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.ledger_events
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.ledger_refuse_change();
CREATE TRIGGER ledger_append_only_row BEFORE UPDATE OR DELETE ON dpobj.ledger_events
    FOR EACH ROW EXECUTE FUNCTION dpobj.ledger_refuse_change();
ALTER TABLE dpobj.ledger_events
    ENABLE ALWAYS TRIGGER ledger_append_only,
    ENABLE ALWAYS TRIGGER ledger_append_only_row;

COMMENT ON TABLE dpobj.ledger_events IS 'privacy ledger: append-only, one row per event, written by the charge worker only';
COMMENT ON SEQUENCE dpobj.ledger_events_id_seq IS 'ledger ids; gaps are normal: a refused event or a crash of the server leaves one';
COMMENT ON INDEX dpobj.ledger_events_pkey IS 'ledger id';
COMMENT ON INDEX dpobj.ledger_events_release_key IS 'a charge ends at most once';
COMMENT ON INDEX dpobj.ledger_events_spending_idx IS 'what a table has spent';
COMMENT ON FUNCTION dpobj.ledger_refuse_change() IS 'trigger: refuses changes of the ledger';
COMMENT ON TRIGGER ledger_append_only ON dpobj.ledger_events IS 'refuses UPDATE, DELETE and TRUNCATE for every role, and INSERT but for the charge worker and superusers';
COMMENT ON TRIGGER ledger_append_only_row ON dpobj.ledger_events IS 'refuses UPDATE and DELETE that come through an inheritance parent';
COMMENT ON COLUMN dpobj.ledger_events.id IS 'ledger id; the id of a charged event is the id of its release';
COMMENT ON COLUMN dpobj.ledger_events.at IS 'when the event was written';
COMMENT ON COLUMN dpobj.ledger_events.event IS 'charged: before any noise is drawn; released: before the answer is sent; failed: nothing was released, the charge stays; protect, set_budget, drop_budget, confirm_epoch: administration';
COMMENT ON COLUMN dpobj.ledger_events.release IS 'released and failed: id of the charged event they end; else null';
COMMENT ON COLUMN dpobj.ledger_events.relation IS 'OID of the table, of the topmost ancestor for a partition; meaningless after a restore';
COMMENT ON COLUMN dpobj.ledger_events.relation_name IS 'schema-qualified, quoted name that the table had then';
COMMENT ON COLUMN dpobj.ledger_events.role IS 'OID of the session user; meaningless after a restore';
COMMENT ON COLUMN dpobj.ledger_events.role_name IS 'name that the session user had then';
COMMENT ON COLUMN dpobj.ledger_events.mechanism IS 'mechanism, as in the option of that name';
COMMENT ON COLUMN dpobj.ledger_events.mechanism_version IS 'version of dpobj whose mechanism it was';
COMMENT ON COLUMN dpobj.ledger_events.adjacency IS 'which tables are neighbours: replace (one row changes) or add_remove (one row comes or goes)';
COMMENT ON COLUMN dpobj.ledger_events.epsilon_nano IS 'charged epsilon in units of 1e-9, rounded up';
COMMENT ON COLUMN dpobj.ledger_events.delta_units IS 'charged delta in units of 2^-60, rounded up';
COMMENT ON COLUMN dpobj.ledger_events.guarantee IS 'exact, float, conditional or unproven';
COMMENT ON COLUMN dpobj.ledger_events.pair IS 'tag of the dominating pair, for tighter composition';
COMMENT ON COLUMN dpobj.ledger_events.parameters IS 'public parameters of the mechanism or of the administration';
COMMENT ON COLUMN dpobj.ledger_events.snapshot IS 'snapshot that the release read, as pg_current_snapshot() writes it';
COMMENT ON COLUMN dpobj.ledger_events.output_hash IS 'released: SHA-256 of the released model';
COMMENT ON COLUMN dpobj.ledger_events.epoch IS 'where and in which life of the server the event was written, as dpobj.epoch() says it';
COMMENT ON COLUMN dpobj.ledger_events.relation_identity IS 'identity of the table';
COMMENT ON COLUMN dpobj.ledger_events.role_identity IS 'identity of the session user';
COMMENT ON COLUMN dpobj.ledger_events.payers IS 'charged: identities of the session user and of the groups that he was a member of then';

-- Which table and which role an identity stands for now, as the charge worker binds them.
CREATE VIEW dpobj.identity_tables AS
SELECT i.id,
       coalesce(k.oid, b.oid) AS relation,
       i.name AS relation_name
  FROM dpobj.identities i
  LEFT JOIN pg_catalog.pg_class k ON k.oid = i.object AND i.origin = dpobj.origin()
  LEFT JOIN (pg_catalog.pg_class b JOIN pg_catalog.pg_namespace n ON n.oid = b.relnamespace)
    ON k.oid IS NULL AND b.relkind IN ('r', 'p')
   AND pg_catalog.parse_ident(i.name) = ARRAY[n.nspname::text, b.relname::text]
   AND NOT EXISTS (SELECT FROM dpobj.identities o WHERE o.kind = 'table'
                   AND o.origin = dpobj.origin() AND o.object = b.oid)
 WHERE i.kind = 'table';
CREATE VIEW dpobj.identity_roles AS
SELECT i.id,
       coalesce(k.oid, b.oid) AS role,
       coalesce(k.rolname, b.rolname) AS role_name,
       i.name AS recorded_name
  FROM dpobj.identities i
  LEFT JOIN pg_catalog.pg_roles k ON k.oid = i.object AND i.origin = dpobj.origin()
  LEFT JOIN pg_catalog.pg_roles b
    ON k.oid IS NULL AND b.rolname = i.name
   AND NOT EXISTS (SELECT FROM dpobj.identities o WHERE o.kind = 'role'
                   AND o.origin = dpobj.origin() AND o.object = b.oid)
 WHERE i.kind = 'role';
REVOKE ALL ON TABLE dpobj.identity_tables, dpobj.identity_roles FROM PUBLIC;
COMMENT ON VIEW dpobj.identity_tables IS 'the table that an identity stands for now';
COMMENT ON COLUMN dpobj.identity_tables.id IS 'identity';
COMMENT ON COLUMN dpobj.identity_tables.relation IS 'OID of the table now; null when there is none';
COMMENT ON COLUMN dpobj.identity_tables.relation_name IS 'name when a charge or a budget last touched it';
COMMENT ON VIEW dpobj.identity_roles IS 'the role that an identity stands for now';
COMMENT ON COLUMN dpobj.identity_roles.id IS 'identity';
COMMENT ON COLUMN dpobj.identity_roles.role IS 'OID of the role now; null when there is none';
COMMENT ON COLUMN dpobj.identity_roles.role_name IS 'name of the role now; null when there is none';
COMMENT ON COLUMN dpobj.identity_roles.recorded_name IS 'name when a charge or a budget last touched it';

/*
 * Roles see their own events, superusers and auditors all: by OID while that holds,
 * else by name.  A table is shown as regclass only while its OID still has the name
 * it was charged under.  The factors are exactly 1e-9 and
 * 2^-60; products of numerics are exact.
 */
CREATE VIEW dpobj.ledger WITH (security_barrier) AS
SELECT e.id,
       e.at,
       e.event,
       CASE WHEN e.event = 'charged' THEN e.id ELSE e.release END AS release,
       CASE WHEN pg_catalog.parse_ident(e.relation_name) = ARRAY[n.nspname::text, c.relname::text]
            THEN c.oid::regclass END AS relation,
       e.relation_name,
       e.role_name AS role,
       e.mechanism,
       e.mechanism_version,
       e.adjacency,
       pg_catalog.trim_scale(e.epsilon_nano * 0.000000001) AS epsilon,
       pg_catalog.trim_scale(e.delta_units
           * 0.000000000000000000867361737988403547205962240695953369140625) AS delta,
       e.guarantee,
       e.pair,
       e.parameters,
       e.snapshot,
       e.output_hash
  FROM dpobj.ledger_events e
  LEFT JOIN pg_catalog.pg_class c ON c.oid = e.relation
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE e.role_identity IN (SELECT id FROM dpobj.identity_roles WHERE role_name = session_user)
    OR dpobj.sees_all();
REVOKE ALL ON TABLE dpobj.ledger FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.ledger TO PUBLIC;

COMMENT ON VIEW dpobj.ledger IS 'privacy ledger: the events of the session''s own role; all events for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.ledger.id IS 'ledger id';
COMMENT ON COLUMN dpobj.ledger.at IS 'when the event was written';
COMMENT ON COLUMN dpobj.ledger.event IS 'charged, released, failed, protect, set_budget, drop_budget or confirm_epoch; charged alone means: may have been released';
COMMENT ON COLUMN dpobj.ledger.release IS 'id of the charged event that this event belongs to; its own id for a charged event';
COMMENT ON COLUMN dpobj.ledger.relation IS 'the table; null when no table has the recorded OID and name any more';
COMMENT ON COLUMN dpobj.ledger.relation_name IS 'schema-qualified, quoted name that the table had then';
COMMENT ON COLUMN dpobj.ledger.role IS 'name that the session user had then';
COMMENT ON COLUMN dpobj.ledger.mechanism IS 'mechanism, as in the option of that name';
COMMENT ON COLUMN dpobj.ledger.mechanism_version IS 'version of dpobj whose mechanism it was';
COMMENT ON COLUMN dpobj.ledger.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.ledger.epsilon IS 'charged epsilon, exact; null except for charged events';
COMMENT ON COLUMN dpobj.ledger.delta IS 'charged delta, exact; null except for charged events';
COMMENT ON COLUMN dpobj.ledger.guarantee IS 'exact, float, conditional or unproven';
COMMENT ON COLUMN dpobj.ledger.pair IS 'tag of the dominating pair';
COMMENT ON COLUMN dpobj.ledger.parameters IS 'public parameters';
COMMENT ON COLUMN dpobj.ledger.snapshot IS 'snapshot that the release read';
COMMENT ON COLUMN dpobj.ledger.output_hash IS 'released: SHA-256 of the released model';

-- ---------------------------------------------------------------------------
-- Budgets
-- ---------------------------------------------------------------------------

/*
 * One cap per table and role, or per table over all roles (role null), in the
 * units of the ledger, rounded down.  What was spent is not here: it is summed
 * over the ledger, so that no change of a budget resets it.
 */
CREATE TABLE dpobj.budget_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation bigint NOT NULL,
    role bigint,
    accountant text NOT NULL,
    epsilon_nano bigint NOT NULL,
    delta_units bigint NOT NULL,
    max_releases bigint,
    CONSTRAINT budget_accountant_known CHECK (accountant = 'basic'),
    CONSTRAINT budget_epsilon_valid CHECK (epsilon_nano >= 0),
    CONSTRAINT budget_delta_valid CHECK (delta_units BETWEEN 0 AND 1152921504606846976),
    CONSTRAINT budget_releases_valid CHECK (max_releases >= 0)
);
CREATE UNIQUE INDEX budget_rows_key ON dpobj.budget_rows (relation, (coalesce(role, 0)));
COMMENT ON TABLE dpobj.budget_rows IS 'privacy budgets; written by dpobj.set_budget and dpobj.drop_budget only';
COMMENT ON SEQUENCE dpobj.budget_rows_id_seq IS 'numbers of budgets';
COMMENT ON INDEX dpobj.budget_rows_key IS 'one budget per table and role, one per table over all roles';
COMMENT ON COLUMN dpobj.budget_rows.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_rows.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_rows.role IS 'identity of the role or group; null: all roles together';
COMMENT ON COLUMN dpobj.budget_rows.accountant IS 'how costs add up: basic, their sum';
COMMENT ON COLUMN dpobj.budget_rows.epsilon_nano IS 'cap of epsilon in units of 1e-9, rounded down';
COMMENT ON COLUMN dpobj.budget_rows.delta_units IS 'cap of delta in units of 2^-60, rounded down';
COMMENT ON COLUMN dpobj.budget_rows.max_releases IS 'cap of the number of charges; null: none';

-- A role that may write every table may not write these.
CREATE FUNCTION dpobj.budget_refuse_change() RETURNS trigger
    AS 'MODULE_PATHNAME', 'dpobj_budget_refuse_change' LANGUAGE C;
COMMENT ON FUNCTION dpobj.budget_refuse_change() IS 'trigger: refuses changes of budgets by hand';
CREATE TRIGGER budget_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.budget_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.budget_refuse_change();
CREATE TRIGGER identity_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.identities
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.budget_refuse_change();
CREATE TRIGGER lineage_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.lineage
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.budget_refuse_change();
ALTER TABLE dpobj.budget_rows ENABLE ALWAYS TRIGGER budget_guard;
ALTER TABLE dpobj.identities ENABLE ALWAYS TRIGGER identity_guard;
ALTER TABLE dpobj.lineage ENABLE ALWAYS TRIGGER lineage_guard;
COMMENT ON TRIGGER budget_guard ON dpobj.budget_rows IS 'refuses changes but for dpobj''s own functions and superusers';
COMMENT ON TRIGGER identity_guard ON dpobj.identities IS 'refuses changes but for the charge worker and superusers';
COMMENT ON TRIGGER lineage_guard ON dpobj.lineage IS 'refuses changes but for the charge worker and superusers';

REVOKE ALL ON TABLE dpobj.identities, dpobj.lineage, dpobj.budget_rows FROM PUBLIC;
REVOKE ALL ON SEQUENCE dpobj.identities_id_seq, dpobj.budget_rows_id_seq FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.identities', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.identities_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.lineage', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.budget_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.budget_rows_id_seq', '');

/*
 * What each budget has spent, for the charge worker and the views: the one
 * definition.  A charge counts for a table if it read rows of that table: it was
 * made on the table, on a descendant, or on an ancestor of one of these.
 */
CREATE VIEW dpobj.budget_state AS
SELECT b.id,
       b.relation,
       b.role,
       b.accountant,
       b.epsilon_nano,
       b.delta_units,
       b.max_releases,
       s.epsilon_nano AS epsilon_spent,
       s.delta_units AS delta_spent,
       s.releases
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT coalesce(pg_catalog.sum(e.epsilon_nano), 0) AS epsilon_nano,
               coalesce(pg_catalog.sum(e.delta_units), 0) AS delta_units,
               pg_catalog.count(*) AS releases
          FROM dpobj.ledger_events e
         WHERE e.event = 'charged'
           AND e.relation_identity = ANY (ARRAY(
                 WITH RECURSIVE
                   down(id) AS (SELECT b.relation UNION
                                SELECT l.descendant FROM dpobj.lineage l JOIN down ON l.ancestor = down.id),
                   up(id) AS (SELECT id FROM down UNION
                              SELECT l.ancestor FROM dpobj.lineage l JOIN up ON l.descendant = up.id)
                 SELECT id FROM up))
           AND (b.role IS NULL OR b.role = ANY (e.payers))) s;
REVOKE ALL ON TABLE dpobj.budget_state FROM PUBLIC;
COMMENT ON VIEW dpobj.budget_state IS 'budgets and what the ledger says was spent of them, in units of the ledger';
COMMENT ON COLUMN dpobj.budget_state.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_state.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_state.role IS 'identity of the role or group; null: all roles together';
COMMENT ON COLUMN dpobj.budget_state.accountant IS 'how costs add up';
COMMENT ON COLUMN dpobj.budget_state.epsilon_nano IS 'cap of epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.budget_state.delta_units IS 'cap of delta in units of 2^-60';
COMMENT ON COLUMN dpobj.budget_state.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budget_state.epsilon_spent IS 'charged epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.budget_state.delta_spent IS 'charged delta in units of 2^-60';
COMMENT ON COLUMN dpobj.budget_state.releases IS 'number of charges';

/*
 * Roles see the budgets of their own and of their groups, and on the same tables
 * the cap over all roles; superusers and auditors see all.
 */
CREATE VIEW dpobj.budgets WITH (security_barrier) AS
WITH RECURSIVE
  mine(role) AS (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = session_user
                 UNION
                 SELECT m.roleid FROM pg_catalog.pg_auth_members m JOIN mine ON m.member = mine.role),
  own(id) AS (SELECT i.id FROM dpobj.identity_roles i WHERE i.role IN (SELECT role FROM mine))
SELECT t.relation::regclass AS relation,
       r.role_name AS role,
       b.accountant,
       pg_catalog.trim_scale(b.epsilon_nano * 0.000000001) AS epsilon_limit,
       pg_catalog.trim_scale(b.epsilon_spent * 0.000000001) AS epsilon_spent,
       pg_catalog.trim_scale(greatest(b.epsilon_nano - b.epsilon_spent, 0) * 0.000000001) AS epsilon_left,
       pg_catalog.trim_scale(b.delta_units
           * 0.000000000000000000867361737988403547205962240695953369140625) AS delta_limit,
       pg_catalog.trim_scale(b.delta_spent
           * 0.000000000000000000867361737988403547205962240695953369140625) AS delta_spent,
       pg_catalog.trim_scale(greatest(b.delta_units - b.delta_spent, 0)
           * 0.000000000000000000867361737988403547205962240695953369140625) AS delta_left,
       b.releases,
       b.max_releases,
       t.relation_name,
       CASE WHEN b.role IS NULL THEN NULL ELSE coalesce(r.role_name, r.recorded_name) END AS role_name
  FROM dpobj.budget_state b
  JOIN dpobj.identity_tables t ON t.id = b.relation
  LEFT JOIN dpobj.identity_roles r ON r.id = b.role
 WHERE b.role IN (SELECT id FROM own)
    OR b.role IS NULL
       AND EXISTS (SELECT FROM dpobj.budget_rows o
                   WHERE o.relation = b.relation AND o.role IN (SELECT id FROM own))
    OR dpobj.sees_all();
REVOKE ALL ON TABLE dpobj.budgets FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.budgets TO PUBLIC;
COMMENT ON VIEW dpobj.budgets IS 'privacy budgets: those that cap the session''s role; all for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.budgets.relation IS 'the table; null when there is none by that OID or name any more';
COMMENT ON COLUMN dpobj.budgets.role IS 'role or group; null with a null role_name: all roles together';
COMMENT ON COLUMN dpobj.budgets.accountant IS 'how costs add up: basic, their sum';
COMMENT ON COLUMN dpobj.budgets.epsilon_limit IS 'cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.epsilon_spent IS 'charged epsilon, from the ledger';
COMMENT ON COLUMN dpobj.budgets.epsilon_left IS 'what is left of the cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.delta_limit IS 'cap of delta';
COMMENT ON COLUMN dpobj.budgets.delta_spent IS 'charged delta, from the ledger';
COMMENT ON COLUMN dpobj.budgets.delta_left IS 'what is left of the cap of delta';
COMMENT ON COLUMN dpobj.budgets.releases IS 'number of charges, from the ledger';
COMMENT ON COLUMN dpobj.budgets.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budgets.relation_name IS 'name of the table when a charge or a budget last touched it';
COMMENT ON COLUMN dpobj.budgets.role_name IS 'name of the role, also of one that is gone; null: all roles together';

CREATE FUNCTION dpobj.set_budget(relation regclass, role regrole, epsilon numeric, delta numeric,
    accountant text DEFAULT 'basic', max_releases bigint DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_set_budget';
COMMENT ON FUNCTION dpobj.set_budget(regclass, regrole, numeric, numeric, text, bigint) IS
  'caps what a role, a group or, with a null role, all roles together may spend on a table';

CREATE FUNCTION dpobj.drop_budget(relation regclass, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_drop_budget';
COMMENT ON FUNCTION dpobj.drop_budget(regclass, regrole) IS
  'removes a budget; what was spent stays in the ledger';

CREATE FUNCTION dpobj.confirm_epoch() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_confirm_epoch';
COMMENT ON FUNCTION dpobj.confirm_epoch() IS
  'allows releases again after a restore or a promotion';

CREATE FUNCTION dpobj.remaining(relation regclass, role regrole DEFAULT NULL)
  RETURNS TABLE (epsilon numeric, delta numeric, releases bigint)
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
  #variable_conflict use_column
  DECLARE
    payer constant oid := coalesce(role::oid, (SELECT oid FROM pg_roles WHERE rolname = session_user));
  BEGIN
    IF payer <> (SELECT oid FROM pg_roles WHERE rolname = session_user) AND NOT dpobj.sees_all() THEN
      RAISE EXCEPTION 'permission denied to see the privacy budget of another role'
        USING ERRCODE = 'insufficient_privilege',
              HINT = 'Members of dpobj_auditor see all budgets.';
    END IF;
    RETURN QUERY
      WITH RECURSIVE
        payers(role) AS (SELECT payer UNION
                         SELECT m.roleid FROM pg_auth_members m JOIN payers p ON m.member = p.role),
        tables(relation) AS (SELECT remaining.relation::oid UNION
                             SELECT h.inhparent FROM pg_inherits h JOIN tables t ON h.inhrelid = t.relation)
      SELECT min(b.epsilon_left), min(b.delta_left), min(greatest(b.max_releases - b.releases, 0))
      FROM dpobj.budgets b
      WHERE b.relation::oid IN (SELECT t.relation FROM tables t)
        AND (b.role_name IS NULL
             OR b.role IN (SELECT r.rolname FROM payers p JOIN pg_roles r ON r.oid = p.role))
      HAVING count(*) > 0;
  END
  $$;
COMMENT ON FUNCTION dpobj.remaining(regclass, regrole) IS
  'what the budgets of a role on a table leave, at least of all that apply; no row: no budget applies';

-- ---------------------------------------------------------------------------
-- Models
-- ---------------------------------------------------------------------------

CREATE TYPE dp_model AS (
  kind text,
  mechanism text,
  weights float8[],
  epsilon float8,
  delta float8,
  adjacency text,
  guarantee text,
  release bigint,
  details jsonb
);
COMMENT ON TYPE dp_model IS 'a model released under differential privacy';
COMMENT ON COLUMN dp_model.kind IS 'halfspace: predicts positive if and only if the score is greater than 0';
COMMENT ON COLUMN dp_model.mechanism IS 'the mechanism that chose the weights';
COMMENT ON COLUMN dp_model.weights IS 'one weight for each feature, then the intercept if there is one';
COMMENT ON COLUMN dp_model.epsilon IS 'epsilon charged for this release';
COMMENT ON COLUMN dp_model.delta IS 'delta charged for this release; 0 under pure differential privacy';
COMMENT ON COLUMN dp_model.adjacency IS 'replace or add_remove: which data sets count as neighbours';
COMMENT ON COLUMN dp_model.guarantee IS 'exact, float, conditional (a limit was set) or unproven';
COMMENT ON COLUMN dp_model.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dp_model.details IS 'public parameters: options, grid size, noise, encoding of the features';

CREATE FUNCTION dp_score(model dp_model, features float8[]) RETURNS float8
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_score';
COMMENT ON FUNCTION dp_score(dp_model, float8[]) IS
  'score of a model: <weights, encoded features>; null if a feature is null or NaN';

CREATE FUNCTION dp_predict(model dp_model, features float8[]) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict';
COMMENT ON FUNCTION dp_predict(dp_model, float8[]) IS
  'prediction of a model: is the score greater than 0?';

CREATE FUNCTION dpobj.model_hash(model dp_model) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_hash';
COMMENT ON FUNCTION dpobj.model_hash(dp_model) IS
  'SHA-256 over every attribute of a model, as the ledger keeps it';

-- A value of type dp_model can be forged; the ledger cannot.
CREATE FUNCTION dpobj.verify(model dp_model) RETURNS boolean
  LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT EXISTS (
      SELECT FROM dpobj.ledger_events e
      WHERE e.event = 'released' AND e.release = model.release
        AND e.output_hash = dpobj.model_hash(model))
  $$;
COMMENT ON FUNCTION dpobj.verify(dp_model) IS
  'was this very model released? compares its hash with the ledger';

-- ---------------------------------------------------------------------------
-- The owner's door: aggregates
-- ---------------------------------------------------------------------------

CREATE TYPE dp_rows;

CREATE FUNCTION dpobj.rows_in(cstring) RETURNS dp_rows
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_in';
COMMENT ON FUNCTION dpobj.rows_in(cstring) IS 'refuses: a dp_rows has no text form';

CREATE FUNCTION dpobj.rows_out(dp_rows) RETURNS cstring
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_out';
COMMENT ON FUNCTION dpobj.rows_out(dp_rows) IS 'refuses: showing a dp_rows would show rows';

CREATE TYPE dp_rows (
  INPUT = dpobj.rows_in,
  OUTPUT = dpobj.rows_out,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = double,
  STORAGE = extended
);
COMMENT ON TYPE dp_rows IS 'state of the training aggregates; not for use in queries';
REVOKE ALL ON TYPE dp_rows FROM PUBLIC;

CREATE FUNCTION dpobj.rows_combine(dp_rows, dp_rows) RETURNS dp_rows
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_combine';
COMMENT ON FUNCTION dpobj.rows_combine(dp_rows, dp_rows) IS 'adds up two partial training sets';

CREATE FUNCTION dpobj.halfspace_final(dp_rows) RETURNS dp_model
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_halfspace_final';
COMMENT ON FUNCTION dpobj.halfspace_final(dp_rows) IS 'charges, solves and releases a halfspace';

-- dp_halfspace(features, label, epsilon, delta [, options]): one aggregate for
-- each type of label and each way to write epsilon and delta.
DO $body$
DECLARE
  label text;
  cost text;
  options text;
  arguments text;
BEGIN
  FOREACH label IN ARRAY ARRAY['boolean', 'integer', 'bigint'] LOOP
    FOREACH cost IN ARRAY ARRAY['float8, float8', 'numeric, numeric', 'numeric, integer'] LOOP
      FOREACH options IN ARRAY ARRAY['', ', jsonb'] LOOP
        arguments := format('float8[], %s, %s%s', label, cost, options);
        EXECUTE format(
          $$CREATE FUNCTION dpobj.halfspace_accumulate(dp_rows, %s) RETURNS dp_rows
            LANGUAGE C IMMUTABLE PARALLEL SAFE
            AS 'MODULE_PATHNAME', 'dpobj_halfspace_accumulate'$$, arguments);
        EXECUTE format(
          $$COMMENT ON FUNCTION dpobj.halfspace_accumulate(dp_rows, %s) IS
            'adds one row to a training set'$$, arguments);
        EXECUTE format(
          $$CREATE AGGREGATE dp_halfspace(%s) (
            SFUNC = dpobj.halfspace_accumulate,
            STYPE = dp_rows,
            COMBINEFUNC = dpobj.rows_combine,
            FINALFUNC = dpobj.halfspace_final,
            FINALFUNC_MODIFY = READ_WRITE,
            PARALLEL = SAFE)$$, arguments);
        EXECUTE format(
          $$COMMENT ON AGGREGATE dp_halfspace(%s) IS
            'private halfspace: features, label, epsilon, delta, options'$$, arguments);
        EXECUTE format('REVOKE ALL ON FUNCTION dp_halfspace(%s) FROM PUBLIC', arguments);
      END LOOP;
    END LOOP;
  END LOOP;
END
$body$;

-- The aggregates read whatever their caller can read: only owners and roles that
-- they trust may call them.
CREATE FUNCTION dpobj.grant_trainer(role regrole) RETURNS void
  LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    aggregate regprocedure;
  BEGIN
    FOR aggregate IN
      SELECT p.oid
      FROM pg_depend d
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
      JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
      WHERE e.extname = 'dpobj' AND d.deptype = 'e' AND p.prokind = 'a'
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', aggregate, role);
    END LOOP;
  END
  $$;
COMMENT ON FUNCTION dpobj.grant_trainer(regrole) IS
  'lets a trusted role call the training aggregates of the owner''s door';

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA dpobj FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpobj.model_hash(dp_model), dpobj.verify(dp_model), dpobj.sees_all(),
  dpobj.origin(), dpobj.epoch(), dpobj.remaining(regclass, regrole) TO PUBLIC;
-- Not enough alone: who granted the membership is looked at in each call (src/server/admin.c).
GRANT EXECUTE ON FUNCTION dpobj.set_budget(regclass, regrole, numeric, numeric, text, bigint),
  dpobj.drop_budget(regclass, regrole), dpobj.confirm_epoch() TO dpobj_admin;

-- An exact-match overload in a schema that others may create in would capture calls.
DO $body$
BEGIN
  IF EXISTS (
    SELECT FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
    WHERE n.nspname = '@extschema@' AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
  ) THEN
    RAISE WARNING 'other roles may create objects in schema "@extschema@"'
      USING DETAIL = 'A function of theirs could capture calls of dp_halfspace.',
            HINT = 'Revoke CREATE on the schema, or create the extension in a schema of its own.';
  END IF;
END
$body$;
