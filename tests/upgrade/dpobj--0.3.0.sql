-- dpobj: the full script, put together from src/sql
\echo Use "CREATE EXTENSION dpobj" to load this file. \quit

/*
 * By default the server looks names up in the extension's schema, where other roles may have made an
 * operator or a function that fits better than pg_catalog's: the scripts would call it as a
 * superuser, or keep it in a view.  So the scripts look up nothing there, and name the schema
 * wherever they mean it.
 */
SET LOCAL search_path = pg_catalog, pg_temp;

-- As in upgrade/head.sql: a new installation finds none.
SET LOCAL dpobj_script.found = '[]';
SET LOCAL dpobj_script.privileges = '{}';

CREATE SCHEMA dpobj;
COMMENT ON SCHEMA dpobj IS 'ledger, administration and the analyst''s door of dpobj';

CREATE SCHEMA dpobj_internal;
COMMENT ON SCHEMA dpobj_internal IS 'what the extension''s own functions and views call';
-- Roles

/*
 * Roles belong to the whole cluster: another database, a restore or another user may have made
 * them already.  A dpobj_admin that has members is accepted only if it has dpobj's comment and
 * superusers granted all memberships.
 */
DO $body$
DECLARE
  purpose constant text := 'dpobj: members administer privacy budgets, if a superuser granted the membership';
  existing oid := (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = 'dpobj_admin');
  refused record;
BEGIN
  IF existing IS NULL THEN
    CREATE ROLE dpobj_admin NOLOGIN;
  ELSE
    SELECT m.member::pg_catalog.regrole AS member, m.grantor::pg_catalog.regrole AS grantor INTO refused
      FROM pg_catalog.pg_auth_members m
     WHERE m.roleid = existing
       AND (pg_catalog.shobj_description(existing, 'pg_authid') IS DISTINCT FROM purpose
            OR NOT EXISTS (SELECT FROM pg_catalog.pg_roles g WHERE g.oid = m.grantor AND g.rolsuper))
     ORDER BY m.member::pg_catalog.regrole::pg_catalog.text
     LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'role "dpobj_admin" exists already and has members'
        USING ERRCODE = 'duplicate_object',
              DETAIL = 'Its members would administer privacy budgets. ' || pg_catalog.format(
                CASE WHEN pg_catalog.shobj_description(existing, 'pg_authid') = purpose
                     THEN '%s, who is no superuser, granted it to %s.'
                     ELSE '%s granted it to %s before dpobj was installed.' END, refused.grantor, refused.member),
              HINT = 'Revoke that membership, or drop the role.';
    END IF;
  END IF;
  EXECUTE pg_catalog.format('COMMENT ON ROLE dpobj_admin IS %L', purpose);
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'dpobj_auditor') THEN
    CREATE ROLE dpobj_auditor NOLOGIN;
  END IF;
  COMMENT ON ROLE dpobj_auditor IS 'dpobj: members see all budgets and the whole ledger';
END
$body$;

CREATE FUNCTION dpobj_internal.sees_all() RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = current_user AND r.rolsuper)
        OR EXISTS (SELECT FROM pg_roles r WHERE r.rolname = 'dpobj_auditor'
                   AND pg_has_role(current_user, r.oid, 'USAGE'))
  $$;
COMMENT ON FUNCTION dpobj_internal.sees_all() IS
  'does the current role see every budget and the whole ledger? superusers and dpobj_auditor';
-- Epoch and identities

CREATE FUNCTION dpobj_internal.origin() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_origin';
COMMENT ON FUNCTION dpobj_internal.origin() IS
  'where OIDs hold: system identifier and OID of the database';

CREATE FUNCTION dpobj_internal.epoch() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_epoch';

/*
 * An identity stands for the same table or role for ever, which neither an OID nor a name does.  It
 * is found by its OID, so that spending survives a rename, or by its name if that OID is gone or
 * comes from another server, so that spending survives a restore and DROP with CREATE.  Only the
 * charge worker writes identities.
 */
CREATE TABLE dpobj.identities
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    origin text NOT NULL,
    object oid NOT NULL,
    name text NOT NULL,
    holdout_key uuid NOT NULL DEFAULT pg_catalog.gen_random_uuid(),
    CONSTRAINT identity_kind_known CHECK (kind IN ('table', 'role')),
    CONSTRAINT identity_key UNIQUE (kind, origin, object)
);
CREATE INDEX identities_name_idx ON dpobj.identities (kind, name);
COMMENT ON TABLE dpobj.identities IS 'tables and roles that the ledger knows, through renames and restores';
COMMENT ON SEQUENCE dpobj.identities_id_seq IS 'numbers of identities';
COMMENT ON INDEX dpobj.identities_name_idx IS 'finds an identity by name when its OID holds no more';
COMMENT ON COLUMN dpobj.identities.id IS 'number that budgets and ledger refer to';
COMMENT ON COLUMN dpobj.identities.kind IS 'table or role';
COMMENT ON COLUMN dpobj.identities.origin IS 'server and database in which the OID holds, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.identities.object IS 'OID of the table or role there';
COMMENT ON COLUMN dpobj.identities.name IS 'name when a charge or a budget last touched it; of a table qualified and quoted';
COMMENT ON COLUMN dpobj.identities.holdout_key IS 'secret key by which the rows of a table are dealt between training and rating; roles do not use theirs';

/*
 * What a partition has spent counts for the table that it was attached to, and the other way
 * round, also after DETACH.
 */
CREATE TABLE dpobj.lineage
(
    ancestor bigint NOT NULL,
    descendant bigint NOT NULL,
    PRIMARY KEY (ancestor, descendant)
);
CREATE INDEX lineage_descendant_idx ON dpobj.lineage (descendant);
COMMENT ON TABLE dpobj.lineage IS 'tables that once were parts of another table, when either was charged, protected or given a budget';
COMMENT ON INDEX dpobj.lineage_descendant_idx IS 'finds the ancestors of a table';
COMMENT ON COLUMN dpobj.lineage.ancestor IS 'identity of the other table';
COMMENT ON COLUMN dpobj.lineage.descendant IS 'identity of a table that was a partition or child of it then, directly or not';

CREATE FUNCTION dpobj_internal.refuse_change() RETURNS trigger
    AS 'MODULE_PATHNAME', 'dpobj_refuse_change' LANGUAGE C;
COMMENT ON FUNCTION dpobj_internal.refuse_change() IS
  'trigger: refuses changes by hand for everybody but superusers; its argument is the hint';
-- Costs that add up: basic composition, zero-concentrated privacy, Renyi divergences

/*
 * What one release costs (src/core/accounting/accounting.h).  epsilon is in units of 1e-9, deltas in units
 * of 1e-18, rho and the divergences in units of 1e-12; the greatest bigint means: nothing finite
 * is known.  rho_delta and rdp_delta are what rho and the divergences leave out; the divergences
 * are of the orders dpobj.rdp_orders(), for neighbours as adjacency says, and rdp_replaced, of an
 * add_remove release, for one row that goes and one that comes.
 */
CREATE TYPE dpobj.charge_cost AS
(
    adjacency text,
    epsilon_nano bigint,
    delta_units bigint,
    rho_pico bigint,
    rho_delta bigint,
    rdp_pico bigint[],
    rdp_delta bigint,
    rdp_replaced bigint[]
);
COMMENT ON TYPE dpobj.charge_cost IS 'what one release costs, in units of the ledger';

CREATE FUNCTION dpobj.rdp_orders() RETURNS integer[]
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rdp_orders';
COMMENT ON FUNCTION dpobj.rdp_orders() IS
  'orders of the Renyi divergences in the ledger';

/*
 * The cost where neighbours are those of unit.  A row that is replaced is one that goes and one
 * that comes: (epsilon, delta) becomes (2 epsilon, (1 + e^epsilon) delta), rho becomes 4 rho
 * (theorem N5).  Deltas are rounded up, plus a unit for the last digits of exp(), which gives as
 * many digits as its argument has; e^100 exceeds every cap.
 * These functions are inlined into queries on views, under the search_path of the superuser who
 * runs the query: so each operator and type is named with its schema.
 * No cost under replace follows from one under add_remove; src/server/ledger/charge_protection.c
 * refuses such a charge.
 */
CREATE FUNCTION dpobj_internal.cost_under(cost dpobj.charge_cost, unit text, accountant text,
    place integer) RETURNS numeric
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT CASE
      WHEN $3 OPERATOR(pg_catalog.=) 'basic'
        THEN CASE WHEN $1.adjacency OPERATOR(pg_catalog.=) $2 THEN 1::pg_catalog.numeric ELSE 2 END
             OPERATOR(pg_catalog.*) $1.epsilon_nano::pg_catalog.numeric
      WHEN $3 OPERATOR(pg_catalog.=) 'zcdp'
        THEN CASE WHEN $1.adjacency OPERATOR(pg_catalog.=) $2 THEN 1::pg_catalog.numeric ELSE 4 END
             OPERATOR(pg_catalog.*) $1.rho_pico::pg_catalog.numeric
      WHEN $3 OPERATOR(pg_catalog.=) 'rdp'
        THEN (CASE WHEN $1.adjacency OPERATOR(pg_catalog.=) $2 THEN $1.rdp_pico
                   ELSE $1.rdp_replaced END)[$4]::pg_catalog.numeric
    END
  $$;
COMMENT ON FUNCTION dpobj_internal.cost_under(dpobj.charge_cost, text, text, integer) IS
  'internal: a cost in the currency of an accountant; place: of its order in dpobj.rdp_orders()';

CREATE FUNCTION dpobj_internal.delta_under(cost dpobj.charge_cost, unit text, accountant text) RETURNS numeric
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT CASE
      WHEN CASE WHEN $3 OPERATOR(pg_catalog.=) 'basic' THEN $1.delta_units
                WHEN $3 OPERATOR(pg_catalog.=) 'zcdp' THEN $1.rho_delta
                ELSE $1.rdp_delta END OPERATOR(pg_catalog.=) 0::pg_catalog.int8 THEN 0
      WHEN $1.adjacency OPERATOR(pg_catalog.=) $2
        THEN CASE WHEN $3 OPERATOR(pg_catalog.=) 'basic' THEN $1.delta_units
                  WHEN $3 OPERATOR(pg_catalog.=) 'zcdp' THEN $1.rho_delta
                  ELSE $1.rdp_delta END
      ELSE pg_catalog.ceil(
             CASE WHEN $3 OPERATOR(pg_catalog.=) 'basic' THEN $1.delta_units
                  WHEN $3 OPERATOR(pg_catalog.=) 'zcdp' THEN $1.rho_delta
                  ELSE $1.rdp_delta END::pg_catalog.numeric
             OPERATOR(pg_catalog.*) (1::pg_catalog.numeric OPERATOR(pg_catalog.+) pg_catalog.exp(
               least($1.epsilon_nano, 100000000000)::pg_catalog.numeric
               OPERATOR(pg_catalog.*) 0.0000000010000000000000000000000000000000)))
           OPERATOR(pg_catalog.+) 1::pg_catalog.numeric
    END
  $$;
COMMENT ON FUNCTION dpobj_internal.delta_under(dpobj.charge_cost, text, text) IS
  'internal: what an accountant adds up as delta';

CREATE FUNCTION dpobj_internal.composed_epsilon(accountant text, rdp_order integer, cost numeric,
    delta_units bigint) RETURNS numeric
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_composed_epsilon';
COMMENT ON FUNCTION dpobj_internal.composed_epsilon(text, integer, numeric, bigint) IS
  'internal: the epsilon, in units of 1e-9, that a sum of costs implies at a delta; null: none';

CREATE FUNCTION dpobj_internal.largest_epsilon(accountant text, rdp_order integer, room numeric) RETURNS numeric
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_largest_epsilon';
COMMENT ON FUNCTION dpobj_internal.largest_epsilon(text, integer, numeric) IS
  'internal: the largest epsilon, in units of 1e-9, of a pure release that costs no more';
-- Ledger: an append-only table of events, and the view that people read

/*
 * One row per event, written by the charge worker only.  The 'charged' row alone has the cost, so
 * that a sum over the table counts it once; the end of the release is a second row, which names the
 * charge in "release".  A charge without an end may have been released: the server may have stopped
 * in between.  No column has a reg* type, because a restore has other OIDs.
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
    epoch text NOT NULL DEFAULT dpobj_internal.epoch(),
    relation_identity bigint,
    role_identity bigint,
    payers bigint[],
    door text,
    person text,
    pair_terms jsonb,
    rho_pico bigint,
    rho_delta bigint,
    rdp_pico bigint[],
    rdp_delta bigint,
    rdp_replaced bigint[],
    CONSTRAINT ledger_event_known CHECK (event IN
        ('charged', 'released', 'failed', 'protect', 'unprotect', 'set_budget', 'raise_budget',
         'drop_budget', 'limit_budget', 'confirm_epoch', 'mark_part', 'unmark_part', 'remember_server')),
    CONSTRAINT ledger_charge_complete CHECK (event <> 'charged' OR
        (release IS NULL AND relation IS NOT NULL AND relation_name IS NOT NULL
         AND mechanism IS NOT NULL AND mechanism_version IS NOT NULL AND adjacency IS NOT NULL
         AND epsilon_nano IS NOT NULL AND delta_units IS NOT NULL AND guarantee IS NOT NULL
         AND pair IS NOT NULL AND parameters IS NOT NULL AND snapshot IS NOT NULL
         AND relation_identity IS NOT NULL AND role_identity IS NOT NULL AND payers IS NOT NULL
         AND role_identity = ANY (payers) AND door IS NOT NULL AND pair_terms IS NOT NULL)),
    CONSTRAINT ledger_cost_complete CHECK (event <> 'charged' OR
        (rho_pico >= 0 AND rho_delta BETWEEN 0 AND 1000000000000000000
         AND rdp_delta BETWEEN 0 AND 1000000000000000000
         AND pg_catalog.array_position(rdp_pico, NULL) IS NULL
         AND pg_catalog.cardinality(rdp_pico) = pg_catalog.cardinality(dpobj.rdp_orders())
         AND (adjacency = 'replace') = (rdp_replaced IS NULL)
         AND pg_catalog.cardinality(coalesce(rdp_replaced, rdp_pico))
             = pg_catalog.cardinality(dpobj.rdp_orders())
         AND pg_catalog.array_position(rdp_replaced, NULL) IS NULL) IS TRUE),
    CONSTRAINT ledger_door_known CHECK (door IN ('owner', 'analyst')),
    CONSTRAINT ledger_cost_charged_once CHECK (event = 'charged' OR
        (epsilon_nano IS NULL AND delta_units IS NULL)),
    CONSTRAINT ledger_end_of_a_charge CHECK ((event IN ('released', 'failed')) = (release IS NOT NULL)),
    CONSTRAINT ledger_hash_of_a_release CHECK ((event = 'released') = (output_hash IS NOT NULL)),
    CONSTRAINT ledger_hash_is_sha256 CHECK (pg_catalog.octet_length(output_hash) = 32),
    CONSTRAINT ledger_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT ledger_guarantee_known CHECK (guarantee IN ('exact', 'float', 'conditional', 'unproven')),
    CONSTRAINT ledger_epsilon_valid CHECK (epsilon_nano >= 0),
    CONSTRAINT ledger_delta_valid CHECK (delta_units BETWEEN 0 AND 1000000000000000000)
);
CREATE UNIQUE INDEX ledger_events_release_key ON dpobj.ledger_events (release)
    WHERE release IS NOT NULL;
CREATE INDEX ledger_events_failed_idx ON dpobj.ledger_events (relation_identity)
    WHERE event = 'failed';
SELECT pg_catalog.pg_extension_config_dump('dpobj.ledger_events', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.ledger_events_id_seq', '');

CREATE FUNCTION dpobj_internal.ledger_refuse_change() RETURNS trigger
    AS 'MODULE_PATHNAME', 'dpobj_ledger_refuse_change' LANGUAGE C;
-- The first trigger refuses a statement even if it affects no row, the second a statement on an
-- inheritance parent.
CREATE TRIGGER ledger_append_only BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.ledger_events
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.ledger_refuse_change();
CREATE TRIGGER ledger_append_only_row BEFORE UPDATE OR DELETE ON dpobj.ledger_events
    FOR EACH ROW EXECUTE FUNCTION dpobj_internal.ledger_refuse_change();
ALTER TABLE dpobj.ledger_events
    ENABLE ALWAYS TRIGGER ledger_append_only,
    ENABLE ALWAYS TRIGGER ledger_append_only_row;

COMMENT ON TABLE dpobj.ledger_events IS 'privacy ledger: append-only, one row per event, written by the charge worker only';
COMMENT ON INDEX dpobj.ledger_events_pkey IS 'ledger id';
COMMENT ON INDEX dpobj.ledger_events_release_key IS 'a charge ends at most once';
COMMENT ON INDEX dpobj.ledger_events_failed_idx IS 'which releases from a table have failed';
COMMENT ON FUNCTION dpobj_internal.ledger_refuse_change() IS 'trigger: refuses changes of the ledger';
COMMENT ON TRIGGER ledger_append_only ON dpobj.ledger_events IS 'refuses UPDATE, DELETE and TRUNCATE for every role, and INSERT but for the charge worker and superusers';
COMMENT ON TRIGGER ledger_append_only_row ON dpobj.ledger_events IS 'refuses UPDATE and DELETE that come through an inheritance parent';
COMMENT ON COLUMN dpobj.ledger_events.id IS 'ledger id; the id of a charged event is the id of its release';
COMMENT ON COLUMN dpobj.ledger_events.at IS 'when the event was written';
COMMENT ON COLUMN dpobj.ledger_events.release IS 'released and failed: id of the charged event they end; else null';
COMMENT ON COLUMN dpobj.ledger_events.relation IS 'OID of the table, of the topmost ancestor for a partition; meaningless after a restore';
COMMENT ON COLUMN dpobj.ledger_events.relation_name IS 'schema-qualified, quoted name that the table had then';
COMMENT ON COLUMN dpobj.ledger_events.role IS 'OID of the session user; meaningless after a restore';
COMMENT ON COLUMN dpobj.ledger_events.role_name IS 'name that the session user had then';
COMMENT ON COLUMN dpobj.ledger_events.mechanism IS 'mechanism, as in the option of that name';
COMMENT ON COLUMN dpobj.ledger_events.mechanism_version IS 'version of dpobj whose mechanism it was';
COMMENT ON COLUMN dpobj.ledger_events.adjacency IS 'which tables are neighbours: replace (one row changes) or add_remove (one row comes or goes)';
COMMENT ON COLUMN dpobj.ledger_events.epsilon_nano IS 'charged epsilon in units of 1e-9, rounded up';
COMMENT ON COLUMN dpobj.ledger_events.delta_units IS 'charged delta in units of 1e-18, rounded up';
COMMENT ON COLUMN dpobj.ledger_events.guarantee IS 'exact, float, conditional or unproven';
COMMENT ON COLUMN dpobj.ledger_events.pair IS 'tag of the dominating pair, for tighter composition';
COMMENT ON COLUMN dpobj.ledger_events.pair_terms IS 'charged: parameters of the dominating pair';
COMMENT ON COLUMN dpobj.ledger_events.rho_pico IS 'charged: rho of zero-concentrated privacy in units of 1e-12, rounded up; the greatest bigint: none is known';
COMMENT ON COLUMN dpobj.ledger_events.rho_delta IS 'charged: probability in units of 1e-18 with which rho does not hold';
COMMENT ON COLUMN dpobj.ledger_events.rdp_pico IS 'charged: Renyi divergences of the orders dpobj.rdp_orders() in units of 1e-12, rounded up';
COMMENT ON COLUMN dpobj.ledger_events.rdp_delta IS 'charged: probability in units of 1e-18 with which they do not hold';
COMMENT ON COLUMN dpobj.ledger_events.rdp_replaced IS 'charged under add_remove: the divergences where one row goes and one comes';
COMMENT ON COLUMN dpobj.ledger_events.parameters IS 'public parameters of the mechanism or of the administration';
COMMENT ON COLUMN dpobj.ledger_events.output_hash IS 'released: SHA-256 of the released model';
COMMENT ON COLUMN dpobj.ledger_events.epoch IS 'where and in which life of the server the event was written, as dpobj_internal.epoch() says it';
COMMENT ON COLUMN dpobj.ledger_events.relation_identity IS 'identity of the table';
COMMENT ON COLUMN dpobj.ledger_events.role_identity IS 'identity of the session user';
COMMENT ON COLUMN dpobj.ledger_events.door IS 'charged: owner, an aggregate in a query; analyst, dpobj.train and its kin';
COMMENT ON COLUMN dpobj.ledger_events.person IS 'charged: column whose values are the persons that neighbours differ in; null: neighbours differ in a row';
COMMENT ON COLUMN dpobj.ledger_events.payers IS 'charged: identities of the session user and of the groups that he was a member of then';

-- The role that an identity stands for now, found as the charge worker finds it: by OID, else the
-- last one that had the name.
CREATE VIEW dpobj.identity_roles AS
SELECT i.id,
       coalesce(k.oid, b.oid) AS role,
       coalesce(k.rolname, b.rolname) AS role_name,
       i.name AS recorded_name
  FROM dpobj.identities i
  LEFT JOIN pg_catalog.pg_roles k ON k.oid = i.object AND i.origin = dpobj_internal.origin()
  LEFT JOIN pg_catalog.pg_roles b
    ON k.oid IS NULL AND b.rolname = i.name
   AND NOT EXISTS (SELECT FROM dpobj.identities o WHERE o.kind = 'role'
                   AND o.origin = dpobj_internal.origin() AND o.object = b.oid)
   AND NOT EXISTS (SELECT FROM dpobj.identities o WHERE o.kind = 'role' AND o.name = i.name AND o.id > i.id
                   AND NOT (o.origin = dpobj_internal.origin()
                            AND EXISTS (SELECT FROM pg_catalog.pg_roles c WHERE c.oid = o.object)))
 WHERE i.kind = 'role';
COMMENT ON VIEW dpobj.identity_roles IS 'the role that an identity stands for now';
COMMENT ON COLUMN dpobj.identity_roles.id IS 'identity';
COMMENT ON COLUMN dpobj.identity_roles.role IS 'OID of the role now; null when there is none';
COMMENT ON COLUMN dpobj.identity_roles.role_name IS 'name of the role now; null when there is none';
COMMENT ON COLUMN dpobj.identity_roles.recorded_name IS 'name when a charge or a budget last touched it';
-- Names and owners of tables, and the views that say which table is meant

/*
 * Citus hides its shards from queries that read pg_class: a view that joins it loses the charges of
 * a shard.  So views call these functions, which read the catalog without a query.
 */
CREATE FUNCTION dpobj_internal.table_name(relation oid) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_table_name';
COMMENT ON FUNCTION dpobj_internal.table_name(oid) IS
  'internal: schema-qualified, quoted name of a relation; null when there is none';

CREATE FUNCTION dpobj_internal.table_named(name text) RETURNS oid
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_table_named';
COMMENT ON FUNCTION dpobj_internal.table_named(text) IS
  'internal: the table that has a schema-qualified, quoted name; null when there is none';

CREATE FUNCTION dpobj_internal.table_owner(relation oid) RETURNS oid
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_table_owner';
COMMENT ON FUNCTION dpobj_internal.table_owner(oid) IS
  'internal: the role that owns a relation; null when there is none';

/*
 * The table that an identity stands for now, found as the charge worker finds it: by OID, else the
 * last one that had the name.
 */
CREATE OR REPLACE VIEW dpobj.identity_tables AS
SELECT i.id,
       coalesce(k.oid, b.oid) AS relation,
       i.name AS relation_name
  FROM dpobj.identities i
 CROSS JOIN LATERAL
       (SELECT CASE WHEN i.origin = dpobj_internal.origin() AND dpobj_internal.table_name(i.object) IS NOT NULL
                    THEN i.object END AS oid) k
  LEFT JOIN LATERAL (SELECT dpobj_internal.table_named(i.name) AS oid) b
    ON k.oid IS NULL
   AND NOT EXISTS (SELECT FROM dpobj.identities o WHERE o.kind = 'table'
                   AND o.origin = dpobj_internal.origin() AND o.object = b.oid)
   AND NOT EXISTS (SELECT FROM dpobj.identities o WHERE o.kind = 'table' AND o.name = i.name AND o.id > i.id
                   AND NOT (o.origin = dpobj_internal.origin()
                            AND dpobj_internal.table_name(o.object) IS NOT NULL))
 WHERE i.kind = 'table';
COMMENT ON VIEW dpobj.identity_tables IS 'the table that an identity stands for now';
COMMENT ON COLUMN dpobj.identity_tables.id IS 'identity';
COMMENT ON COLUMN dpobj.identity_tables.relation IS 'OID of the table now; null when there is none';
COMMENT ON COLUMN dpobj.identity_tables.relation_name IS 'name when a charge or a budget last touched it';

/*
 * Roles see their own events, by OID or else by name; superusers and auditors see all.  A table is
 * shown as regclass only while its OID still has the name it was charged under.  The factors are
 * exactly 1e-9 and 1e-18; products of numerics are exact.
 */
CREATE OR REPLACE VIEW dpobj.ledger WITH (security_barrier) AS
SELECT e.id,
       e.at,
       e.event,
       CASE WHEN e.event = 'charged' THEN e.id ELSE e.release END AS release,
       CASE WHEN dpobj_internal.table_named(e.relation_name) = e.relation THEN e.relation::regclass END AS relation,
       e.relation_name,
       e.role_name AS role,
       e.mechanism,
       e.mechanism_version,
       e.adjacency,
       pg_catalog.trim_scale(e.epsilon_nano * 0.000000001) AS epsilon,
       pg_catalog.trim_scale(e.delta_units * 0.000000000000000001) AS delta,
       e.guarantee,
       e.pair,
       e.parameters,
       e.snapshot,
       e.output_hash,
       e.door,
       e.person,
       e.pair_terms,
       pg_catalog.trim_scale(nullif(e.rho_pico, 9223372036854775807) * 0.000000000001) AS rho,
       pg_catalog.trim_scale(e.rho_delta * 0.000000000000000001) AS rho_delta,
       ARRAY(SELECT pg_catalog.trim_scale(nullif(r.value, 9223372036854775807) * 0.000000000001)
               FROM pg_catalog.unnest(e.rdp_pico) WITH ORDINALITY r(value, place)
              ORDER BY r.place) AS rdp,
       pg_catalog.trim_scale(e.rdp_delta * 0.000000000000000001) AS rdp_delta
  FROM dpobj.ledger_events e
 WHERE e.role_identity IN (SELECT id FROM dpobj.identity_roles WHERE role_name = session_user)
    OR dpobj_internal.sees_all();

COMMENT ON VIEW dpobj.ledger IS 'privacy ledger: the events of the session''s own role; all events for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.ledger.id IS 'ledger id';
COMMENT ON COLUMN dpobj.ledger.at IS 'when the event was written';
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
COMMENT ON COLUMN dpobj.ledger.door IS 'charged: owner, an aggregate in a query; analyst, dpobj.train and its kin';
COMMENT ON COLUMN dpobj.ledger.person IS 'charged: column whose values are the protected persons; null: rows are protected';
COMMENT ON COLUMN dpobj.ledger.pair_terms IS 'parameters of the dominating pair';
COMMENT ON COLUMN dpobj.ledger.rho IS 'cost in zero-concentrated privacy; null: none is known';
COMMENT ON COLUMN dpobj.ledger.rho_delta IS 'probability with which rho does not hold';
COMMENT ON COLUMN dpobj.ledger.rdp IS 'Renyi divergences of the orders dpobj.rdp_orders(); null where none is known, empty except for charged events';
COMMENT ON COLUMN dpobj.ledger.rdp_delta IS 'probability with which they do not hold';
-- The analyst's door: what administrators declare about tables

/*
 * One row per protected table, by its identity: the protection survives a rename, DROP and CREATE
 * under the same name, and a restore.
 */
CREATE TABLE dpobj.protections
(
    relation bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    encoders jsonb NOT NULL,
    adjacency text NOT NULL,
    person text,
    max_rows_per_person integer,
    n bigint,
    ignore_rls boolean NOT NULL,
    earlier_rows_per_person integer,
    holdout_by text,
    CONSTRAINT protection_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT protection_person_bounded CHECK ((person IS NULL) = (max_rows_per_person IS NULL)),
    CONSTRAINT protection_rows_valid CHECK (max_rows_per_person > 0),
    CONSTRAINT protection_n_valid CHECK (n > 0),
    CONSTRAINT protection_earlier_rows_valid
        CHECK (earlier_rows_per_person IS NULL OR person IS NOT NULL AND earlier_rows_per_person > 0),
    CONSTRAINT protection_holdout_valid CHECK (holdout_by IS NULL OR person IS NULL)
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.protections', '');

CREATE TRIGGER protection_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.protections
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.protect and dpobj.unprotect.');
ALTER TABLE dpobj.protections ENABLE ALWAYS TRIGGER protection_guard;
COMMENT ON TRIGGER protection_guard ON dpobj.protections IS 'refuses changes but for dpobj''s own functions and superusers';

COMMENT ON TABLE dpobj.protections IS 'declarations of dpobj.protect, one row per table';
COMMENT ON INDEX dpobj.protections_pkey IS 'a table is protected once';
COMMENT ON COLUMN dpobj.protections.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.protections.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.protections.encoders IS 'how each column becomes features';
COMMENT ON COLUMN dpobj.protections.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.protections.person IS 'column that says whose row it is; null: each row is somebody else''s';
COMMENT ON COLUMN dpobj.protections.max_rows_per_person IS 'rows that one person contributes at most';
COMMENT ON COLUMN dpobj.protections.n IS 'declared number of rows; null: none';
COMMENT ON COLUMN dpobj.protections.ignore_rls IS 'may rows be read that row-level security would hide?';
COMMENT ON COLUMN dpobj.protections.holdout_by IS 'column by whose values rows are dealt between training and rating; null: by the person, or else by all declared columns';

CREATE FUNCTION dpobj.unprotect(relation regclass) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_unprotect';
COMMENT ON FUNCTION dpobj.unprotect(regclass) IS
  'takes a declaration of dpobj.protect back; for administrators';

CREATE FUNCTION dpobj.features(encoders jsonb, "row" anyelement) RETURNS float8[]
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_features';
COMMENT ON FUNCTION dpobj.features(jsonb, anyelement) IS
  'features of one row under a declaration of dpobj.protect; null for a neutral row';

CREATE FUNCTION dpobj.protected_features(relation regclass, columns text[] DEFAULT NULL,
    OUT "position" integer, OUT feature text, OUT column_name text, OUT is_numeric boolean,
    OUT group_number integer, OUT low float8, OUT high float8) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_protected_features';
COMMENT ON FUNCTION dpobj.protected_features(regclass, text[]) IS
  'the features of a protected relation, in the order of a model''s weights';

CREATE FUNCTION dpobj_internal.scan_digest(relation regclass, label text, features text[] DEFAULT NULL,
    filter jsonb DEFAULT NULL, with_digest boolean DEFAULT true, person_key bytea DEFAULT NULL,
    OUT "rows" bigint, OUT neutral bigint, OUT distinct_rows bigint, OUT digest bytea) RETURNS record
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_scan_digest';
COMMENT ON FUNCTION dpobj_internal.scan_digest(regclass, text, text[], jsonb, boolean, bytea) IS
  'internal, for tests and superusers only: what a scan of a protected relation reads';

CREATE FUNCTION dpobj_internal.scan_rows(relation regclass, label text, features text[] DEFAULT NULL,
    filter jsonb DEFAULT NULL, person_key bytea DEFAULT NULL,
    OUT x integer[], OUT positive bigint, OUT negative bigint) RETURNS SETOF record
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_scan_rows';
COMMENT ON FUNCTION dpobj_internal.scan_rows(regclass, text, text[], jsonb, bytea) IS
  'internal, for tests and superusers only: the rows of a protected relation that would enter a training';
-- Budgets

/*
 * One cap per table and role, or per table over all roles (role null), in the units of the ledger,
 * rounded down.  One accountant, fixed when the budget is made (theorem A6), adds up the costs,
 * which stay below cost_limit; the deltas of releases stay below reserve_units.
 *
 * cost_spent, delta_spent and releases_spent are sums over the ledger.  The charge worker adds to
 * them in the transaction that writes the charge, under a lock on this row, so that they equal
 * dpobj.budget_sums.  Everything else that could change the sums sets all three to null, and the
 * next charge sums the ledger again: no change of a budget resets what was spent.
 */
CREATE TABLE dpobj.budget_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    relation bigint NOT NULL,
    role bigint,
    accountant text NOT NULL,
    rdp_order integer,
    epsilon_nano bigint NOT NULL,
    delta_units bigint NOT NULL,
    reserve_units bigint NOT NULL,
    cost_limit bigint NOT NULL,
    max_releases bigint,
    cost_spent numeric,
    delta_spent numeric,
    releases_spent bigint,
    CONSTRAINT budget_accountant_known CHECK (accountant IN ('basic', 'zcdp', 'rdp')),
    CONSTRAINT budget_order_fixed CHECK ((accountant = 'rdp') = (rdp_order IS NOT NULL)),
    CONSTRAINT budget_epsilon_valid CHECK (epsilon_nano >= 0),
    CONSTRAINT budget_delta_valid CHECK (delta_units BETWEEN 0 AND 1000000000000000000),
    CONSTRAINT budget_reserve_valid CHECK (reserve_units BETWEEN 0 AND delta_units),
    CONSTRAINT budget_limit_valid CHECK (cost_limit >= 0),
    CONSTRAINT budget_releases_valid CHECK (max_releases >= 0),
    CONSTRAINT budget_sums_together CHECK ((cost_spent IS NULL) = (delta_spent IS NULL)
        AND (cost_spent IS NULL) = (releases_spent IS NULL))
);
CREATE UNIQUE INDEX budget_rows_key ON dpobj.budget_rows (relation, (coalesce(role, 0)));
COMMENT ON SEQUENCE dpobj.budget_rows_id_seq IS 'numbers of budgets';
COMMENT ON INDEX dpobj.budget_rows_key IS 'one budget per table and role, one per table over all roles';
COMMENT ON COLUMN dpobj.budget_rows.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_rows.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_rows.accountant IS 'what is added up: basic, epsilon; zcdp, rho; rdp, the Renyi divergence of one order';
COMMENT ON COLUMN dpobj.budget_rows.rdp_order IS 'rdp: that order';
COMMENT ON COLUMN dpobj.budget_rows.reserve_units IS 'the part of the cap of delta that is for deltas of releases, in units of 1e-18; the rest is for the conversion';
COMMENT ON COLUMN dpobj.budget_rows.cost_limit IS 'cap of the sum of costs: epsilon in units of 1e-9, rho or divergence in units of 1e-12';
COMMENT ON COLUMN dpobj.budget_rows.cost_spent IS 'sum of costs; null: to be summed over the ledger by the next charge';
COMMENT ON COLUMN dpobj.budget_rows.delta_spent IS 'sum of deltas in units of 1e-18; null likewise';
COMMENT ON COLUMN dpobj.budget_rows.releases_spent IS 'number of charges; null likewise';
COMMENT ON COLUMN dpobj.budget_rows.epsilon_nano IS 'cap of epsilon in units of 1e-9, rounded down';
COMMENT ON COLUMN dpobj.budget_rows.delta_units IS 'cap of delta in units of 1e-18, rounded down';
COMMENT ON COLUMN dpobj.budget_rows.max_releases IS 'cap of the number of charges; null: none';

-- Members of pg_write_all_data may not write these tables.
CREATE TRIGGER budget_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.budget_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.set_budget and dpobj.drop_budget.');
CREATE TRIGGER identity_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.identities
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.set_budget and dpobj.drop_budget.');
CREATE TRIGGER lineage_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.lineage
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.set_budget and dpobj.drop_budget.');
ALTER TABLE dpobj.budget_rows ENABLE ALWAYS TRIGGER budget_guard;
ALTER TABLE dpobj.identities ENABLE ALWAYS TRIGGER identity_guard;
ALTER TABLE dpobj.lineage ENABLE ALWAYS TRIGGER lineage_guard;
COMMENT ON TRIGGER budget_guard ON dpobj.budget_rows IS 'refuses changes but for dpobj''s own functions and superusers';
COMMENT ON TRIGGER identity_guard ON dpobj.identities IS 'refuses changes but for the charge worker and superusers';
COMMENT ON TRIGGER lineage_guard ON dpobj.lineage IS 'refuses changes but for the charge worker and superusers';

SELECT pg_catalog.pg_extension_config_dump('dpobj.identities', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.identities_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.lineage', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.budget_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.budget_rows_id_seq', '');

-- Whether two tables have rows in common now: one is an ancestor of the other, or both are parents of a child.
CREATE FUNCTION dpobj_internal.shares_rows(id bigint, other bigint) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH RECURSIVE
      down(object) AS (SELECT i.object FROM dpobj.identities i WHERE i.id = $1 UNION
                       SELECT h.inhrelid FROM pg_inherits h JOIN down d ON h.inhparent = d.object),
      up(object) AS (SELECT object FROM down UNION
                     SELECT h.inhparent FROM pg_inherits h JOIN up u ON h.inhrelid = u.object)
    SELECT EXISTS (SELECT FROM up JOIN dpobj.identities i ON i.object = up.object
                   WHERE i.id = $2 AND i.origin = dpobj_internal.origin())
  $$;
COMMENT ON FUNCTION dpobj_internal.shares_rows(bigint, bigint) IS
  'internal: are two tables, by their identities, parents of one table now, or one of the other?';

CREATE FUNCTION dpobj_internal.cost_text(accountant text, rdp_order integer, spent numeric, asked numeric,
    cap numeric) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('%s: %s spent, %s asked, %s left of %s',
             CASE $1 WHEN 'basic' THEN 'epsilon' WHEN 'zcdp' THEN 'rho'
                     ELSE format('Renyi divergence of order %s', $2) END,
             trim_scale($3 * u.one),
             CASE WHEN $4 < 9223372036854775807 THEN trim_scale($4 * u.one)::text ELSE 'more than can be counted' END,
             trim_scale(greatest($5 - $3, 0) * u.one), trim_scale($5 * u.one))
      FROM (SELECT CASE $1 WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one) u
  $$;
COMMENT ON FUNCTION dpobj_internal.cost_text(text, integer, numeric, numeric, numeric) IS
  'internal: a sum of costs and what is left, in words';

CREATE FUNCTION dpobj.set_budget(relation regclass, role regrole, epsilon numeric, delta numeric,
    accountant text DEFAULT 'basic', max_releases bigint DEFAULT NULL,
    rdp_order integer DEFAULT NULL, delta_reserve numeric DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_set_budget';
COMMENT ON FUNCTION dpobj.set_budget(regclass, regrole, numeric, numeric, text, bigint, integer, numeric) IS
  'caps what a role, a group or, with a null role, all roles together may spend on a table; accountant: basic, zcdp or rdp';

CREATE FUNCTION dpobj.raise_budget(relation regclass, role regrole, epsilon numeric, delta numeric,
    reason text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_raise_budget';
COMMENT ON FUNCTION dpobj.raise_budget(regclass, regrole, numeric, numeric, text) IS
  'adds to the caps of a budget, for a reason that the ledger keeps';

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
-- Models

CREATE TYPE @extschema@.dp_model AS (
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
COMMENT ON TYPE @extschema@.dp_model IS 'a model released under differential privacy';
COMMENT ON COLUMN @extschema@.dp_model.kind IS 'halfspace, logistic or svm: each predicts positive if and only if the score is greater than 0; simplex or linear: the score is the prediction; softmax or one_vs_rest: the class of the highest score is';
COMMENT ON COLUMN @extschema@.dp_model.mechanism IS 'the mechanism that chose the weights';
COMMENT ON COLUMN @extschema@.dp_model.weights IS 'one weight for each feature, then the intercept if there is one; of a model of several classes these of each class in turn';
COMMENT ON COLUMN @extschema@.dp_model.epsilon IS 'epsilon charged for this release';
COMMENT ON COLUMN @extschema@.dp_model.delta IS 'delta charged for this release; 0 under pure differential privacy';
COMMENT ON COLUMN @extschema@.dp_model.adjacency IS 'replace or add_remove: which data sets count as neighbours';
COMMENT ON COLUMN @extschema@.dp_model.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN @extschema@.dp_model.details IS 'public parameters: options, grid size, noise, encoding of the features';

CREATE FUNCTION @extschema@.dp_score(model @extschema@.dp_model, features float8[]) RETURNS float8
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_score';
COMMENT ON FUNCTION @extschema@.dp_score(@extschema@.dp_model, float8[]) IS
  'score of a model: <weights, encoded features>; null if a feature is null or NaN';

CREATE FUNCTION @extschema@.dp_predict(model @extschema@.dp_model, features float8[]) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict';
COMMENT ON FUNCTION @extschema@.dp_predict(@extschema@.dp_model, float8[]) IS
  'prediction of a model: is the score greater than 0?';

CREATE FUNCTION @extschema@.dp_predict_proba(model @extschema@.dp_model, features float8[]) RETURNS float8
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_proba';
COMMENT ON FUNCTION @extschema@.dp_predict_proba(@extschema@.dp_model, float8[]) IS
  'probability of a positive label by a logistic model: 1 / (1 + exp(-score))';

CREATE FUNCTION dpobj.model_hash(model @extschema@.dp_model) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_hash';
COMMENT ON FUNCTION dpobj.model_hash(@extschema@.dp_model) IS
  'SHA-256 over every attribute of a model, as the ledger keeps it';

/*
 * One row per model, or for each key of a release for groups, and per answer of a look or an
 * evaluation of the analyst's door.  The charge worker writes the row in the transaction of the
 * charge, and the model or answer in that of the released event: what was released can be read
 * again even if the session has died.  The owner changes the rest (registry.sql).
 */
CREATE TABLE dpobj.model_rows
(
    release bigint,
    place int DEFAULT 1,
    owner bigint NOT NULL,
    name text,
    request_hash bytea,
    released timestamptz,
    model @extschema@.dp_model,
    key text[],
    answer jsonb,
    charged_as text,
    comment text,
    retired timestamptz,
    deleted timestamptz,
    hash bytea,
    PRIMARY KEY (release, place),
    CONSTRAINT model_name_key UNIQUE (owner, name),
    CONSTRAINT model_released CHECK ((released IS NULL OR deleted IS NOT NULL) = (model IS NULL AND answer IS NULL))
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.model_rows', '');
CREATE TRIGGER model_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.model_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.rename, dpobj.comment, dpobj.retire and dpobj.delete.');
ALTER TABLE dpobj.model_rows ENABLE ALWAYS TRIGGER model_guard;
COMMENT ON TABLE dpobj.model_rows IS 'released models and answers, places for those that are being made, and what is left of deleted ones';
COMMENT ON INDEX dpobj.model_rows_pkey IS 'a release makes one model or answer, or a model for each key';
COMMENT ON INDEX dpobj.model_name_key IS 'a name is unique among the models and answers of a role';
COMMENT ON TRIGGER model_guard ON dpobj.model_rows IS 'refuses changes by hand for everybody but superusers';
COMMENT ON COLUMN dpobj.model_rows.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_rows.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_rows.owner IS 'identity of the session user who was charged';
COMMENT ON COLUMN dpobj.model_rows.name IS 'name that it has now; null: none';
COMMENT ON COLUMN dpobj.model_rows.request_hash IS 'SHA-256 of the request at the analyst''s door; null: an aggregate';
COMMENT ON COLUMN dpobj.model_rows.released IS 'when it was released';
COMMENT ON COLUMN dpobj.model_rows.model IS 'the model; null while there is none, of an answer, and of what was deleted';
COMMENT ON COLUMN dpobj.model_rows.key IS 'key of the group that it is about; null: the whole table';
COMMENT ON COLUMN dpobj.model_rows.answer IS 'answer of a look or an evaluation: an array with an object for each row; null while there is none, of a model, and of what was deleted';
COMMENT ON COLUMN dpobj.model_rows.charged_as IS 'name that was charged, which was followed by the key if there is one; null: it is called so now';
COMMENT ON COLUMN dpobj.model_rows.comment IS 'what the owner says of it; null: nothing';
COMMENT ON COLUMN dpobj.model_rows.retired IS 'when the owner retired the model; null: it is in use';
COMMENT ON COLUMN dpobj.model_rows.deleted IS 'when the owner deleted it; null: it is there';
COMMENT ON COLUMN dpobj.model_rows.hash IS 'of a deleted model: its SHA-256';
-- The state of the training aggregates

CREATE TYPE @extschema@.dp_rows;

CREATE FUNCTION dpobj_internal.rows_in(cstring) RETURNS @extschema@.dp_rows
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_in';
COMMENT ON FUNCTION dpobj_internal.rows_in(cstring) IS 'refuses: a dp_rows has no text form';

CREATE FUNCTION dpobj_internal.rows_out(@extschema@.dp_rows) RETURNS cstring
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_out';
COMMENT ON FUNCTION dpobj_internal.rows_out(@extschema@.dp_rows) IS 'refuses: showing a dp_rows would show rows';

CREATE TYPE @extschema@.dp_rows (
  INPUT = dpobj_internal.rows_in,
  OUTPUT = dpobj_internal.rows_out,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = double,
  STORAGE = extended
);
COMMENT ON TYPE @extschema@.dp_rows IS 'state of the training aggregates; not for use in queries';

CREATE FUNCTION dpobj_internal.rows_combine(@extschema@.dp_rows, @extschema@.dp_rows) RETURNS @extschema@.dp_rows
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_combine';
COMMENT ON FUNCTION dpobj_internal.rows_combine(@extschema@.dp_rows, @extschema@.dp_rows) IS 'adds up two partial training sets';
-- Groups: a model for each key of a public list, in one release

CREATE TYPE @extschema@.dp_group AS (
  key text[],
  model @extschema@.dp_model
);
COMMENT ON TYPE @extschema@.dp_group IS 'a key of a public list and the model of the rows that have it';
COMMENT ON COLUMN @extschema@.dp_group.key IS 'the key: a text for each grouping column';
COMMENT ON COLUMN @extschema@.dp_group.model IS 'the model; epsilon and delta are those of the whole release';

CREATE FUNCTION dpobj_internal.listed_keys(parameters jsonb, OUT place bigint, OUT key text[]) RETURNS SETOF record
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT k.place, ARRAY(SELECT p.part FROM jsonb_array_elements_text(k.key) WITH ORDINALITY p(part, number)
                          ORDER BY p.number)
    FROM jsonb_array_elements(parameters #> '{groups,keys}') WITH ORDINALITY k(key, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.listed_keys(jsonb) IS 'the keys among the parameters of a charge for groups';

CREATE VIEW dpobj.model_groups AS
SELECT m.release, pg_catalog.array_agg(ROW (m.key, m.model)::@extschema@.dp_group ORDER BY m.place) AS groups
  FROM dpobj.model_rows m
 WHERE m.model IS NOT NULL AND m.key IS NOT NULL
 GROUP BY m.release;
COMMENT ON VIEW dpobj.model_groups IS 'the models of releases that have one for each key';
COMMENT ON COLUMN dpobj.model_groups.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_groups.groups IS 'keys and models in the order of the list';
-- Private evaluation: what both doors return

CREATE TYPE @extschema@.dp_confusion_table AS (
  true_positives bigint,
  false_positives bigint,
  false_negatives bigint,
  true_negatives bigint
);
COMMENT ON TYPE @extschema@.dp_confusion_table IS 'noisy numbers of rows by prediction and label; where there are few, the noise can make them negative';
COMMENT ON COLUMN @extschema@.dp_confusion_table.true_positives IS 'predicted positive, labelled positive';
COMMENT ON COLUMN @extschema@.dp_confusion_table.false_positives IS 'predicted positive, labelled negative';
COMMENT ON COLUMN @extschema@.dp_confusion_table.false_negatives IS 'predicted negative, labelled positive';
COMMENT ON COLUMN @extschema@.dp_confusion_table.true_negatives IS 'predicted negative, labelled negative';
-- What a call would cost: from public parameters, for everybody, without a charge

CREATE FUNCTION dpobj.price_aggregate(method text, d integer, epsilon numeric, delta numeric DEFAULT 0,
    options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_price_dimension';
COMMENT ON FUNCTION dpobj.price_aggregate(text, integer, numeric, numeric, jsonb) IS
  'what an aggregate on d features would cost, and how far from the best model it may be; of method accuracy, confusion or select with d models, and of a look with d groups and bins, how far from the truth';

-- Not an overload of dpobj.price: a quoted table name could be taken for a plan.
CREATE FUNCTION dpobj.price_plan(plan jsonb, delta numeric) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_price_plan';
COMMENT ON FUNCTION dpobj.price_plan(jsonb, numeric) IS
  'what a batch of releases costs together under each accountant, at a delta; plan: [{"method", "d", "epsilon", "delta", "options", "count"}, ...]';
-- Functions that read dpobj's tables for callers who may not read them

/*
 * In 0.1.0 these were SECURITY DEFINER functions in SQL: if the extension was dropped while one
 * waited for a lock, it could read other tables of the same names as a superuser.  In C they keep
 * the extension from being dropped first.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.relatives(id bigint) RETURNS bigint[]
  LANGUAGE c STABLE STRICT COST 100 SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_relatives';
COMMENT ON FUNCTION dpobj_internal.relatives(bigint) IS
  'internal: identities of a table, its descendants and all ancestors of these, by what was charged';

-- A value of type dp_model can be forged, the ledger cannot.  For groups the ledger has one hash, over
-- the hashes of all models in the order of their keys.
CREATE OR REPLACE FUNCTION dpobj.verify(model @extschema@.dp_model) RETURNS boolean
  LANGUAGE c STABLE STRICT COST 100 SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_verify';
COMMENT ON FUNCTION dpobj.verify(@extschema@.dp_model) IS
  'was this very model released? compares its hash with the ledger';
-- Shares of models

-- The roles that may use a model.  After a restore OIDs differ, and the name identifies a role.
CREATE TABLE dpobj.model_shares
(
    release bigint,
    place int,
    origin text,
    role oid,
    role_name text NOT NULL,
    PRIMARY KEY (release, place, origin, role)
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.model_shares', '');
CREATE TRIGGER share_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.model_shares
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.share and dpobj.unshare.');
ALTER TABLE dpobj.model_shares ENABLE ALWAYS TRIGGER share_guard;
COMMENT ON TABLE dpobj.model_shares IS 'models that their owners share; written by dpobj.share and dpobj.unshare';
COMMENT ON INDEX dpobj.model_shares_pkey IS 'a model is shared with a role once';
COMMENT ON TRIGGER share_guard ON dpobj.model_shares IS 'refuses changes by hand for everybody but superusers';
COMMENT ON COLUMN dpobj.model_shares.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_shares.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_shares.origin IS 'server and database in which the OID holds, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.model_shares.role IS 'OID of the role there';
COMMENT ON COLUMN dpobj.model_shares.role_name IS 'name that the role had when the model was shared last';

CREATE VIEW dpobj.model_readers AS
SELECT DISTINCT s.release, s.place, r.oid AS role, r.rolname AS role_name
  FROM dpobj.model_shares s
  JOIN pg_catalog.pg_roles r
    ON CASE WHEN s.origin = dpobj_internal.origin() THEN r.oid = s.role ELSE r.rolname = s.role_name END;
COMMENT ON VIEW dpobj.model_readers IS 'roles that models are shared with now';
COMMENT ON COLUMN dpobj.model_readers.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_readers.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_readers.role IS 'OID of the role';
COMMENT ON COLUMN dpobj.model_readers.role_name IS 'its name';

CREATE FUNCTION dpobj.share(name text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_share';
COMMENT ON FUNCTION dpobj.share(text, regrole) IS 'lets a role, with its members, read and use a named model of one''s own';
CREATE FUNCTION dpobj.unshare(name text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_unshare';
COMMENT ON FUNCTION dpobj.unshare(text, regrole) IS 'takes dpobj.share back';
-- Models in use: as JSON, on raw columns, as plain SQL, and as points

CREATE FUNCTION dpobj_internal.model_to_json(model @extschema@.dp_model) RETURNS jsonb
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_to_json';
COMMENT ON FUNCTION dpobj_internal.model_to_json(@extschema@.dp_model) IS 'a model as JSON, from which it comes back the same; behind the cast';
CREATE CAST (@extschema@.dp_model AS jsonb) WITH FUNCTION dpobj_internal.model_to_json(@extschema@.dp_model) AS ASSIGNMENT;
COMMENT ON CAST (@extschema@.dp_model AS jsonb) IS 'a model as a JSON object';

CREATE FUNCTION dpobj_internal.model_from_json(model jsonb) RETURNS @extschema@.dp_model
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_from_json';
COMMENT ON FUNCTION dpobj_internal.model_from_json(jsonb) IS 'a model that was written as JSON; behind the cast';
CREATE CAST (jsonb AS @extschema@.dp_model) WITH FUNCTION dpobj_internal.model_from_json(jsonb) AS ASSIGNMENT;
COMMENT ON CAST (jsonb AS @extschema@.dp_model) IS 'a model that was written as a JSON object';

-- These take a row and find its columns by name.  A name means a model of the current role or one that
-- is shared with it.

CREATE FUNCTION dpobj.predict(name text, "row" record, owner regrole DEFAULT NULL) RETURNS boolean
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_row';
COMMENT ON FUNCTION dpobj.predict(text, record, regrole) IS
  'prediction of a named model for a row with the columns that it was trained on; null where there is none';
CREATE FUNCTION dpobj.predict(model @extschema@.dp_model, "row" record) RETURNS boolean
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_row';
COMMENT ON FUNCTION dpobj.predict(@extschema@.dp_model, record) IS
  'prediction of a model for a row with the columns that it was trained on; null where there is none';

CREATE FUNCTION dpobj.score(name text, "row" record, owner regrole DEFAULT NULL) RETURNS float8
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_score_row';
COMMENT ON FUNCTION dpobj.score(text, record, regrole) IS
  'score of a named model for a row with the columns that it was trained on; null where there is none';
CREATE FUNCTION dpobj.score(model @extschema@.dp_model, "row" record) RETURNS float8
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_score_row';
COMMENT ON FUNCTION dpobj.score(@extschema@.dp_model, record) IS
  'score of a model for a row with the columns that it was trained on; null where there is none';

CREATE FUNCTION dpobj.predict_proba(name text, "row" record, owner regrole DEFAULT NULL) RETURNS float8
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_proba_row';
COMMENT ON FUNCTION dpobj.predict_proba(text, record, regrole) IS
  'probability of a positive label by a named logistic model; null where there is no prediction';
CREATE FUNCTION dpobj.predict_proba(model @extschema@.dp_model, "row" record) RETURNS float8
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_proba_row';
COMMENT ON FUNCTION dpobj.predict_proba(@extschema@.dp_model, record) IS
  'probability of a positive label by a logistic model; null where there is no prediction';

-- Without dpobj

CREATE FUNCTION dpobj.predict_sql(name text, relation text DEFAULT NULL, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_sql_name';
COMMENT ON FUNCTION dpobj.predict_sql(text, text, regrole) IS
  'a named model as a statement for a server without dpobj; relation: the table there, by default that of the training';
CREATE FUNCTION dpobj.predict_sql(model @extschema@.dp_model, relation text DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_sql_model';
COMMENT ON FUNCTION dpobj.predict_sql(@extschema@.dp_model, text) IS
  'a model as a statement for a server without dpobj; one that was trained on arrays reads a column "features"';
-- Jobs: training in the background

/*
 * One row per job.  dpobj.submit writes it in the caller's transaction; later the job's worker and
 * dpobj.cancel do.  No column has a reg* type, because a restore has other OIDs.  Jobs that were
 * queued or running when a dump was made read as failed after its restore.
 */
CREATE TABLE dpobj.job_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    state text NOT NULL DEFAULT 'queued',
    submitted timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    started timestamptz,
    finished timestamptz,
    origin text NOT NULL DEFAULT dpobj_internal.origin(),
    role oid NOT NULL,
    role_name text NOT NULL,
    relation oid NOT NULL,
    relation_name text NOT NULL,
    label text,
    epsilon numeric,
    features text[],
    delta numeric,
    method text,
    options jsonb,
    filter jsonb,
    request_hash bytea NOT NULL,
    release bigint,
    sqlstate text,
    reason text,
    call text,
    CONSTRAINT job_is_one_request CHECK (num_nulls(label, epsilon, delta, method) = CASE WHEN call IS NULL THEN 0 ELSE 4 END),
    CONSTRAINT job_state_known CHECK (state IN ('queued', 'running', 'released', 'failed', 'cancelled')),
    CONSTRAINT job_released_what CHECK (state <> 'released' OR release IS NOT NULL),
    CONSTRAINT job_hash_is_sha256 CHECK (pg_catalog.octet_length(request_hash) = 32),
    CONSTRAINT job_reason_has_code CHECK ((sqlstate IS NULL) = (reason IS NULL))
);
CREATE INDEX job_rows_open_idx ON dpobj.job_rows (id) WHERE state IN ('queued', 'running');
CREATE INDEX job_rows_name_idx ON dpobj.job_rows (role, name);
SELECT pg_catalog.pg_extension_config_dump('dpobj.job_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.job_rows_id_seq', '');
CREATE TRIGGER job_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.job_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.submit and dpobj.cancel.');
ALTER TABLE dpobj.job_rows ENABLE ALWAYS TRIGGER job_guard;
COMMENT ON TABLE dpobj.job_rows IS 'jobs: what was asked for and what became of it';
COMMENT ON SEQUENCE dpobj.job_rows_id_seq IS 'numbers of jobs';
COMMENT ON INDEX dpobj.job_rows_pkey IS 'number of a job';
COMMENT ON INDEX dpobj.job_rows_open_idx IS 'jobs that have not ended';
COMMENT ON INDEX dpobj.job_rows_name_idx IS 'the jobs of a role by their names';
COMMENT ON TRIGGER job_guard ON dpobj.job_rows IS 'refuses changes but for dpobj''s own functions and superusers';
COMMENT ON COLUMN dpobj.job_rows.id IS 'number of the job';
COMMENT ON COLUMN dpobj.job_rows.name IS 'name of the job and of its model or answer';
COMMENT ON COLUMN dpobj.job_rows.state IS 'queued, running, released, failed or cancelled; running without a worker: failed';
COMMENT ON COLUMN dpobj.job_rows.submitted IS 'when it was submitted';
COMMENT ON COLUMN dpobj.job_rows.started IS 'when a worker took it; of one that is queued again, when it was';
COMMENT ON COLUMN dpobj.job_rows.finished IS 'when it ended, with the precision of dpobj.release_tick; null for one whose worker died';
COMMENT ON COLUMN dpobj.job_rows.origin IS 'server and database where the OIDs hold, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.job_rows.role IS 'the session user who submitted it';
COMMENT ON COLUMN dpobj.job_rows.role_name IS 'name that he had then';
COMMENT ON COLUMN dpobj.job_rows.relation IS 'the table';
COMMENT ON COLUMN dpobj.job_rows.relation_name IS 'schema-qualified, quoted name that the table had then';
COMMENT ON COLUMN dpobj.job_rows.label IS 'as for dpobj.train, like the next six';
COMMENT ON COLUMN dpobj.job_rows.epsilon IS 'as it was written';
COMMENT ON COLUMN dpobj.job_rows.delta IS 'as it was written';
COMMENT ON COLUMN dpobj.job_rows.method IS 'method';
COMMENT ON COLUMN dpobj.job_rows.request_hash IS 'SHA-256 of the request, of a model the same as that of dpobj.train';
COMMENT ON COLUMN dpobj.job_rows.release IS 'id of the charge in dpobj.ledger; of a job that found its model there already, of that model';
COMMENT ON COLUMN dpobj.job_rows.sqlstate IS 'of the error that it ended in';
COMMENT ON COLUMN dpobj.job_rows.reason IS 'what the error, or the warning of a released model, said to the public';
COMMENT ON COLUMN dpobj.job_rows.call IS 'function of the answer, whose other arguments are the options; null: dpobj.train';

CREATE FUNCTION dpobj.cancel(job bigint) RETURNS boolean
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_cancel';
COMMENT ON FUNCTION dpobj.cancel(bigint) IS
  'cancels a job of one''s own, or as an administrator; false if it has ended. A charge that was made stays';

CREATE FUNCTION dpobj.wait(job bigint, timeout interval DEFAULT NULL) RETURNS text
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_wait';
COMMENT ON FUNCTION dpobj.wait(bigint, interval) IS
  'waits until a job has ended, or for so long (null: without end); returns its state';

CREATE FUNCTION dpobj_internal.job_list(OUT id bigint, OUT name text, OUT state text, OUT submitted timestamptz,
    OUT started timestamptz, OUT finished timestamptz, OUT phase text, OUT model @extschema@.dp_model,
    OUT relation regclass, OUT relation_name text, OUT submitter text, OUT release bigint,
    OUT sqlstate text, OUT reason text, OUT rows_scanned bigint, OUT rows_total bigint,
    OUT nodes bigint, OUT attempts bigint, OUT gap float8) RETURNS SETOF record
  LANGUAGE C VOLATILE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_job_list';
COMMENT ON FUNCTION dpobj_internal.job_list() IS
  'the jobs that the current role may see, as they are now: dpobj.jobs and dpobj.progress show them';

CREATE VIEW dpobj.jobs WITH (security_barrier) AS
SELECT id, name, state, submitted, started, finished, phase, model, relation, relation_name, submitter,
       release, sqlstate, reason
  FROM dpobj_internal.job_list();
COMMENT ON VIEW dpobj.jobs IS 'jobs of the current role; all of them for superusers, dpobj_admin and dpobj_auditor';
COMMENT ON COLUMN dpobj.jobs.id IS 'number that dpobj.submit returned';
COMMENT ON COLUMN dpobj.jobs.name IS 'name of the job and of its model or answer';
COMMENT ON COLUMN dpobj.jobs.state IS 'queued, running, released, failed or cancelled';
COMMENT ON COLUMN dpobj.jobs.submitted IS 'when it was submitted';
COMMENT ON COLUMN dpobj.jobs.started IS 'when a worker took it; of one that is queued again, when it was';
COMMENT ON COLUMN dpobj.jobs.finished IS 'when it ended, with the precision of dpobj.release_tick; null for one whose worker died';
COMMENT ON COLUMN dpobj.jobs.phase IS 'queued, scanning, solving or releasing; null: it has ended';
COMMENT ON COLUMN dpobj.jobs.model IS 'the model, for its owner and superusers; null while there is none';
COMMENT ON COLUMN dpobj.jobs.relation IS 'the table; null when it has gone';
COMMENT ON COLUMN dpobj.jobs.relation_name IS 'name that the table had when the job was submitted';
COMMENT ON COLUMN dpobj.jobs.submitter IS 'the session user who submitted it and is charged';
COMMENT ON COLUMN dpobj.jobs.release IS 'id of the charge in dpobj.ledger; null: nothing was charged';
COMMENT ON COLUMN dpobj.jobs.sqlstate IS 'of the error that it ended in; null if its worker died';

CREATE VIEW dpobj.progress WITH (security_barrier) AS
SELECT id AS job, name, relation_name, submitter, phase, rows_scanned, rows_total,
       nodes, attempts, gap,
       date_trunc('second', clock_timestamp() - submitted) AS age
  FROM dpobj_internal.job_list()
 WHERE phase IS NOT NULL;
COMMENT ON VIEW dpobj.progress IS 'how far the jobs are that have not ended, as it was at the last tick: SELECT * FROM dpobj.progress \watch 1';
COMMENT ON COLUMN dpobj.progress.job IS 'number of the job';
COMMENT ON COLUMN dpobj.progress.name IS 'its name';
COMMENT ON COLUMN dpobj.progress.relation_name IS 'the table';
COMMENT ON COLUMN dpobj.progress.submitter IS 'the session user who submitted it';
COMMENT ON COLUMN dpobj.progress.phase IS 'queued, scanning, solving or releasing';
COMMENT ON COLUMN dpobj.progress.rows_scanned IS 'rows behind the scan, from the pages that it has passed, in twentieths of all; no filter matters; null where rows_total is';
COMMENT ON COLUMN dpobj.progress.rows_total IS 'how many rows the table has by its public statistics; null where that is no public number: under add_remove, and where persons are protected';
COMMENT ON COLUMN dpobj.progress.nodes IS 'boxes of the grid that the solver has looked into; for the owner of the table only, because it depends on the rows';
COMMENT ON COLUMN dpobj.progress.attempts IS 'attempts of a sampler; for the owner of the table only';
COMMENT ON COLUMN dpobj.progress.gap IS 'by how many misclassified rows the optimum is better, at most, than the best vector so far; for the owner of the table only';
COMMENT ON COLUMN dpobj.progress.age IS 'since it was submitted';

-- A job reads its table after its charge.
COMMENT ON COLUMN dpobj.ledger_events.snapshot IS
  'snapshot that the release read, as pg_current_snapshot() writes it; of a job, that of its charge, just before it read';
-- Schedules: trainings, looks and evaluations that pg_cron starts

/*
 * One row per schedule.  Its role is identified by OID, or by name after a restore, so that a new
 * role with the name of a dropped one does not get its schedules.  Its table is identified by its
 * identity.  pg_cron's own row, in the database of cron.database_name, has only the command.
 */
CREATE TABLE dpobj.schedule_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner oid NOT NULL,
    owner_name text NOT NULL,
    origin text NOT NULL DEFAULT dpobj_internal.origin(),
    name text NOT NULL,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    cron text NOT NULL,
    relation bigint NOT NULL,
    label text,
    epsilon numeric NOT NULL,
    features text[],
    delta numeric,
    method text,
    options jsonb,
    filter jsonb,
    allowance numeric,
    period interval,
    call text,
    CONSTRAINT schedule_name_key UNIQUE (origin, owner, name),
    CONSTRAINT schedule_allowance_has_period CHECK (allowance IS NULL OR period IS NOT NULL),
    CONSTRAINT schedule_is_one_request CHECK (num_nulls(label, delta, method) = CASE WHEN call IS NULL THEN 0 ELSE 3 END)
);

/*
 * How the runs ended, as they recorded it.  The ledger alone decides what was charged and
 * released, because a run can die before it records its end.
 */
CREATE TABLE dpobj.schedule_run_rows
(
    schedule bigint REFERENCES dpobj.schedule_rows ON DELETE CASCADE,
    scheduled timestamptz,
    started timestamptz NOT NULL,
    finished timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    state text NOT NULL,
    sqlstate text,
    message text,
    PRIMARY KEY (schedule, scheduled),
    CONSTRAINT schedule_state_known CHECK (state IN ('released', 'skipped', 'failed'))
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.schedule_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.schedule_rows_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.schedule_run_rows', '');

CREATE TRIGGER schedule_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.schedule_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.schedule, dpobj.schedule_evaluation and dpobj.unschedule.');
CREATE TRIGGER schedule_run_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.schedule_run_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Runs of schedules write it.');
ALTER TABLE dpobj.schedule_rows ENABLE ALWAYS TRIGGER schedule_guard;
ALTER TABLE dpobj.schedule_run_rows ENABLE ALWAYS TRIGGER schedule_run_guard;
COMMENT ON TRIGGER schedule_guard ON dpobj.schedule_rows IS 'refuses changes but for dpobj''s own functions and superusers';
COMMENT ON TRIGGER schedule_run_guard ON dpobj.schedule_run_rows IS 'refuses changes but for dpobj''s own functions and superusers';

COMMENT ON TABLE dpobj.schedule_rows IS 'schedules, written by dpobj''s functions only';
COMMENT ON SEQUENCE dpobj.schedule_rows_id_seq IS 'numbers of schedules';
COMMENT ON INDEX dpobj.schedule_rows_pkey IS 'number of a schedule';
COMMENT ON INDEX dpobj.schedule_name_key IS 'a name is unique among the schedules of a role';
COMMENT ON COLUMN dpobj.schedule_rows.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_rows.owner IS 'OID of the role whose schedule it is, where origin says';
COMMENT ON COLUMN dpobj.schedule_rows.owner_name IS 'name that the role had then';
COMMENT ON COLUMN dpobj.schedule_rows.origin IS 'where the OID holds, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.schedule_rows.name IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedule_rows.at IS 'when it was made or changed';
COMMENT ON COLUMN dpobj.schedule_rows.cron IS 'when it runs: five fields of crontab(5)';
COMMENT ON COLUMN dpobj.schedule_rows.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.schedule_rows.label IS 'label, as for dpobj.train; null: a look or an evaluation';
COMMENT ON COLUMN dpobj.schedule_rows.epsilon IS 'epsilon of one run';
COMMENT ON COLUMN dpobj.schedule_rows.features IS 'features, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.delta IS 'delta of one run; null: a look or an evaluation';
COMMENT ON COLUMN dpobj.schedule_rows.method IS 'method, as for dpobj.train; null: a look or an evaluation';
COMMENT ON COLUMN dpobj.schedule_rows.options IS 'options, as for dpobj.train; of a look or an evaluation its arguments';
COMMENT ON COLUMN dpobj.schedule_rows.filter IS 'filter, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.allowance IS 'epsilon that its runs may cost together in a period; null: no limit but the budgets''';
COMMENT ON COLUMN dpobj.schedule_rows.period IS 'period of the allowance';
COMMENT ON COLUMN dpobj.schedule_rows.call IS 'function of the look or evaluation; null: dpobj.train';
COMMENT ON TABLE dpobj.schedule_run_rows IS 'the last thousand runs of each schedule, as they ended';
COMMENT ON INDEX dpobj.schedule_run_rows_pkey IS 'a scheduled time has one run, however often it is tried';
COMMENT ON COLUMN dpobj.schedule_run_rows.schedule IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_run_rows.scheduled IS 'scheduled time';
COMMENT ON COLUMN dpobj.schedule_run_rows.started IS 'when the run was started';
COMMENT ON COLUMN dpobj.schedule_run_rows.finished IS 'when it ended';
COMMENT ON COLUMN dpobj.schedule_run_rows.state IS 'released, skipped or failed';
COMMENT ON COLUMN dpobj.schedule_run_rows.sqlstate IS 'SQLSTATE that a caller of the function would have got; null: none';
COMMENT ON COLUMN dpobj.schedule_run_rows.message IS 'its message and detail; never about a row';

-- ---- times and pg_cron ----

CREATE FUNCTION dpobj_internal.cron_time(cron text, at timestamp, following boolean DEFAULT false) RETURNS timestamp
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_time';
COMMENT ON FUNCTION dpobj_internal.cron_time(text, timestamp, boolean) IS
  'the last time up to a given one that a cron schedule names, or the first one that follows it; on pg_cron''s clock';

CREATE FUNCTION dpobj_internal.cron_database() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_database';
COMMENT ON FUNCTION dpobj_internal.cron_database() IS
  'the database that pg_cron has its jobs in; null: the server has not loaded pg_cron';

CREATE FUNCTION dpobj_internal.cron_timezone() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_timezone';
COMMENT ON FUNCTION dpobj_internal.cron_timezone() IS
  'the time zone of pg_cron''s schedules; null: GMT, as always before pg_cron 1.5';

CREATE FUNCTION dpobj_internal.schedule_time(cron text, at timestamptz, following boolean DEFAULT false) RETURNS timestamptz
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.cron_time($1, $2 AT TIME ZONE z.zone, $3) AT TIME ZONE z.zone
      FROM (SELECT coalesce(dpobj_internal.cron_timezone(), 'GMT') AS zone) z
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_time(text, timestamptz, boolean) IS
  'the last scheduled time up to a given one, or the first one that follows it';

CREATE FUNCTION dpobj_internal.schedule_model(name text, scheduled timestamptz) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT $1 || to_char($2 AT TIME ZONE 'GMT', ' YYYY-MM-DD HH24:MI') $$;
COMMENT ON FUNCTION dpobj_internal.schedule_model(text, timestamptz) IS
  'name of the model or answer of a scheduled time: the schedule''s, and the time in GMT';

-- Computes the time instead of casting it: a model may have any name, and no name may raise an error.
-- Uses [0-9], because \d matches other digits in some locales.
CREATE FUNCTION dpobj_internal.schedule_of_model(model text, OUT name text, OUT scheduled timestamptz) RETURNS record
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT p.name, p.scheduled
      FROM (SELECT m[1] AS name,
                   (timestamp '2000-01-01' + make_interval(months => 12 * (m[2]::integer - 2000) + m[3]::integer - 1,
                      days => m[4]::integer - 1, hours => m[5]::integer, mins => m[6]::integer)) AT TIME ZONE 'GMT'
                     AS scheduled
              FROM regexp_match($1, '^(.+) ([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9]{2}):([0-9]{2})$') m) p
     WHERE dpobj_internal.schedule_model(p.name, p.scheduled) = $1
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_of_model(text) IS
  'the other way round; nulls for the name of a model that no schedule can have made';

CREATE FUNCTION dpobj_internal.cron_command(name text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT format('CALL dpobj.run_schedule(%L)', $1) $$;
COMMENT ON FUNCTION dpobj_internal.cron_command(text) IS
  'what pg_cron runs for a schedule of that name';

-- A job's name has type name, and is unique for a role in all databases.  A database with a blank in its
-- name is quoted, whatever quote_all_identifiers says, so that "a b" and "c" differ from "a" and "b c".
CREATE FUNCTION dpobj_internal.cron_jobname(name text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN octet_length(j.name) < 64 THEN j.name ELSE 'dpobj ' || md5(j.name) END
      FROM (SELECT format('dpobj %s %s', CASE WHEN d.name ~ '[ "]' THEN '"' || replace(d.name, '"', '""') || '"'
                                         ELSE d.name END, $1) AS name
              FROM current_database() d(name)) j
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_jobname(text) IS
  'name of pg_cron''s job for a schedule of that name';

CREATE FUNCTION dpobj_internal.cron_statement(name text, cron text, role text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('SELECT cron.schedule_in_database(%L, %L, %L, %L, %L);', dpobj_internal.cron_jobname($1), $2,
                  dpobj_internal.cron_command($1), current_database(), $3)
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_statement(text, text, text) IS
  'what a superuser runs in the database of pg_cron, so that it knows a schedule';

/*
 * Runs as its caller, so that row-level security of cron.job applies.  It looks for the extension,
 * because any role might have made a schema cron.
 */
CREATE FUNCTION dpobj_internal.cron_is_here() RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(dpobj_internal.cron_database() = current_database(), false)
       AND EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron')
       AND EXISTS (SELECT FROM pg_namespace n
                   WHERE n.nspname = 'cron' AND has_schema_privilege(n.oid, 'USAGE'))
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_is_here() IS
  'has this database pg_cron''s jobs, and may the caller use them?';

CREATE FUNCTION dpobj_internal.cron_job(name text, role text) RETURNS bigint
  LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    job bigint;
  BEGIN
    IF dpobj_internal.cron_is_here() THEN
      EXECUTE 'SELECT j.jobid FROM cron.job j WHERE j.command = $1 AND j.username = $2'
              ' AND j.database = current_database() ORDER BY j.jobid LIMIT 1'
        INTO job USING dpobj_internal.cron_command($1), $2;
    END IF;
    RETURN job;
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.cron_job(text, text) IS
  'pg_cron''s job for a role''s schedule; null: there is none that the caller may see from here';

-- ---- views ----

CREATE FUNCTION dpobj_internal.administers() RETURNS boolean
  LANGUAGE C STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_administers';
COMMENT ON FUNCTION dpobj_internal.administers() IS
  'may the caller administer? superusers and those to whom a superuser granted dpobj_admin';

CREATE VIEW dpobj.schedule_owners AS
SELECT s.id,
       r.oid AS role,
       r.rolname AS role_name
  FROM dpobj.schedule_rows s
  LEFT JOIN pg_catalog.pg_roles r
    ON CASE WHEN s.origin = dpobj_internal.origin() THEN r.oid = s.owner ELSE r.rolname = s.owner_name END;
COMMENT ON VIEW dpobj.schedule_owners IS 'whose schedules they are now';
COMMENT ON COLUMN dpobj.schedule_owners.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_owners.role IS 'OID of the role; null when it has gone';
COMMENT ON COLUMN dpobj.schedule_owners.role_name IS 'its name now';

-- ---- runs ----

CREATE FUNCTION dpobj_internal.schedule_enter() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_schedule_enter';
COMMENT ON FUNCTION dpobj_internal.schedule_enter() IS
  'internal: waits for the other releases of the session''s role; they wait until the end of the transaction';

CREATE FUNCTION dpobj_internal.schedule_record(name text, scheduled timestamptz, started timestamptz, state text,
    sqlstate text, message text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_record';
COMMENT ON FUNCTION dpobj_internal.schedule_record(text, timestamptz, timestamptz, text, text, text) IS
  'internal: writes how a run of one''s own ended';

-- ---- making and removing ----

CREATE FUNCTION dpobj_internal.schedule_remove(name text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_remove';
COMMENT ON FUNCTION dpobj_internal.schedule_remove(text, regrole) IS
  'internal: removes a schedule, which pg_cron may still know';

CREATE FUNCTION dpobj.unschedule(name text, role regrole DEFAULT NULL) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    owner constant text := coalesce((SELECT r.rolname FROM pg_roles r WHERE r.oid = $2), session_user);
    job constant bigint := dpobj_internal.cron_job($1, owner);
  BEGIN
    PERFORM dpobj_internal.schedule_remove($1, $2);
    IF job IS NOT NULL THEN
      EXECUTE 'SELECT cron.unschedule($1)' USING job;
    ELSIF owner <> session_user OR NOT dpobj_internal.cron_is_here() THEN
      RAISE NOTICE 'pg_cron may still know schedule "%"', $1
        USING DETAIL = 'Each start of it will fail.',
              HINT = format('A superuser can run in the database of pg_cron: SELECT cron.unschedule(jobid) FROM cron.job '
                            'WHERE command = %L AND username = %L AND database = %L;', dpobj_internal.cron_command($1), owner,
                            current_database());
    END IF;
  END
  $$;
COMMENT ON FUNCTION dpobj.unschedule(text, regrole) IS
  'removes a schedule and pg_cron''s job; of another role''s for administrators. Models, answers and charges stay';
-- Tables whose rows are on several servers: what administrators declare on the server of a part

/*
 * One row per table that is a part of a table on another server, by its identity, as for protections.
 * A part releases nothing by itself: the charge of a release is refused.  Identities outlive DROP TABLE,
 * so the row also has the table that was marked: a later one of that name may be anybody's, and its rows
 * are not for the coordinator.
 */
CREATE TABLE dpobj.parts
(
    relation bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    coordinator text NOT NULL,
    role bigint NOT NULL,
    origin text NOT NULL,
    object oid NOT NULL
);
SELECT pg_catalog.pg_extension_config_dump('dpobj.parts', '');

CREATE TRIGGER part_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.parts
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('Use dpobj.mark_part and dpobj.unmark_part.');
ALTER TABLE dpobj.parts ENABLE ALWAYS TRIGGER part_guard;
COMMENT ON TRIGGER part_guard ON dpobj.parts IS 'refuses changes but for dpobj''s own functions and superusers';

COMMENT ON TABLE dpobj.parts IS 'declarations of dpobj.mark_part, one row per table';
COMMENT ON INDEX dpobj.parts_pkey IS 'a table is a part of one table';
COMMENT ON COLUMN dpobj.parts.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.parts.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.parts.coordinator IS 'the table that it is a part of: database, schema and name on the other server';
COMMENT ON COLUMN dpobj.parts.role IS 'identity of the role as which the other server connects';
COMMENT ON COLUMN dpobj.parts.origin IS 'server and database in which it was declared, as dpobj_internal.origin() says it';
COMMENT ON COLUMN dpobj.parts.object IS 'OID of the table there';

CREATE FUNCTION dpobj.mark_part(relation regclass, coordinator text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_mark_part';
COMMENT ON FUNCTION dpobj.mark_part(regclass, text, regrole) IS
  'declares a table as a part of a table on another server, which connects as the role; for administrators';

CREATE FUNCTION dpobj.unmark_part(relation regclass) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_unmark_part';
COMMENT ON FUNCTION dpobj.unmark_part(regclass) IS
  'takes a declaration of dpobj.mark_part back; for administrators';

CREATE FUNCTION dpobj_internal.part(message bytea) RETURNS bytea
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_part';
COMMENT ON FUNCTION dpobj_internal.part(bytea) IS
  'internal: answers the server of a table that a marked table is a part of, for the role of the mark only';
-- Looks: private counts, sums, averages, histograms, quantiles, profiles and suggestions; what both doors return, and the analyst's door

CREATE TYPE @extschema@.dp_look AS (
  value float8,
  low float8,
  high float8,
  level float8
);
COMMENT ON TYPE @extschema@.dp_look IS 'a number with noise, and where the truth is';
COMMENT ON COLUMN @extschema@.dp_look.value IS 'the number with its noise; a count of few rows may be negative';
COMMENT ON COLUMN @extschema@.dp_look.low IS 'the truth is not below it, but for a chance of 1 - level for both ends';
COMMENT ON COLUMN @extschema@.dp_look.high IS 'nor above it';
COMMENT ON COLUMN @extschema@.dp_look.level IS 'how sure the interval is';

CREATE TYPE @extschema@.dp_average AS (
  value float8,
  low float8,
  high float8,
  rows bigint,
  level float8
);
COMMENT ON TYPE @extschema@.dp_average IS 'an average with noise, and where the truth is';
COMMENT ON COLUMN @extschema@.dp_average.value IS 'the average with its noise; null where no rows are left of the noise';
COMMENT ON COLUMN @extschema@.dp_average.low IS 'the truth is not below it, but for a chance of 1 - level for both ends';
COMMENT ON COLUMN @extschema@.dp_average.high IS 'nor above it';
COMMENT ON COLUMN @extschema@.dp_average.rows IS 'number of rows with a value, with noise';
COMMENT ON COLUMN @extschema@.dp_average.level IS 'how sure the interval is';

CREATE TYPE @extschema@.dp_bin AS (
  bin text,
  value float8,
  low float8,
  high float8,
  level float8
);
COMMENT ON TYPE @extschema@.dp_bin IS 'a bin of a histogram and its noisy number of rows';
COMMENT ON COLUMN @extschema@.dp_bin.bin IS 'a range, a level, NULL, or other';
COMMENT ON COLUMN @extschema@.dp_bin.value IS 'number of rows with its noise; where there are few, it may be negative';
COMMENT ON COLUMN @extschema@.dp_bin.low IS 'the truth is not below it, but for a chance of 1 - level for both ends of this bin';
COMMENT ON COLUMN @extschema@.dp_bin.high IS 'nor above it';
COMMENT ON COLUMN @extschema@.dp_bin.level IS 'how sure the interval is';

CREATE TYPE @extschema@.dp_quantile AS (
  quantile float8,
  value float8,
  rank_error bigint,
  level float8
);
COMMENT ON TYPE @extschema@.dp_quantile IS 'a private quantile, and how far its rank may be off';
COMMENT ON COLUMN @extschema@.dp_quantile.quantile IS 'the share of rows that is wanted below the value, rounded to millionths';
COMMENT ON COLUMN @extschema@.dp_quantile.value IS 'a value of the public grid';
COMMENT ON COLUMN @extschema@.dp_quantile.rank_error IS 'its rank is at most so many rows and 4 millionths of all rows off, but for a chance of 1 - level for all quantiles of the call';
COMMENT ON COLUMN @extschema@.dp_quantile.level IS 'how sure the bound is';

CREATE FUNCTION dpobj.count(relation regclass, epsilon numeric, by text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], value float8, low float8, high float8, level float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_count';
COMMENT ON FUNCTION dpobj.count(regclass, numeric, text[], jsonb, jsonb, text) IS
  'private number of rows of a protected table, or of each combination of declared values of the columns in by';

CREATE FUNCTION dpobj.sum(relation regclass, "column" text, epsilon numeric, by text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], value float8, low float8, high float8, level float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_sum';
COMMENT ON FUNCTION dpobj.sum(regclass, text, numeric, text[], jsonb, jsonb, text) IS
  'private sum of a column of a protected table, its values clipped to public bounds';

CREATE FUNCTION dpobj.avg(relation regclass, "column" text, epsilon numeric, by text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], value float8, low float8, high float8, rows bigint, level float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_avg';
COMMENT ON FUNCTION dpobj.avg(regclass, text, numeric, text[], jsonb, jsonb, text) IS
  'private average of a column of a protected table, its values clipped to public bounds';

CREATE FUNCTION dpobj.histogram(relation regclass, "column" text, epsilon numeric, by text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], bin text, value float8, low float8, high float8, level float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_histogram';
COMMENT ON FUNCTION dpobj.histogram(regclass, text, numeric, text[], jsonb, jsonb, text) IS
  'private number of rows in each declared bin or level of a column of a protected table, of NULLs and of other values';

CREATE FUNCTION dpobj.quantiles(relation regclass, "column" text, quantiles float8[], epsilon numeric, by text[] DEFAULT NULL,
    filter jsonb DEFAULT NULL, options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], quantile float8, value float8, rank_error bigint, level float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_quantiles';
COMMENT ON FUNCTION dpobj.quantiles(regclass, text, float8[], numeric, text[], jsonb, jsonb, text) IS
  'private quantiles of a column of a protected table, its values clipped to public bounds';

CREATE FUNCTION dpobj.profile(relation regclass, epsilon numeric, columns text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE ("column" text, bin text, rows float8, low float8, high float8, share float8, bar text)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_profile';
COMMENT ON FUNCTION dpobj.profile(regclass, numeric, text[], jsonb, jsonb, text) IS
  'private number of rows that a training can use, and in each bin of each declared column: levels, NULL, other, outside the clip';

CREATE FUNCTION dpobj.suggest(relation regclass, epsilon numeric, columns jsonb, filter jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS jsonb
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_suggest';
COMMENT ON FUNCTION dpobj.suggest(regclass, numeric, jsonb, jsonb, text) IS
  'a declaration for dpobj.protect: what is declared, and encoders from public ranges and lists of levels, and private quantiles and counts';

CREATE FUNCTION dpobj.residuals(model text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (measure text, value float8, low float8, high float8, sample_low float8, sample_high float8, level float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_residuals';
COMMENT ON FUNCTION dpobj.residuals(text, regclass, numeric, jsonb, jsonb, text) IS
  'private R-squared and mean absolute error of a named model of one''s own that predicts a number, on a protected table';

CREATE FUNCTION dpobj.auc(model text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (value float8, low float8, high float8, sample_low float8, sample_high float8, ties float8, level float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_auc';
COMMENT ON FUNCTION dpobj.auc(text, regclass, numeric, jsonb, jsonb, text) IS
  'private AUC of a named model of one''s own with two classes on a protected table, from a histogram of its scores, and half the share of pairs that share a bin';

CREATE FUNCTION dpobj.calibration(model text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (bin_low float8, bin_high float8, rows bigint, share float8, low float8, high float8, sample_low float8, sample_high float8, level float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_calibration';
COMMENT ON FUNCTION dpobj.calibration(text, regclass, numeric, jsonb, jsonb, text) IS
  'private share of positive rows in each bin of the probability that a named model of one''s own predicts, on a protected table';
-- The owner's door: aggregates and a window function, each with and without options

/*
 * A label is a boolean or an integer, which is checked before a row is looked at.  epsilon and
 * delta are the shortest decimals that read back as the same float8 (src/server/base/decimal.h).
 */
CREATE OR REPLACE FUNCTION dpobj_internal.train_final(@extschema@.dp_rows) RETURNS @extschema@.dp_model
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_train_final';
COMMENT ON FUNCTION dpobj_internal.train_final(@extschema@.dp_rows) IS 'charges, solves and releases: a model';

CREATE OR REPLACE FUNCTION dpobj_internal.groups_final(internal) RETURNS @extschema@.dp_group[]
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_groups_final';
COMMENT ON FUNCTION dpobj_internal.groups_final(internal) IS 'charges, solves and releases: a model for each key';

CREATE OR REPLACE FUNCTION dpobj_internal.counts_combine(bytea, bytea) RETURNS bytea
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_evaluation_combine';
COMMENT ON FUNCTION dpobj_internal.counts_combine(bytea, bytea) IS 'adds up two partial vectors of counts';

CREATE OR REPLACE FUNCTION dpobj_internal.accuracy_final(bytea) RETURNS float8
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_accuracy_final';
COMMENT ON FUNCTION dpobj_internal.accuracy_final(bytea) IS 'charges and releases: private accuracy of a model';

CREATE OR REPLACE FUNCTION dpobj_internal.confusion_final(bytea) RETURNS @extschema@.dp_confusion_table
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_confusion_final';
COMMENT ON FUNCTION dpobj_internal.confusion_final(bytea) IS 'charges and releases: private confusion table of a model';

CREATE OR REPLACE FUNCTION dpobj_internal.class_confusion_final(bytea) RETURNS bigint[]
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_class_confusion_final';
COMMENT ON FUNCTION dpobj_internal.class_confusion_final(bytea) IS 'charges and releases: private confusion table of a model of several classes';

CREATE OR REPLACE FUNCTION dpobj_internal.select_final(bytea) RETURNS integer
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_select_final';
COMMENT ON FUNCTION dpobj_internal.select_final(bytea) IS 'charges and releases: private choice among models';

CREATE OR REPLACE FUNCTION dpobj_internal.look_final(bytea) RETURNS @extschema@.dp_look
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_look_final';
COMMENT ON FUNCTION dpobj_internal.look_final(bytea) IS 'charges and releases: a private count or sum';

CREATE OR REPLACE FUNCTION dpobj_internal.average_final(bytea) RETURNS @extschema@.dp_average
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_average_final';
COMMENT ON FUNCTION dpobj_internal.average_final(bytea) IS 'charges and releases: a private average';

CREATE OR REPLACE FUNCTION dpobj_internal.quantiles_final(bytea) RETURNS @extschema@.dp_quantile[]
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_quantiles_final';
COMMENT ON FUNCTION dpobj_internal.quantiles_final(bytea) IS 'charges and releases: private quantiles';

CREATE OR REPLACE FUNCTION dpobj_internal.histogram_final(bytea) RETURNS @extschema@.dp_bin[]
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_histogram_final';
COMMENT ON FUNCTION dpobj_internal.histogram_final(bytea) IS 'charges and releases: a private histogram';

DO $body$
DECLARE
  home constant text := '@extschema@';
  rows constant text := 'features float8[], label anyelement, epsilon float8';
  looks constant text[] := ARRAY['epsilon float8', 'value float8, low float8, high float8, epsilon float8',
    'value float8, bins float8[], epsilon float8', 'value text, levels text[], epsilon float8',
    'value float8, quantiles float8[], low float8, high float8, epsilon float8'];
  made record;
BEGIN
  FOR made IN
    SELECT * FROM (VALUES
      ('train', home || '.dp_rows', rows || ', delta float8', 'adds one row to a training set'),
      ('train', home || '.dp_rows', rows || ', delta float8, options jsonb', 'adds one row to a training set'),
      ('groups', 'internal', 'key text, ' || rows || ', delta float8, options jsonb', 'adds one row to the training set of its group'),
      ('groups', 'internal', 'key text[], ' || rows || ', delta float8, options jsonb', 'adds one row to the training set of its group'),
      ('evaluation', 'bytea', 'name text, ' || rows, 'counts one row by predictions and label'),
      ('evaluation', 'bytea', 'model ' || home || '.dp_model, ' || rows, 'counts one row by predictions and label'),
      ('evaluation', 'bytea', 'models ' || home || '.dp_model[], ' || rows, 'counts one row by predictions and label'))
      v(family, state, arguments, what)
     UNION ALL
    SELECT 'look', 'bytea', look || options, 'adds one row to a look'
      FROM unnest(looks) look, unnest(ARRAY['', ', options jsonb']) options
  LOOP
    EXECUTE format(
      $$CREATE OR REPLACE FUNCTION dpobj_internal.%1$s_accumulate(state %2$s, %3$s) RETURNS %2$s
        LANGUAGE C IMMUTABLE PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'dpobj_%1$s_accumulate'$$, made.family, made.state, made.arguments);
    EXECUTE format('COMMENT ON FUNCTION dpobj_internal.%s_accumulate(state %s, %s) IS %L',
                   made.family, made.state, made.arguments, made.what);
  END LOOP;

  FOR made IN
    WITH trainers(name, label, combine, what) AS (VALUES
      ('halfspace', 'label anyelement', 'rows_combine', 'private halfspace'),
      -- No COMBINEFUNC: the state may be on disk, where no other process can combine it.
      ('logistic', 'label anyelement', NULL, 'private logistic regression'),
      ('svm', 'label anyelement', NULL, 'private support vector machine'),
      ('classifier', 'label anyelement', NULL, 'private halfspace or logistic regression, chosen from public parameters'),
      ('softmax', 'label anyelement', NULL, 'private softmax regression: a class of those that options name as "classes"'),
      ('one_vs_rest', 'label anyelement', NULL, 'private halfspaces, one for each class of those that options name as "classes"'),
      ('simplex', 'target float8', NULL, 'private regression with weights on the simplex'),
      ('linear', 'target float8', NULL, 'private linear regression'))
    SELECT name, format('features float8[], %s, epsilon float8, delta float8%s', label, options) AS arguments,
           'train' AS family, home || '.dp_rows' AS state, 'train' AS final, combine, what
      FROM trainers, unnest(ARRAY['', ', options jsonb']) options
     WHERE name NOT IN ('softmax', 'one_vs_rest') OR options <> ''
     UNION ALL
    SELECT 'groups', format('%s, %s, delta float8, options jsonb', key, rows), 'groups', 'internal', 'groups', NULL,
           'a private model for each key of a list, which options name as "keys"'
      FROM unnest(ARRAY['key text', 'key text[]']) key
     UNION ALL
    SELECT name, format('%s, %s', subject, rows), 'evaluation', 'bytea', name, 'counts_combine', what
      FROM (VALUES
        ('accuracy', 'name text', 'private accuracy of a model; null: too much noise'),
        ('accuracy', 'model ' || home || '.dp_model', 'private accuracy of a model; null: too much noise'),
        ('confusion', 'name text', 'private confusion table of a model'),
        ('confusion', 'model ' || home || '.dp_model', 'private confusion table of a model'),
        ('class_confusion', 'name text', 'private confusion table of a model of several classes: a row for each predicted class, an element for each class of the label'),
        ('class_confusion', 'model ' || home || '.dp_model', 'private confusion table of a model of several classes: a row for each predicted class, an element for each class of the label'),
        ('select', 'models ' || home || '.dp_model[]', 'private choice of a good one among models: its number, from 1'))
        v(name, subject, what)
     UNION ALL
    SELECT name, looks[place] || options, 'look', 'bytea', final, 'counts_combine', what
      FROM (VALUES
        ('count', 1, 'look', 'private number of rows'),
        ('sum', 2, 'look', 'private sum of values, clipped to public bounds'),
        ('avg', 2, 'average', 'private average of values, clipped to public bounds'),
        ('histogram', 3, 'histogram', 'private number of rows in each bin'),
        ('histogram', 4, 'histogram', 'private number of rows with each level'),
        ('quantiles', 5, 'quantiles', 'private quantiles of values, clipped to public bounds'))
        v(name, place, final, what), unnest(ARRAY['', ', options jsonb']) options
  LOOP
    EXECUTE format(
      $$CREATE OR REPLACE AGGREGATE %s.dp_%s(%s) (
        SFUNC = dpobj_internal.%s_accumulate,
        STYPE = %s,
        %s
        FINALFUNC = dpobj_internal.%s_final,
        FINALFUNC_MODIFY = READ_WRITE,
        PARALLEL = SAFE)$$, home, made.name, made.arguments, made.family, made.state,
      'COMBINEFUNC = dpobj_internal.' || made.combine || ',', made.final);
    EXECUTE format('COMMENT ON AGGREGATE %s.dp_%s(%s) IS %L', home, made.name, made.arguments, made.what);
  END LOOP;
END
$body$;

CREATE OR REPLACE FUNCTION @extschema@.dp_ftrl(costs float8[], epsilon float8, delta float8) RETURNS integer
  LANGUAGE C WINDOW VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_ftrl';
COMMENT ON FUNCTION @extschema@.dp_ftrl(float8[], float8, float8) IS
  'private online learning, a choice for each row';

CREATE OR REPLACE FUNCTION @extschema@.dp_ftrl(costs float8[], epsilon float8, delta float8, options jsonb) RETURNS integer
  LANGUAGE C WINDOW VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_ftrl';
COMMENT ON FUNCTION @extschema@.dp_ftrl(float8[], float8, float8, jsonb) IS
  'private online learning, a choice for each row';
-- Models of several classes

CREATE OR REPLACE FUNCTION @extschema@.dp_predict_class(model @extschema@.dp_model, features float8[]) RETURNS text
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class';
COMMENT ON FUNCTION @extschema@.dp_predict_class(@extschema@.dp_model, float8[]) IS
  'prediction of a model of several classes: the class of the highest score; null if a feature is null or NaN';

CREATE OR REPLACE FUNCTION @extschema@.dp_predict_class_proba(model @extschema@.dp_model, features float8[]) RETURNS float8[]
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class_proba';
COMMENT ON FUNCTION @extschema@.dp_predict_class_proba(@extschema@.dp_model, float8[]) IS
  'probability of each class by a softmax model, in the order of the classes; null if a feature is null or NaN';

-- On the columns of a row, like dpobj.predict.

CREATE OR REPLACE FUNCTION dpobj.predict_class(name text, "row" record, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class_row';
COMMENT ON FUNCTION dpobj.predict_class(text, record, regrole) IS
  'class that a named model of several classes predicts for a row with the columns that it was trained on; null where there is none';
CREATE OR REPLACE FUNCTION dpobj.predict_class(model @extschema@.dp_model, "row" record) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class_row';
COMMENT ON FUNCTION dpobj.predict_class(@extschema@.dp_model, record) IS
  'class that a model of several classes predicts for a row with the columns that it was trained on; null where there is none';

CREATE OR REPLACE FUNCTION dpobj.predict_class_proba(name text, "row" record, owner regrole DEFAULT NULL) RETURNS float8[]
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class_proba_row';
COMMENT ON FUNCTION dpobj.predict_class_proba(text, record, regrole) IS
  'probability of each class by a named softmax model, in the order of the classes; null where there is no prediction';
CREATE OR REPLACE FUNCTION dpobj.predict_class_proba(model @extschema@.dp_model, "row" record) RETURNS float8[]
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_predict_class_proba_row';
COMMENT ON FUNCTION dpobj.predict_class_proba(@extschema@.dp_model, record) IS
  'probability of each class by a softmax model, in the order of the classes; null where there is no prediction';

CREATE OR REPLACE FUNCTION dpobj.class_confusion(model text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS bigint[]
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_class_confusion';
COMMENT ON FUNCTION dpobj.class_confusion(text, regclass, numeric, jsonb, jsonb, text) IS
  'private confusion table of a named model of several classes of one''s own on a protected table: a row for each predicted class, an element for each class of the label';
-- Private evaluation and selection at the analyst's door, and what is kept of answers

CREATE OR REPLACE FUNCTION dpobj.evaluate(model text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS float8
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_evaluate';
COMMENT ON FUNCTION dpobj.evaluate(text, regclass, numeric, jsonb, jsonb, text) IS
  'private estimate of the accuracy of a named model of one''s own on a protected table, or of R-squared if it predicts a number; null: too much noise';

CREATE OR REPLACE FUNCTION dpobj.confusion(model text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS @extschema@.dp_confusion_table
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_confusion';
COMMENT ON FUNCTION dpobj.confusion(text, regclass, numeric, jsonb, jsonb, text) IS
  'private confusion table of a named model of one''s own on a protected table';

CREATE OR REPLACE FUNCTION dpobj.select(models text[], relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS text
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_select';
COMMENT ON FUNCTION dpobj.select(text[], regclass, numeric, jsonb, jsonb, text) IS
  'private choice of a good one among named models of one''s own on a protected table; one charge, however many they are';

-- Of all roles: views on it choose whose their readers may see.
CREATE VIEW dpobj.kept_answers AS
SELECT m.name,
       coalesce(e.parameters ->> 'evaluation', e.parameters ->> 'look') AS kind,
       CASE WHEN dpobj_internal.table_named(e.relation_name) = e.relation THEN e.relation::regclass END AS relation,
       e.relation_name,
       m.answer,
       coalesce(r.role_name, r.recorded_name) AS owner,
       m.released AS created,
       m.release,
       e.parameters,
       m.comment,
       coalesce(r.role_name = current_user, false)
         OR EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.rolname = current_user AND s.rolsuper) AS owns
  FROM dpobj.model_rows m
  JOIN dpobj.ledger_events e ON e.id = m.release
  JOIN dpobj.identity_roles r ON r.id = m.owner
 WHERE m.answer IS NOT NULL;
COMMENT ON VIEW dpobj.kept_answers IS 'released answers of looks and evaluations of all roles';
COMMENT ON COLUMN dpobj.kept_answers.name IS 'name of the answer; null: none';
COMMENT ON COLUMN dpobj.kept_answers.kind IS 'accuracy, confusion, select, or the name of the look';
COMMENT ON COLUMN dpobj.kept_answers.relation IS 'the table; null when no table has the recorded OID and name any more';
COMMENT ON COLUMN dpobj.kept_answers.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.kept_answers.answer IS 'what the call has returned: an array with an object for each row';
COMMENT ON COLUMN dpobj.kept_answers.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.kept_answers.created IS 'when it was released';
COMMENT ON COLUMN dpobj.kept_answers.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.kept_answers.parameters IS 'public parameters of the charge, as in dpobj.ledger';
COMMENT ON COLUMN dpobj.kept_answers.comment IS 'what its owner says of it; null: nothing';
COMMENT ON COLUMN dpobj.kept_answers.owns IS 'is it the current role''s own, or is this role a superuser?';

CREATE OR REPLACE VIEW dpobj.answers WITH (security_barrier) AS
SELECT k.name, k.kind, k.relation, k.relation_name, k.answer, k.owner, k.created, k.release, k.parameters, k.comment
  FROM dpobj.kept_answers k
 WHERE k.owns;
COMMENT ON VIEW dpobj.answers IS 'released answers of the current role''s looks and evaluations; all of them for superusers';
COMMENT ON COLUMN dpobj.answers.name IS 'name given to the call, or to dpobj.rename; null: none';
COMMENT ON COLUMN dpobj.answers.kind IS 'accuracy, confusion, select, or the name of the look';
COMMENT ON COLUMN dpobj.answers.relation IS 'the table; null when no table has the recorded OID and name any more';
COMMENT ON COLUMN dpobj.answers.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.answers.answer IS 'what the call has returned: an array with an object for each row';
COMMENT ON COLUMN dpobj.answers.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.answers.created IS 'when it was released';
COMMENT ON COLUMN dpobj.answers.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.answers.parameters IS 'public parameters of the charge, as in dpobj.ledger';
COMMENT ON COLUMN dpobj.answers.comment IS 'what its owner says of it; null: nothing';

CREATE OR REPLACE VIEW dpobj.evaluations WITH (security_barrier) AS
SELECT a.name,
       a.kind,
       ARRAY(SELECT m.name
               FROM ROWS FROM (pg_catalog.jsonb_array_elements_text(
                                 CASE WHEN a.parameters ? 'models' THEN a.parameters -> 'models'
                                      ELSE pg_catalog.jsonb_build_array(a.parameters -> 'model') END),
                               pg_catalog.jsonb_array_elements(a.parameters -> 'keys')) WITH ORDINALITY i(release, key, place)
               LEFT JOIN dpobj.model_rows m
                 ON m.release = i.release::bigint AND m.deleted IS NULL
                AND coalesce((m.model).details #> '{group,key}', 'null') = coalesce(i.key, 'null')
              ORDER BY i.place) AS models,
       (a.answer -> 0 ->> 'value')::float8 AS value,
       CASE WHEN a.answer -> 0 ? 'value' THEN (a.answer -> 0 ->> 'low')::float8 END AS low,
       CASE WHEN a.answer -> 0 ? 'value' THEN (a.answer -> 0 ->> 'high')::float8 END AS high,
       CASE WHEN a.answer -> 0 ? 'value' THEN (a.answer -> 0 ->> 'sample_low')::float8 END AS sample_low,
       CASE WHEN a.answer -> 0 ? 'value' THEN (a.answer -> 0 ->> 'sample_high')::float8 END AS sample_high,
       (a.answer -> 0 ->> 'level')::float8 AS level,
       a.answer,
       a.relation_name,
       a.owner,
       a.created,
       a.release,
       (a.parameters ->> 'holdout')::numeric AS holdout
  FROM dpobj.kept_answers a
 WHERE a.parameters ?| '{model,models}'
   AND (a.owns OR (SELECT dpobj_internal.sees_all()));
COMMENT ON VIEW dpobj.evaluations IS 'released evaluations of the current role''s models; all of them for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.evaluations.name IS 'name given to the call, or to dpobj.rename; null: none';
COMMENT ON COLUMN dpobj.evaluations.kind IS 'accuracy, confusion, select, residuals, auc or calibration';
COMMENT ON COLUMN dpobj.evaluations.models IS 'names of the models now; null for one that was deleted';
COMMENT ON COLUMN dpobj.evaluations.value IS 'accuracy, R-squared or AUC; null: the noise left none, or the kind has no such number';
COMMENT ON COLUMN dpobj.evaluations.low IS 'the truth on these rows is not below it, but for a chance of 1 - level for both ends: the noise alone';
COMMENT ON COLUMN dpobj.evaluations.high IS 'nor above it';
COMMENT ON COLUMN dpobj.evaluations.sample_low IS 'if the rows are an independent sample, the truth of all that they stand for is not below it, with about this level, of R-squared with at least this level: noise and chance of the sample; null: the kind has none';
COMMENT ON COLUMN dpobj.evaluations.sample_high IS 'nor above it';
COMMENT ON COLUMN dpobj.evaluations.level IS 'how sure the intervals are';
COMMENT ON COLUMN dpobj.evaluations.answer IS 'what the call has returned: an array with an object for each row';
COMMENT ON COLUMN dpobj.evaluations.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.evaluations.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.evaluations.created IS 'when it was released';
COMMENT ON COLUMN dpobj.evaluations.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.evaluations.holdout IS 'share of the rows that were held out, which alone were read; null: all rows were';

CREATE OR REPLACE VIEW dpobj.model_history WITH (security_barrier) AS
SELECT m.model,
       e.kind,
       e.relation_name,
       e.value,
       e.low,
       e.high,
       e.level,
       e.owner,
       e.created,
       pg_catalog.trim_scale(l.epsilon_nano * 0.000000001) AS epsilon,
       e.release,
       e.holdout
  FROM dpobj.evaluations e
  JOIN dpobj.ledger_events l ON l.id = e.release,
       pg_catalog.unnest(e.models) m(model);
COMMENT ON VIEW dpobj.model_history IS 'each rating of each of the current role''s models, free to read; those of all roles for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.model_history.model IS 'name of the model; null for one that was deleted or has none';
COMMENT ON COLUMN dpobj.model_history.kind IS 'accuracy, confusion, select, residuals, auc or calibration';
COMMENT ON COLUMN dpobj.model_history.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.model_history.value IS 'accuracy, R-squared or AUC; null: the noise left none, or the kind has no such number';
COMMENT ON COLUMN dpobj.model_history.low IS 'the truth on these rows is not below it, but for a chance of 1 - level for both ends: the noise alone';
COMMENT ON COLUMN dpobj.model_history.high IS 'nor above it';
COMMENT ON COLUMN dpobj.model_history.level IS 'how sure the interval is';
COMMENT ON COLUMN dpobj.model_history.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.model_history.created IS 'when it was released';
COMMENT ON COLUMN dpobj.model_history.epsilon IS 'what it cost; a choice among several models cost this once';
COMMENT ON COLUMN dpobj.model_history.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.model_history.holdout IS 'share of the rows that were held out, which alone were read; null: all rows were';
-- The registry: models with their comments, and what their owners change

CREATE OR REPLACE VIEW dpobj.models WITH (security_barrier) AS
SELECT m.name,
       m.model,
       CASE WHEN dpobj_internal.table_named(e.relation_name) = e.relation THEN e.relation::regclass END AS relation,
       e.relation_name,
       coalesce(r.role_name, r.recorded_name) AS owner,
       m.released AS created,
       m.release,
       m.key,
       CASE WHEN u.owns THEN ARRAY(SELECT s.role_name::text FROM dpobj.model_readers s
                                   WHERE s.release = m.release AND s.place = m.place ORDER BY 1) END AS shared_with,
       m.comment,
       m.retired
  FROM dpobj.model_rows m
  JOIN dpobj.ledger_events e ON e.id = m.release
  JOIN dpobj.identity_roles r ON r.id = m.owner
 CROSS JOIN LATERAL
       (SELECT coalesce(r.role_name = current_user, false)
               OR EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.rolname = current_user AND s.rolsuper) AS owns) u
 WHERE m.model IS NOT NULL
   AND (u.owns OR EXISTS (SELECT FROM dpobj.model_readers s WHERE s.release = m.release AND s.place = m.place
                          AND pg_catalog.pg_has_role(current_user, s.role, 'USAGE')));
COMMENT ON VIEW dpobj.models IS 'released models of the current role, and those that are shared with it; all of them for superusers';
COMMENT ON COLUMN dpobj.models.name IS 'name given to dpobj.train, or to dpobj.train_groups and followed by the key, or to dpobj.rename; null: none';
COMMENT ON COLUMN dpobj.models.model IS 'the model';
COMMENT ON COLUMN dpobj.models.relation IS 'the table it was trained on; null when no table has the recorded OID and name any more';
COMMENT ON COLUMN dpobj.models.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.models.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.models.created IS 'when it was released';
COMMENT ON COLUMN dpobj.models.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.models.key IS 'key of the group that it is about; null: the whole table';
COMMENT ON COLUMN dpobj.models.shared_with IS 'roles that its owner shares it with; null for these';
COMMENT ON COLUMN dpobj.models.comment IS 'what its owner says of it; null: nothing';
COMMENT ON COLUMN dpobj.models.retired IS 'since when its name cannot be applied or rated; null: it can';

-- Auditors, who see no models, see these columns of all.
CREATE VIEW dpobj.model_list WITH (security_barrier) AS
SELECT m.name,
       (m.model).kind,
       (m.model).details ->> 'label' AS label,
       e.relation_name,
       (m.model).epsilon,
       m.released::date AS created,
       m.retired::date AS retired,
       coalesce(r.role_name, r.recorded_name) AS owner,
       m.release
  FROM dpobj.model_rows m
  JOIN dpobj.ledger_events e ON e.id = m.release
  JOIN dpobj.identity_roles r ON r.id = m.owner
 WHERE m.model IS NOT NULL
   AND ((SELECT dpobj_internal.sees_all())
        OR EXISTS (SELECT FROM dpobj.models v WHERE v.release = m.release AND v.key IS NOT DISTINCT FROM m.key));
COMMENT ON VIEW dpobj.model_list IS 'dpobj.models in a few narrow columns, for people; the models of all roles for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.model_list.name IS 'name of the model; null: none';
COMMENT ON COLUMN dpobj.model_list.kind IS 'halfspace, logistic, svm, softmax, one_vs_rest, linear or simplex';
COMMENT ON COLUMN dpobj.model_list.label IS 'column that it predicts; null: it was trained on arrays';
COMMENT ON COLUMN dpobj.model_list.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.model_list.epsilon IS 'epsilon charged for its release';
COMMENT ON COLUMN dpobj.model_list.created IS 'when it was released';
COMMENT ON COLUMN dpobj.model_list.retired IS 'when it was retired; null: it is in use';
COMMENT ON COLUMN dpobj.model_list.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.model_list.release IS 'id of the charge in dpobj.ledger';

CREATE FUNCTION dpobj.rename(name text, new_name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_rename';
COMMENT ON FUNCTION dpobj.rename(text, text) IS 'gives a model or an answer of one''s own another name; the old one is free';

CREATE FUNCTION dpobj.comment(name text, comment text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_comment';
COMMENT ON FUNCTION dpobj.comment(text, text) IS 'comments a model or an answer of one''s own; null removes the comment';

CREATE FUNCTION dpobj.retire(name text, retired boolean DEFAULT true) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_retire';
COMMENT ON FUNCTION dpobj.retire(text, boolean) IS
  'keeps a model of one''s own from being applied or rated by its name; with false it can be again';

CREATE FUNCTION dpobj.delete(name text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_delete';
COMMENT ON FUNCTION dpobj.delete(text) IS
  'deletes a model or an answer of one''s own; the ledger keeps its charge and its hash, and the name is free';
-- Models as points

CREATE FUNCTION dpobj.scorecard(model @extschema@.dp_model, OUT "position" integer, OUT feature text, OUT level text,
    OUT points integer, OUT weight float8, OUT class text) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL SAFE ROWS 50
  AS 'MODULE_PATHNAME', 'dpobj_scorecard';
COMMENT ON FUNCTION dpobj.scorecard(@extschema@.dp_model) IS
  'what each level of each feature adds to the score, of a model of several classes to that of each class; points where all weights of halfspaces are integers';
CREATE FUNCTION dpobj.scorecard(name text, owner regrole DEFAULT NULL, OUT "position" integer, OUT feature text,
    OUT level text, OUT points integer, OUT weight float8, OUT class text) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL SAFE ROWS 50
  AS 'MODULE_PATHNAME', 'dpobj_scorecard';
COMMENT ON FUNCTION dpobj.scorecard(text, regrole) IS 'dpobj.scorecard of a named model';

CREATE VIEW dpobj.scorecards WITH (security_barrier) AS
SELECT m.name, m.owner, m.release, m.key, s."position", s.feature, s.level, s.points
  FROM dpobj.models m CROSS JOIN LATERAL dpobj.scorecard(m.model) s
 WHERE (m.model).kind = 'halfspace';
COMMENT ON VIEW dpobj.scorecards IS 'the halfspaces of dpobj.models as points: positive if the sum of those that apply is greater than the threshold';
COMMENT ON COLUMN dpobj.scorecards.name IS 'name of the model; null: none';
COMMENT ON COLUMN dpobj.scorecards.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.scorecards.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.scorecards.key IS 'key of the group that it is about; null: the whole table';
COMMENT ON COLUMN dpobj.scorecards."position" IS 'order of the rows of a model, from 1';
COMMENT ON COLUMN dpobj.scorecards.feature IS 'column or element of the array; (intercept) applies always, (threshold) is what the sum must exceed';
COMMENT ON COLUMN dpobj.scorecards.level IS 'value of the column, or the unit that the points are for';
COMMENT ON COLUMN dpobj.scorecards.points IS 'what it adds; null: no prediction, or no whole number';
-- Models for other programs

CREATE OR REPLACE FUNCTION dpobj.model_pmml(name text, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_pmml';
COMMENT ON FUNCTION dpobj.model_pmml(text, regrole) IS
  'a named model as PMML 4.4, which predicts from the columns that it was trained on';
CREATE OR REPLACE FUNCTION dpobj.model_pmml(model @extschema@.dp_model) RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_pmml';
COMMENT ON FUNCTION dpobj.model_pmml(@extschema@.dp_model) IS
  'a model as PMML 4.4; one that was trained on arrays reads fields f1, f2, ...';

CREATE OR REPLACE FUNCTION dpobj.model_json(name text, owner regrole DEFAULT NULL) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_json';
COMMENT ON FUNCTION dpobj.model_json(text, regrole) IS
  'what the weights of a named model are multiplied by: features with their columns and encoders, weights, intercepts and classes';
CREATE OR REPLACE FUNCTION dpobj.model_json(model @extschema@.dp_model) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_json';
COMMENT ON FUNCTION dpobj.model_json(@extschema@.dp_model) IS
  'what the weights of a model are multiplied by; one that was trained on arrays reads columns f1, f2, ...';
-- Who may train at the owner's door

/*
 * The aggregates read whatever their caller can read, so only owners and roles that they trust may
 * call them.  Concurrent grants on one function fail, so a second call waits until the transaction
 * of the first has ended.
 */
CREATE OR REPLACE FUNCTION dpobj.grant_trainer(role regrole) RETURNS void
  LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    aggregate regprocedure;
  BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = role) THEN
      RAISE EXCEPTION 'role with OID % does not exist', role USING ERRCODE = 'undefined_object';
    END IF;
    LOCK TABLE pg_proc IN SHARE UPDATE EXCLUSIVE MODE;
    FOR aggregate IN
      SELECT p.oid
      FROM pg_depend d
      JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
      JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
      WHERE e.extname = 'dpobj' AND d.deptype = 'e' AND p.prokind IN ('a', 'w')
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', aggregate, role);
    END LOOP;
  END
  $$;
COMMENT ON FUNCTION dpobj.grant_trainer(regrole) IS
  'lets a trusted role call the training aggregates of the owner''s door';

COMMENT ON COLUMN @extschema@.dp_model.guarantee IS
  'exact, float, conditional (the details say on what) or unproven';
-- Epochs and crashes

COMMENT ON FUNCTION dpobj_internal.epoch() IS
  'system identifier, OID of the database, timeline and, of a server that was started from a base backup, a hash of its label: differs after a restore and a promotion';
COMMENT ON SEQUENCE dpobj.ledger_events_id_seq IS
  'ledger ids; gaps are normal: a refused event or a crash of the server leaves one, and after a restore they go on at the microseconds since 1970';

/*
 * The first charge at the analyst's door after a crash writes the one row.  The table is unlogged:
 * crash recovery empties it, a regular restart does not.
 */
CREATE UNLOGGED TABLE IF NOT EXISTS dpobj.since_crash
(
    only_row boolean PRIMARY KEY DEFAULT true,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    CONSTRAINT only_one_row CHECK (only_row)
);
-- Which earlier charges were ended by a crash is unknown, so counting starts now.
INSERT INTO dpobj.since_crash DEFAULT VALUES ON CONFLICT DO NOTHING;
COMMENT ON TABLE dpobj.since_crash IS 'has a row unless the server has crashed since the last charge at the analyst''s door';
COMMENT ON INDEX dpobj.since_crash_pkey IS 'one row';
COMMENT ON COLUMN dpobj.since_crash.only_row IS 'true';
COMMENT ON COLUMN dpobj.since_crash.at IS 'when the first charge since a crash was made, or the extension installed';

CREATE INDEX IF NOT EXISTS ledger_events_analyst_idx ON dpobj.ledger_events (role_identity, id)
    WHERE event = 'charged' AND door = 'analyst';
COMMENT ON INDEX dpobj.ledger_events_analyst_idx IS 'the last release of a role at the analyst''s door';

-- This server remembers the epoch of each server that a table is shared with (src/server/ledger/epoch.c).
CREATE INDEX ledger_events_servers_idx ON dpobj.ledger_events (event, id)
    WHERE event IN ('confirm_epoch', 'remember_server');
COMMENT ON INDEX dpobj.ledger_events_servers_idx IS 'the epochs of other servers since the last confirmation';
-- Charges for single rows on tables that were protected by person later

/*
 * A release that costs epsilon for one row costs m times epsilon for m rows of a person (theorem
 * P5; src/core/accounting/pair.c, pair_of_group).  So charges for single rows count on a table that protects
 * persons once an administrator has given m: dpobj.protect(..., earlier_rows_per_person).
 */
COMMENT ON COLUMN dpobj.protections.earlier_rows_per_person IS 'number of rows of a person that a charge for a single row counts for; null: such charges are not allowed';

CREATE OR REPLACE FUNCTION dpobj.protect(relation regclass, encoders jsonb, adjacency text DEFAULT 'replace',
    person text DEFAULT NULL, max_rows_per_person integer DEFAULT NULL, n bigint DEFAULT NULL,
    ignore_rls boolean DEFAULT false, earlier_rows_per_person integer DEFAULT NULL, holdout_by text DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_protect';
COMMENT ON FUNCTION dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean, integer, text) IS
  'declares how the columns of a table become features, and which tables are its neighbours; for administrators';

CREATE OR REPLACE VIEW dpobj.protected AS
SELECT t.relation::regclass AS relation,
       coalesce(dpobj_internal.table_name(t.relation) COLLATE "C", t.relation_name) AS relation_name,
       p.at,
       p.encoders,
       p.adjacency,
       p.person,
       p.max_rows_per_person,
       p.n,
       p.ignore_rls,
       p.earlier_rows_per_person,
       p.holdout_by
  FROM dpobj.protections p
  JOIN dpobj.identity_tables t ON t.id = p.relation;
COMMENT ON VIEW dpobj.protected IS 'tables that analysts can have a budget for, and how their columns become features';
COMMENT ON COLUMN dpobj.protected.relation IS 'the table; null if no table has the recorded OID or name any more';
COMMENT ON COLUMN dpobj.protected.relation_name IS 'schema-qualified, quoted name; of a dropped table the last one';
COMMENT ON COLUMN dpobj.protected.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.protected.encoders IS 'how each column becomes features';
COMMENT ON COLUMN dpobj.protected.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.protected.person IS 'column that identifies the person of a row';
COMMENT ON COLUMN dpobj.protected.max_rows_per_person IS 'rows that one person contributes at most';
COMMENT ON COLUMN dpobj.protected.n IS 'declared number of rows';
COMMENT ON COLUMN dpobj.protected.ignore_rls IS 'whether the scan reads rows that row-level security hides';
COMMENT ON COLUMN dpobj.protected.earlier_rows_per_person IS 'number of rows of a person that an earlier charge for a single row counts for';
COMMENT ON COLUMN dpobj.protected.holdout_by IS 'column by whose values rows are dealt between training and rating; null: by the person, or else by all declared columns';

CREATE OR REPLACE FUNCTION dpobj_internal.cost_of_rows(adjacency text, pair text, pair_terms jsonb, epsilon_nano bigint,
    delta_units bigint, rows integer) RETURNS dpobj.charge_cost
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cost_of_rows';
COMMENT ON FUNCTION dpobj_internal.cost_of_rows(text, text, jsonb, bigint, bigint, integer) IS
  'internal: the cost of a release, by its pair in the ledger, for neighbours that differ in a number of rows';

-- Called when an administrator protects persons; reads the ledger, and no table.
CREATE OR REPLACE FUNCTION dpobj_internal.earlier_cost(tables bigint[], unit text, person text, rows integer) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('Say with earlier_rows_per_person how many rows a person had at most. With %s, the charges for single '
                  'rows (%s) count epsilon %s and delta %s instead of %s and %s.', $4, sum(e.times),
                  trim_scale(sum(e.times * dpobj_internal.cost_under(c.many, $2, 'basic', NULL)) * 0.000000001),
                  trim_scale(sum(e.times * dpobj_internal.delta_under(c.many, $2, 'basic')) * 0.000000000000000001),
                  trim_scale(sum(e.times::numeric * e.epsilon_nano) * 0.000000001),
                  trim_scale(sum(e.times::numeric * e.delta_units) * 0.000000000000000001))
      FROM (SELECT adjacency, pair, pair_terms, epsilon_nano, delta_units, count(*) AS times
              FROM dpobj.ledger_events
             WHERE event = 'charged' AND relation_identity = ANY ($1) AND person IS NULL
             GROUP BY 1, 2, 3, 4, 5) e
     CROSS JOIN LATERAL
           (SELECT dpobj_internal.cost_of_rows(e.adjacency, e.pair, e.pair_terms, e.epsilon_nano, e.delta_units, $4) AS many) c
    HAVING NOT EXISTS (SELECT FROM dpobj.ledger_events o
                        WHERE o.event = 'charged' AND o.relation_identity = ANY ($1)
                          AND (o.person <> $3 OR o.adjacency <> $2 AND o.adjacency <> 'add_remove'))
       AND count(*) > 0
  $$;
COMMENT ON FUNCTION dpobj_internal.earlier_cost(bigint[], text, text, integer) IS
  'internal: the cost of charges for single rows under protection by person, in words; null: none follows from them';
-- The ledger's charges counted by kind, which budgets and the report add up

/*
 * A trigger counts a charge in the statement that writes it, by the charge worker or by a restore.
 * Equal charges of a block of 65536 ledger ids share one row, or a few: instead of waiting for a row
 * that another transaction has locked, a charge adds a row (src/server/ledger/charge_count.c).  The
 * table grows with the variety of charges, not with their number.
 */
CREATE TABLE dpobj.charge_counts
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    block bigint NOT NULL,
    relation_identity bigint NOT NULL,
    role_identity bigint NOT NULL,
    payers bigint[] NOT NULL,
    mechanism text NOT NULL,
    adjacency text NOT NULL,
    person text,
    guarantee text NOT NULL,
    pair text NOT NULL,
    pair_terms jsonb NOT NULL,
    epsilon_nano bigint NOT NULL,
    delta_units bigint NOT NULL,
    rho_pico bigint NOT NULL,
    rho_delta bigint NOT NULL,
    rdp_pico bigint[] NOT NULL,
    rdp_delta bigint NOT NULL,
    rdp_replaced bigint[],
    times bigint NOT NULL,
    CONSTRAINT charge_counted CHECK (times > 0)
);
CREATE INDEX charge_counts_key ON dpobj.charge_counts (relation_identity, block, epsilon_nano);
CREATE TRIGGER charge_count_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.charge_counts
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.refuse_change('It is counted from the ledger.');
ALTER TABLE dpobj.charge_counts ENABLE ALWAYS TRIGGER charge_count_guard;
COMMENT ON TABLE dpobj.charge_counts IS 'how many charges of a kind the ledger has; not dumped: a restore counts anew';
COMMENT ON SEQUENCE dpobj.charge_counts_id_seq IS 'numbers of the rows';
COMMENT ON INDEX dpobj.charge_counts_pkey IS 'number of the row';
COMMENT ON INDEX dpobj.charge_counts_key IS 'finds the charges of a table, and those of a kind';
COMMENT ON TRIGGER charge_count_guard ON dpobj.charge_counts IS 'refuses changes but for the charge worker and superusers';
COMMENT ON COLUMN dpobj.charge_counts.id IS 'number of the row';
COMMENT ON COLUMN dpobj.charge_counts.block IS 'ledger id of each charge, divided by 65536';
COMMENT ON COLUMN dpobj.charge_counts.relation_identity IS 'identity of the table';
COMMENT ON COLUMN dpobj.charge_counts.role_identity IS 'identity of the session user';
COMMENT ON COLUMN dpobj.charge_counts.payers IS 'identities of the session user and his groups';
COMMENT ON COLUMN dpobj.charge_counts.mechanism IS 'mechanism';
COMMENT ON COLUMN dpobj.charge_counts.adjacency IS 'which tables are neighbours';
COMMENT ON COLUMN dpobj.charge_counts.person IS 'column of persons';
COMMENT ON COLUMN dpobj.charge_counts.guarantee IS 'exact, float, conditional or unproven';
COMMENT ON COLUMN dpobj.charge_counts.pair IS 'tag of the dominating pair';
COMMENT ON COLUMN dpobj.charge_counts.pair_terms IS 'its parameters';
COMMENT ON COLUMN dpobj.charge_counts.epsilon_nano IS 'epsilon of one charge, in units of 1e-9';
COMMENT ON COLUMN dpobj.charge_counts.delta_units IS 'delta of one charge, in units of 1e-18';
COMMENT ON COLUMN dpobj.charge_counts.rho_pico IS 'rho of one charge, in units of 1e-12';
COMMENT ON COLUMN dpobj.charge_counts.rho_delta IS 'probability in units of 1e-18 with which rho does not hold';
COMMENT ON COLUMN dpobj.charge_counts.rdp_pico IS 'Renyi divergences of one charge, in units of 1e-12';
COMMENT ON COLUMN dpobj.charge_counts.rdp_delta IS 'probability in units of 1e-18 with which they do not hold';
COMMENT ON COLUMN dpobj.charge_counts.rdp_replaced IS 'under add_remove: the divergences where one row goes and one comes';
COMMENT ON COLUMN dpobj.charge_counts.times IS 'number of charges';

-- The same counts from the ledger, which charge_counts must equal.
CREATE VIEW dpobj.charge_kinds AS
SELECT e.id >> 16 AS block,
       e.relation_identity,
       e.role_identity,
       e.payers,
       e.mechanism,
       e.adjacency,
       e.person,
       e.guarantee,
       e.pair,
       e.pair_terms,
       e.epsilon_nano,
       e.delta_units,
       e.rho_pico,
       e.rho_delta,
       e.rdp_pico,
       e.rdp_delta,
       e.rdp_replaced,
       pg_catalog.count(*) AS times
  FROM dpobj.ledger_events e
 WHERE e.event = 'charged'
 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17;
COMMENT ON VIEW dpobj.charge_kinds IS 'the definition of dpobj.charge_counts, by the whole ledger';
DO $body$
DECLARE
  counted record;
BEGIN
  FOR counted IN
    SELECT a.attname, col_description(a.attrelid, a.attnum) AS what
      FROM pg_attribute a WHERE a.attrelid = 'dpobj.charge_counts'::regclass AND a.attnum > 0 AND a.attname <> 'id'
  LOOP
    EXECUTE format('COMMENT ON COLUMN dpobj.charge_kinds.%I IS %L', counted.attname, counted.what);
  END LOOP;
END
$body$;

CREATE FUNCTION dpobj_internal.count_charges() RETURNS trigger
  LANGUAGE C SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_count_charges';
COMMENT ON FUNCTION dpobj_internal.count_charges() IS 'trigger: counts the charges that a statement has added to the ledger';
CREATE TRIGGER ledger_counted AFTER INSERT ON dpobj.ledger_events
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj_internal.count_charges();
ALTER TABLE dpobj.ledger_events ENABLE ALWAYS TRIGGER ledger_counted;
COMMENT ON TRIGGER ledger_counted ON dpobj.ledger_events IS 'keeps dpobj.charge_counts';

-- Counts the charges before the update; the trigger's lock keeps new ones out.
INSERT INTO dpobj.charge_counts (block, relation_identity, role_identity, payers, mechanism, adjacency, person,
    guarantee, pair, pair_terms, epsilon_nano, delta_units, rho_pico, rho_delta, rdp_pico, rdp_delta,
    rdp_replaced, times)
SELECT * FROM dpobj.charge_kinds;

-- The report compares these sums without reading the ledger's rows.
CREATE INDEX ledger_events_spending_idx ON dpobj.ledger_events (relation_identity, id)
    INCLUDE (epsilon_nano, delta_units) WHERE event = 'charged';
COMMENT ON INDEX dpobj.ledger_events_spending_idx IS 'what a table has spent';
CREATE INDEX ledger_events_administration_idx ON dpobj.ledger_events (relation_identity)
    WHERE event NOT IN ('charged', 'released', 'failed');
COMMENT ON INDEX dpobj.ledger_events_administration_idx IS 'events of administration';
-- What was spent of budgets, and what is left

/*
 * The charges that count for a table are those on it, on its descendants, and on the ancestors of
 * all these.  A recursive query takes milliseconds even if its result is not used, so it is in a
 * function, which is called only for tables that have relatives.
 */
CREATE OR REPLACE VIEW dpobj.families AS
SELECT i.id,
       CASE WHEN EXISTS (SELECT FROM dpobj.lineage l WHERE l.ancestor = i.id)
              OR EXISTS (SELECT FROM dpobj.lineage l WHERE l.descendant = i.id)
            THEN dpobj_internal.relatives(i.id)
            ELSE ARRAY[i.id] END AS members
  FROM dpobj.identities i
 WHERE i.kind = 'table';
COMMENT ON VIEW dpobj.families IS 'tables whose charges count for each other''s budgets: a charge on one reads rows of the other';
COMMENT ON COLUMN dpobj.families.id IS 'identity of a table';
COMMENT ON COLUMN dpobj.families.members IS 'identities of the tables whose charges count for it, its own included';

-- The spending of each budget by the ledger, which the running sums must equal.
CREATE OR REPLACE VIEW dpobj.budget_sums AS
SELECT b.id,
       u.adjacency,
       s.cost,
       s.delta,
       s.releases
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT coalesce((SELECT p.adjacency FROM dpobj.protections p WHERE p.relation = b.relation),
                        'replace') AS adjacency,
               (SELECT p.earlier_rows_per_person FROM dpobj.protections p WHERE p.relation = b.relation) AS rows,
               pg_catalog.array_position(dpobj.rdp_orders(), b.rdp_order) AS place,
               (SELECT f.members FROM dpobj.families f WHERE f.id = b.relation) AS members) u
 CROSS JOIN LATERAL
       (SELECT coalesce(pg_catalog.sum(e.times * dpobj_internal.cost_under(c.cost, u.adjacency, b.accountant, u.place)), 0) AS cost,
               coalesce(pg_catalog.sum(e.times * dpobj_internal.delta_under(c.cost, u.adjacency, b.accountant)), 0) AS delta,
               coalesce(pg_catalog.sum(e.times), 0)::bigint AS releases
          FROM dpobj.charge_counts e
         CROSS JOIN LATERAL
               (SELECT CASE WHEN e.person IS NULL AND u.rows IS NOT NULL
                            THEN dpobj_internal.cost_of_rows(e.adjacency, e.pair, e.pair_terms, e.epsilon_nano, e.delta_units, u.rows)
                            ELSE ROW(e.adjacency, e.epsilon_nano, e.delta_units, e.rho_pico, e.rho_delta, e.rdp_pico,
                                     e.rdp_delta, e.rdp_replaced)::dpobj.charge_cost END AS cost) c
         WHERE e.relation_identity = ANY (u.members)
           AND (coalesce(b.role, -1) = -1 OR b.role = ANY (e.payers))) s;
COMMENT ON VIEW dpobj.budget_sums IS 'what was spent of each budget, summed over the charges that the ledger counts';
COMMENT ON COLUMN dpobj.budget_sums.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_sums.adjacency IS 'under which costs are added up: the protected table''s, else replace';
COMMENT ON COLUMN dpobj.budget_sums.cost IS 'sum of costs, in the units of cost_limit';
COMMENT ON COLUMN dpobj.budget_sums.delta IS 'sum of deltas in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_sums.releases IS 'number of charges';

-- The spending of each budget for the charge worker and the views, by the running sums if there are any.
CREATE OR REPLACE VIEW dpobj.budget_state AS
SELECT b.id,
       b.relation,
       b.role,
       b.accountant,
       b.rdp_order,
       b.epsilon_nano,
       b.delta_units,
       b.reserve_units,
       b.cost_limit,
       b.max_releases,
       s.cost AS cost_spent,
       s.delta AS delta_spent,
       s.releases,
       coalesce((SELECT p.adjacency FROM dpobj.protections p WHERE p.relation = b.relation),
                'replace') AS adjacency
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT b.cost_spent AS cost, b.delta_spent AS delta, b.releases_spent AS releases
         WHERE b.cost_spent IS NOT NULL
        UNION ALL
        SELECT l.cost, l.delta, l.releases
          FROM dpobj.budget_sums l
         WHERE b.cost_spent IS NULL AND l.id = b.id) s;
COMMENT ON VIEW dpobj.budget_state IS 'budgets and what was spent of them, in units of the ledger';
COMMENT ON COLUMN dpobj.budget_state.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_state.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_state.role IS 'identity of the role or group; null: all roles together; -1: the limit of the table''s owner';
COMMENT ON COLUMN dpobj.budget_state.accountant IS 'what is added up';
COMMENT ON COLUMN dpobj.budget_state.rdp_order IS 'rdp: order of the divergence';
COMMENT ON COLUMN dpobj.budget_state.epsilon_nano IS 'cap of epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.budget_state.delta_units IS 'cap of delta in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_state.reserve_units IS 'cap of the sum of deltas in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_state.cost_limit IS 'cap of the sum of costs';
COMMENT ON COLUMN dpobj.budget_state.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budget_state.cost_spent IS 'sum of costs, in the units of cost_limit';
COMMENT ON COLUMN dpobj.budget_state.delta_spent IS 'sum of deltas in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_state.releases IS 'number of charges';
COMMENT ON COLUMN dpobj.budget_state.adjacency IS 'under which costs are added up: the protected table''s, else replace';

/*
 * The first line says what does not fit, the last line what to do.  Names may contain line breaks;
 * they are in the first line only.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.budget_exceeded(tables bigint[], payers bigint[], cost dpobj.charge_cost) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format(E'%s on table %s has %s.\n%s %s.',
             CASE WHEN b.role IS NULL THEN 'The budget of all roles' WHEN b.role = -1 THEN 'The owner''s limit'
                  ELSE format('The budget of role "%s"', r.name) END, t.name,
             CASE
               WHEN NOT fits.releases THEN format('releases: %s spent, 1 asked, %s left of %s', b.releases,
                 greatest(b.max_releases - b.releases, 0), b.max_releases)
               WHEN fits.overspent THEN format('%s: %s spent, which is more than its limit of %s, so that nothing more can be charged',
                 words.delta, trim_scale(b.delta_spent * 0.000000000000000001),
                 trim_scale(b.reserve_units * 0.000000000000000001))
               WHEN NOT fits.cost THEN concat(
                 dpobj_internal.cost_text(b.accountant, b.rdp_order, b.cost_spent, asked.cost, b.cost_limit),
                 CASE WHEN b.accountant <> 'basic' AND room.epsilon > 0
                      THEN format('. Epsilon up to %s with delta 0 fits', trim_scale(room.epsilon * 0.000000001)) END)
               ELSE format('%s: %s spent, %s asked, %s left of %s', words.delta,
                 trim_scale(b.delta_spent * 0.000000000000000001), trim_scale(asked.delta * 0.000000000000000001),
                 trim_scale((b.reserve_units - b.delta_spent) * 0.000000000000000001),
                 trim_scale(b.reserve_units * 0.000000000000000001))
             END,
             CASE WHEN NOT fits.releases OR fits.overspent OR room.epsilon = 0 THEN 'Ask ' ELSE 'Ask for less, or ask ' END
               || CASE WHEN b.role = -1 THEN 'the owner of the table' ELSE 'a member of dpobj_admin' END,
             CASE
               WHEN NOT fits.releases THEN 'to allow more releases: ' || words.again
               WHEN NOT fits.delta AND b.accountant <> 'basic' AND (fits.overspent OR fits.cost) THEN
                 'to reserve more delta: ' || words.again
               WHEN b.role = -1 THEN concat('to raise the limit: dpobj.limit_budget(relation, epsilon, delta, reason',
                 ', ''' || nullif(b.accountant, 'basic') || '''', ')')
               WHEN fits.overspent THEN 'to raise delta: dpobj.raise_budget(relation, role, 0, delta, reason)'
               ELSE 'to raise the budget: dpobj.raise_budget(relation, role, epsilon, delta, reason)'
             END)
      FROM dpobj.budget_state b
      JOIN dpobj.identities t ON t.id = b.relation
      LEFT JOIN dpobj.identities r ON r.id = b.role
     CROSS JOIN LATERAL
           (SELECT dpobj_internal.cost_under($3, b.adjacency, b.accountant,
                     array_position(dpobj.rdp_orders(), b.rdp_order)) AS cost,
                   dpobj_internal.delta_under($3, b.adjacency, b.accountant) AS delta) asked
     CROSS JOIN LATERAL
           (SELECT b.cost_spent + asked.cost <= b.cost_limit AS cost,
                   b.delta_spent + asked.delta <= b.reserve_units AS delta,
                   b.delta_spent > b.reserve_units AS overspent,
                   coalesce(b.releases < b.max_releases, true) AS releases) fits
     CROSS JOIN LATERAL
           (SELECT dpobj_internal.largest_epsilon(b.accountant, b.rdp_order, b.cost_limit - b.cost_spent) AS epsilon) room
     CROSS JOIN LATERAL
           (SELECT CASE b.accountant WHEN 'basic' THEN 'delta' ELSE 'delta reserved for releases' END AS delta,
                   -- a call that sets the budget again, with all its present limits
                   format('dpobj.%s, ''%s'', max_releases%s)',
                     CASE WHEN b.role = -1 THEN 'limit_budget(relation, epsilon, delta, reason'
                          ELSE 'set_budget(relation, role, epsilon, delta' END,
                     b.accountant, CASE WHEN b.accountant <> 'basic' THEN ', delta_reserve => ...' END) AS again) words
     WHERE b.relation = ANY ($1) AND (coalesce(b.role, -1) = -1 OR b.role = ANY ($2))
       AND (fits.cost AND fits.delta AND fits.releases) IS NOT TRUE
     ORDER BY b.relation, b.role
     LIMIT 1
  $$;
COMMENT ON FUNCTION dpobj_internal.budget_exceeded(bigint[], bigint[], dpobj.charge_cost) IS
  'internal: the first applying budget that a cost does not fit into, and what to do; null: it fits';

/*
 * Roles see the budgets of their own and of their groups, and on the same tables the cap over all
 * roles and the owner's limit; owners see their limit; superusers and auditors see all.
 */
CREATE OR REPLACE VIEW dpobj.budgets WITH (security_barrier) AS
WITH RECURSIVE
  mine(role) AS (SELECT r.oid FROM pg_catalog.pg_roles r WHERE r.rolname = session_user
                 UNION
                 SELECT m.roleid FROM pg_catalog.pg_auth_members m JOIN mine ON m.member = mine.role),
  own(id) AS (SELECT i.id FROM dpobj.identity_roles i WHERE i.role IN (SELECT role FROM mine))
SELECT t.relation::regclass AS relation,
       r.role_name AS role,
       b.accountant,
       pg_catalog.trim_scale(b.epsilon_nano * 0.000000001) AS epsilon_limit,
       pg_catalog.trim_scale(c.epsilon_spent * 0.000000001) AS epsilon_spent,
       pg_catalog.trim_scale(greatest(b.epsilon_nano - c.epsilon_spent, 0) * 0.000000001) AS epsilon_left,
       pg_catalog.trim_scale(b.delta_units * 0.000000000000000001) AS delta_limit,
       pg_catalog.trim_scale((b.delta_spent + CASE WHEN b.releases > 0 THEN b.delta_units - b.reserve_units ELSE 0 END)
                             * 0.000000000000000001) AS delta_spent,
       pg_catalog.trim_scale(greatest(b.reserve_units - b.delta_spent, 0) * 0.000000000000000001) AS delta_left,
       b.releases,
       b.max_releases,
       t.relation_name,
       CASE WHEN b.role IS NULL THEN NULL ELSE coalesce(r.role_name, r.recorded_name) END AS role_name,
       b.rdp_order,
       pg_catalog.trim_scale(b.cost_limit * c.one) AS cost_limit,
       pg_catalog.trim_scale(b.cost_spent * c.one) AS cost_spent,
       CASE WHEN b.delta_spent > b.reserve_units THEN 0
            ELSE pg_catalog.trim_scale(dpobj_internal.largest_epsilon(b.accountant, b.rdp_order, b.cost_limit - b.cost_spent)
                                       * 0.000000001) END AS largest_epsilon,
       b.adjacency,
       b.id AS budget,
       coalesce(b.role = -1, false) AS of_owner
  FROM dpobj.budget_state b
  JOIN dpobj.identity_tables t ON t.id = b.relation
  LEFT JOIN dpobj.identity_roles r ON r.id = b.role
 CROSS JOIN LATERAL
       (SELECT dpobj_internal.composed_epsilon(b.accountant, b.rdp_order, b.cost_spent, b.delta_units - b.reserve_units)
                 AS epsilon_spent,
               CASE b.accountant WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one) c
 WHERE b.role IN (SELECT id FROM own)
    OR coalesce(b.role, -1) = -1
       AND EXISTS (SELECT FROM dpobj.budget_rows o
                   WHERE o.relation = b.relation AND o.role IN (SELECT id FROM own))
    OR b.role = -1
       AND dpobj_internal.table_owner(t.relation) IN (SELECT role FROM mine)
    OR dpobj_internal.sees_all();
COMMENT ON VIEW dpobj.budgets IS 'privacy budgets: those that cap the session''s role; all for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.budgets.relation IS 'the table; null if no table has the recorded OID or name any more';
COMMENT ON COLUMN dpobj.budgets.role IS 'role or group; null with a null role_name: all roles together';
COMMENT ON COLUMN dpobj.budgets.accountant IS 'what is added up: basic, epsilon; zcdp, rho; rdp, the Renyi divergence of order rdp_order';
COMMENT ON COLUMN dpobj.budgets.epsilon_limit IS 'cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.epsilon_spent IS 'epsilon of all charges together, at the cap of delta without the reserve; null: no finite epsilon';
COMMENT ON COLUMN dpobj.budgets.epsilon_left IS 'what is left of the cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.delta_limit IS 'cap of delta';
COMMENT ON COLUMN dpobj.budgets.delta_spent IS 'charged deltas, plus the delta of the conversion once anything is charged';
COMMENT ON COLUMN dpobj.budgets.delta_left IS 'what is left for deltas of releases';
COMMENT ON COLUMN dpobj.budgets.releases IS 'number of charges, from the ledger';
COMMENT ON COLUMN dpobj.budgets.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budgets.relation_name IS 'name of the table when a charge or a budget last touched it';
COMMENT ON COLUMN dpobj.budgets.role_name IS 'name of the role, also of a dropped one; null: all roles together';
COMMENT ON COLUMN dpobj.budgets.rdp_order IS 'rdp: order of the divergence, fixed when the budget was made';
COMMENT ON COLUMN dpobj.budgets.cost_limit IS 'cap of what is added up: of epsilon, rho or the divergence';
COMMENT ON COLUMN dpobj.budgets.cost_spent IS 'the sum so far';
COMMENT ON COLUMN dpobj.budgets.largest_epsilon IS 'largest epsilon of one more release with delta = 0; 0 if more delta was spent than the limit';
COMMENT ON COLUMN dpobj.budgets.adjacency IS 'under which costs are added up: the protected table''s, else replace';
COMMENT ON COLUMN dpobj.budgets.budget IS 'number of the budget';
COMMENT ON COLUMN dpobj.budgets.of_owner IS 'whether it is the limit of the table''s owner, which holds for all roles together';

/*
 * How many more releases like the last one fit into a budget.  The last one is the last that
 * dpobj.ledger shows to the session's role.
 */
CREATE OR REPLACE VIEW dpobj.odometer WITH (security_barrier) AS
SELECT v.relation,
       v.role_name AS role,
       b.accountant,
       last.id AS release,
       last.mechanism,
       pg_catalog.trim_scale(last.epsilon_nano * 0.000000001) AS epsilon,
       pg_catalog.trim_scale(last.delta_units * 0.000000000000000001) AS delta,
       CASE WHEN b.delta_spent > b.reserve_units THEN 0
            ELSE greatest(least(pg_catalog.div(b.cost_limit - b.cost_spent, nullif(k.cost, 0)),
                                pg_catalog.div(b.reserve_units - b.delta_spent, nullif(k.delta, 0)),
                                b.max_releases - b.releases), 0) END AS more
  FROM dpobj.budget_state b
  JOIN dpobj.budgets v ON v.budget = b.id
 CROSS JOIN LATERAL
       (SELECT e.* FROM dpobj.ledger_events e
         WHERE e.event = 'charged'
           AND e.relation_identity = ANY ((SELECT f.members FROM dpobj.families f WHERE f.id = b.relation)::bigint[])
           AND (coalesce(b.role, -1) = -1 OR b.role = ANY (e.payers))
           AND (e.role_identity IN (SELECT id FROM dpobj.identity_roles WHERE role_name = session_user)
                OR dpobj_internal.sees_all())
         ORDER BY e.id DESC LIMIT 1) last
 CROSS JOIN LATERAL
       (SELECT dpobj_internal.cost_under(c.cost, b.adjacency, b.accountant,
                 pg_catalog.array_position(dpobj.rdp_orders(), b.rdp_order)) AS cost,
               dpobj_internal.delta_under(c.cost, b.adjacency, b.accountant) AS delta
          FROM (SELECT ROW(last.adjacency, last.epsilon_nano, last.delta_units, last.rho_pico, last.rho_delta,
                           last.rdp_pico, last.rdp_delta, last.rdp_replaced)::dpobj.charge_cost AS cost) c) k;
COMMENT ON VIEW dpobj.odometer IS 'how many more releases like the last one of the session''s role fit into each budget that dpobj.budgets shows; of any role for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.odometer.relation IS 'the table; null if no table has the recorded OID or name any more';
COMMENT ON COLUMN dpobj.odometer.role IS 'role or group; null: all roles together';
COMMENT ON COLUMN dpobj.odometer.accountant IS 'what is added up';
COMMENT ON COLUMN dpobj.odometer.release IS 'ledger id of the last visible charge that counts for the budget';
COMMENT ON COLUMN dpobj.odometer.mechanism IS 'its mechanism';
COMMENT ON COLUMN dpobj.odometer.epsilon IS 'its epsilon';
COMMENT ON COLUMN dpobj.odometer.delta IS 'its delta';
COMMENT ON COLUMN dpobj.odometer.more IS 'number of such releases that still fit; null: any number';

CREATE OR REPLACE FUNCTION dpobj_internal.budgets_applying(relation regclass, role regrole) RETURNS SETOF dpobj.budgets
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
  #variable_conflict use_column
  DECLARE
    payer constant oid := coalesce(role::oid, (SELECT oid FROM pg_roles WHERE rolname = session_user));
  BEGIN
    IF payer <> (SELECT oid FROM pg_roles WHERE rolname = session_user) AND NOT dpobj_internal.sees_all() THEN
      RAISE EXCEPTION 'permission denied to see the privacy budget of another role'
        USING ERRCODE = 'insufficient_privilege',
              HINT = 'Members of dpobj_auditor see all budgets.';
    END IF;
    RETURN QUERY
      WITH RECURSIVE
        payers(role) AS (SELECT payer UNION
                         SELECT m.roleid FROM pg_auth_members m JOIN payers p ON m.member = p.role),
        tables(relation) AS (SELECT budgets_applying.relation::oid UNION
                             SELECT h.inhparent FROM pg_inherits h JOIN tables t ON h.inhrelid = t.relation)
      SELECT b.*
      FROM dpobj.budgets b
      WHERE b.relation::oid IN (SELECT t.relation FROM tables t)
        AND (b.role_name IS NULL
             OR b.role IN (SELECT r.rolname FROM payers p JOIN pg_roles r ON r.oid = p.role));
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.budgets_applying(regclass, regrole) IS
  'the budgets that a release by a role from a table must fit into; null: the session''s role';

CREATE OR REPLACE FUNCTION dpobj.remaining(relation regclass, role regrole DEFAULT NULL)
  RETURNS TABLE (epsilon numeric, delta numeric, releases bigint)
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT min(b.largest_epsilon), min(b.delta_left),
           min(CASE WHEN b.max_releases IS NOT NULL THEN greatest(b.max_releases - b.releases, 0) END)
      FROM dpobj_internal.budgets_applying($1, $2) b
    HAVING count(*) > 0
  $$;
COMMENT ON FUNCTION dpobj.remaining(regclass, regrole) IS
  'largest cost of one more release of a role on a table under all budgets that apply; no row: no budget applies';

CREATE OR REPLACE FUNCTION dpobj_internal.calls_that_fit(relation regclass, cost dpobj.charge_cost) RETURNS numeric
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT min(CASE WHEN b.delta_spent > b.delta_limit THEN 0
                    ELSE greatest(least(div((b.cost_limit - b.cost_spent) / k.one, nullif(k.cost, 0)),
                                        div(b.delta_left / 0.000000000000000001, nullif(k.delta, 0)),
                                        b.max_releases - b.releases), 0) END)
      FROM dpobj_internal.budgets_applying($1, NULL) b
     CROSS JOIN LATERAL
           (SELECT CASE b.accountant WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one,
                   dpobj_internal.cost_under($2, b.adjacency, b.accountant,
                     array_position(dpobj.rdp_orders(), b.rdp_order)) AS cost,
                   dpobj_internal.delta_under($2, b.adjacency, b.accountant) AS delta) k
  $$;
COMMENT ON FUNCTION dpobj_internal.calls_that_fit(regclass, dpobj.charge_cost) IS
  'how many releases of that cost fit into the budgets of the session''s role; null: any number';
-- Limits of a table's owner on all budgets

/*
 * A limit is a budget over all roles whose role is -1, which is no identity (src/server/ledger/budget.c).
 * Charges count and lock it like any other budget; functions of administrators cannot change it.
 */
COMMENT ON COLUMN dpobj.budget_rows.role IS 'identity of the role or group; null: all roles together; -1: all roles together, the limit of the table''s owner';
COMMENT ON TABLE dpobj.budget_rows IS 'privacy budgets; written by dpobj.set_budget, dpobj.drop_budget and dpobj.limit_budget only';
COMMENT ON COLUMN dpobj.ledger_events.event IS 'charged: before any noise is drawn; released: before the answer is sent; failed: nothing was released, the charge stays; protect, unprotect, set_budget, raise_budget, drop_budget, limit_budget, confirm_epoch, mark_part, unmark_part: administration; remember_server: the epoch of another server when it was first met';
COMMENT ON COLUMN dpobj.ledger.event IS 'charged, released, failed, protect, unprotect, set_budget, raise_budget, drop_budget, limit_budget, confirm_epoch, mark_part, unmark_part or remember_server; a charge without an end may have been released';

CREATE FUNCTION dpobj.limit_budget(relation regclass, epsilon numeric, delta numeric, reason text DEFAULT NULL,
    accountant text DEFAULT 'basic', max_releases bigint DEFAULT NULL, rdp_order integer DEFAULT NULL,
    delta_reserve numeric DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_limit_budget';
COMMENT ON FUNCTION dpobj.limit_budget(regclass, numeric, numeric, text, text, bigint, integer, numeric) IS
  'for the owner of a table: caps what all roles together may spend on it, whatever administrators give; a limit is raised, or with null for epsilon and delta removed, for a reason';
-- The charges of a table, composed by each accountant, and the report for auditors

CREATE OR REPLACE FUNCTION dpobj_internal.composed_charges(relation regclass, role regrole, accountant text, delta numeric,
    OUT releases bigint, OUT epsilon_nano bigint, OUT delta_units bigint, OUT rdp_order integer,
    OUT assumes text, OUT neighbours text, OUT weaker bigint)
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_composed_charges';
COMMENT ON FUNCTION dpobj_internal.composed_charges(regclass, regrole, text, numeric) IS
  'internal: dpobj.recompute in units of the ledger';

CREATE OR REPLACE FUNCTION dpobj.recompute(relation regclass, role regrole, accountant text, delta numeric DEFAULT NULL)
  RETURNS TABLE (accountant text, releases bigint, epsilon numeric, delta numeric, rdp_order integer, assumes text)
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT $3, c.releases, trim_scale(c.epsilon_nano * 0.000000001),
           trim_scale(c.delta_units * 0.000000000000000001), c.rdp_order,
           concat_ws('; ', c.assumes, c.neighbours,
             CASE WHEN c.weaker > 0 THEN format('releases with a guarantee that is not exact: %s', c.weaker) END)
      FROM dpobj_internal.composed_charges($1, $2, $3, $4) c
  $$;
COMMENT ON FUNCTION dpobj.recompute(regclass, regrole, text, numeric) IS
  'guarantee of all charges of a role, or with null of all roles, on a table by an accountant: basic, zcdp, rdp, kov or pld; delta: null for 1e-6 plus the deltas of the releases';

CREATE OR REPLACE FUNCTION dpobj.report(relation regclass, delta numeric DEFAULT NULL) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_report';
COMMENT ON FUNCTION dpobj.report(regclass, numeric) IS
  'for superusers and dpobj_auditor: releases, budgets and administration of a table, and what its releases guarantee together; delta as for dpobj.recompute';

/*
 * The contents of a report.  It runs as the owner of dpobj's tables, on one snapshot; dpobj.report
 * checks who may call it (src/server/ledger/recompute.c).  It reads dpobj.charge_counts and indexes
 * instead of all rows of the ledger.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.report_contents(relation regclass, delta numeric) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      here AS (SELECT t.id FROM dpobj.identity_tables t WHERE t.relation = $1),
      family AS (SELECT DISTINCT unnest(f.members) AS id FROM dpobj.families f WHERE f.id IN (SELECT id FROM here)),
      charges AS (
        SELECT c.*, coalesce(r.role_name, r.recorded_name) AS role
          FROM dpobj.charge_counts c
          JOIN dpobj.identity_roles r ON r.id = c.role_identity
         WHERE c.relation_identity IN (SELECT id FROM family)),
      -- reads two indexes only
      ledger AS MATERIALIZED (
        SELECT count(*) AS charged, sum(e.epsilon_nano) AS epsilon, sum(e.delta_units) AS delta,
               array_agg(e.id) FILTER (WHERE x.release IS NULL) AS unended
          FROM dpobj.ledger_events e
          LEFT JOIN dpobj.ledger_events x ON x.release = e.id
         WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)),
      unreleased AS MATERIALIZED (
        SELECT u.id, u.ended, coalesce(r.role_name, r.recorded_name) AS role, e.mechanism, e.guarantee
          FROM (SELECT unnest(unended) AS id, 'open' AS ended FROM ledger
                UNION ALL
                SELECT x.release, x.event FROM dpobj.ledger_events x
                 WHERE x.event = 'failed' AND x.relation_identity IN (SELECT id FROM family)) u
          JOIN dpobj.ledger_events e ON e.id = u.id
          JOIN dpobj.identity_roles r ON r.id = e.role_identity),
      ends AS (
        SELECT role, mechanism, guarantee, count(*) FILTER (WHERE ended = 'failed') AS failed,
               count(*) FILTER (WHERE ended = 'open') AS open
          FROM unreleased
         GROUP BY role, mechanism, guarantee),
      kinds AS (
        SELECT k.role, k.mechanism, k.guarantee, k.charged, k.charged - coalesce(e.failed, 0) - coalesce(e.open, 0) AS released,
               coalesce(e.failed, 0) AS failed, coalesce(e.open, 0) AS open,
               trim_scale(k.epsilon * 0.000000001) AS epsilon, trim_scale(k.delta * 0.000000000000000001) AS delta
          FROM (SELECT role, mechanism, guarantee, sum(times)::bigint AS charged, sum(times::numeric * epsilon_nano) AS epsilon,
                       sum(times::numeric * delta_units) AS delta
                  FROM charges
                 GROUP BY role, mechanism, guarantee) k
          LEFT JOIN ends e USING (role, mechanism, guarantee)),
      labels AS (SELECT guarantee, sum(times)::bigint AS releases FROM charges GROUP BY guarantee),
      -- whether the counted charges equal the ledger's
      counted AS (
        SELECT ledger.charged = coalesce(sum(c.times), 0)
               AND coalesce(ledger.epsilon = sum(c.times::numeric * c.epsilon_nano), ledger.charged = 0)
               AND coalesce(ledger.delta = sum(c.times::numeric * c.delta_units), ledger.charged = 0) AS equal
          FROM ledger LEFT JOIN charges c ON true
         GROUP BY ledger.charged, ledger.epsilon, ledger.delta),
      events AS (
        SELECT e.id, e.at, e.event, e.role_name, e.relation_name, e.relation_identity, e.parameters
          FROM dpobj.ledger_events e
         WHERE e.event NOT IN ('charged', 'released', 'failed')
           AND (e.relation_identity IN (SELECT id FROM family) OR e.relation_identity IS NULL)),
      budgets AS (
        SELECT b.id, t.relation_name, coalesce(b.role, -1) = -1 AS all_roles,
               coalesce(b.role = -1, false) AS of_owner, coalesce(r.role_name, r.recorded_name) AS role,
               b.accountant, b.rdp_order, s.adjacency, b.max_releases, s.releases,
               trim_scale(b.epsilon_nano * 0.000000001) AS epsilon_limit,
               trim_scale(dpobj_internal.composed_epsilon(b.accountant, b.rdp_order, s.cost, b.delta_units - b.reserve_units)
                          * 0.000000001) AS epsilon_spent,
               trim_scale(b.delta_units * 0.000000000000000001) AS delta_limit,
               trim_scale((s.delta + CASE WHEN s.releases > 0 THEN b.delta_units - b.reserve_units ELSE 0 END)
                          * 0.000000000000000001) AS delta_spent,
               trim_scale(b.reserve_units * 0.000000000000000001) AS delta_reserve,
               CASE WHEN NOT (SELECT c.equal FROM counted c) THEN false
                    WHEN b.cost_spent IS NOT NULL
                    THEN (b.cost_spent, b.delta_spent, b.releases_spent) = (s.cost, s.delta, s.releases) END AS sums_equal,
               s.cost <= b.cost_limit AND s.delta <= b.reserve_units AND s.releases <= coalesce(b.max_releases, s.releases)
                 AS within,
               -- earlier charges, to which the caps could have been adapted: whole blocks, and the first part of one
               (SELECT coalesce(sum(c.times), 0)::bigint
                  FROM charges c
                 WHERE (coalesce(b.role, -1) = -1 OR b.role = ANY (c.payers)) AND c.block < since.id >> 16)
               + (SELECT count(*)
                    FROM dpobj.ledger_events e
                   WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)
                     AND e.id >= since.id >> 16 << 16 AND e.id < since.id
                     AND (coalesce(b.role, -1) = -1 OR b.role = ANY (e.payers))) AS releases_before
          FROM dpobj.budget_rows b
          JOIN dpobj.budget_sums s ON s.id = b.id
          JOIN dpobj.identity_tables t ON t.id = b.relation
          LEFT JOIN dpobj.identity_roles r ON r.id = b.role
         CROSS JOIN LATERAL
               (SELECT max(e.id) AS id FROM events e
                 WHERE e.relation_identity = b.relation
                   AND CASE WHEN b.role = -1 THEN e.event = 'limit_budget' ELSE e.event IN ('set_budget', 'raise_budget') END
                   AND CASE WHEN coalesce(b.role, -1) = -1 THEN e.parameters ->> 'role' IS NULL
                            ELSE e.parameters ->> 'role' IN (r.role_name, r.recorded_name) END) since
         WHERE b.relation IN (SELECT id FROM family)),
      composed AS MATERIALIZED (
        SELECT a.accountant, c.*
          FROM unnest('{basic,zcdp,rdp,pld}'::text[]) a(accountant)
         CROSS JOIN LATERAL dpobj_internal.composed_charges($1, NULL, a.accountant, $2) c)
    SELECT jsonb_build_object(
      'relation', dpobj_internal.table_name($1),
      'at', statement_timestamp(),
      'version', (SELECT x.extversion FROM pg_extension x WHERE x.extname = 'dpobj'),
      'tables', (SELECT coalesce(jsonb_agg(i.name ORDER BY i.name), '[]')
                   FROM dpobj.identities i WHERE i.id IN (SELECT id FROM family)),
      'protection', (SELECT jsonb_build_object('adjacency', p.adjacency, 'person', p.person,
                              'max_rows_per_person', p.max_rows_per_person, 'since', p.at)
                       FROM dpobj.protections p WHERE p.relation IN (SELECT id FROM here)),
      'releases', (SELECT jsonb_build_object('charged', l.charged, 'released', l.charged - u.failed - u.open,
                            'failed', u.failed, 'open', u.open)
                     FROM ledger l, (SELECT count(*) FILTER (WHERE ended = 'failed') AS failed,
                                            count(*) FILTER (WHERE ended = 'open') AS open FROM unreleased) u),
      'open', (SELECT coalesce(jsonb_agg(o.id ORDER BY o.id), '[]')
                 FROM (SELECT id FROM unreleased WHERE ended = 'open' ORDER BY id LIMIT 100) o),
      'failed', (SELECT coalesce(jsonb_agg(o.id ORDER BY o.id), '[]')
                   FROM (SELECT id FROM unreleased WHERE ended = 'failed' ORDER BY id LIMIT 100) o),
      'labels', (SELECT coalesce(jsonb_object_agg(l.guarantee, l.releases), '{}') FROM labels l),
      'kinds', (SELECT coalesce(jsonb_agg(to_jsonb(k) ORDER BY k.role, k.mechanism, k.guarantee), '[]') FROM kinds k),
      'budgets', (SELECT coalesce(jsonb_agg(to_jsonb(b) - 'id' ORDER BY b.relation_name, b.of_owner DESC, b.all_roles DESC, b.role), '[]')
                    FROM budgets b),
      'sums_equal', (SELECT c.equal FROM counted c) AND (SELECT coalesce(bool_and(b.sums_equal), true) FROM budgets b),
      'neighbours', (SELECT c.neighbours FROM composed c LIMIT 1),
      'composed', (SELECT jsonb_object_agg(c.accountant, jsonb_build_object(
                            'epsilon', trim_scale(c.epsilon_nano * 0.000000001),
                            'delta', trim_scale(c.delta_units * 0.000000000000000001),
                            'rdp_order', c.rdp_order, 'assumes', c.assumes)) FROM composed c),
      'events', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'at', e.at, 'event', e.event,
                          'by', e.role_name, 'table', e.relation_name, 'parameters', e.parameters) ORDER BY e.id), '[]')
                   FROM events e))
  $$;
COMMENT ON FUNCTION dpobj_internal.report_contents(regclass, numeric) IS
  'internal: the contents of dpobj.report';

-- ---- in words ----

-- A name may have characters that break a line, and those that turn the direction of all that follows.
CREATE FUNCTION dpobj_internal.on_one_line(words text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$ SELECT regexp_replace($1, '[[:cntrl:]\u2028\u2029\u202a-\u202e\u2066-\u2069]+', ' ', 'g') $$;
COMMENT ON FUNCTION dpobj_internal.on_one_line(text) IS
  'internal: a text with a blank in the place of control characters, line breaks and overrides of the direction';

CREATE FUNCTION dpobj_internal.report_lines(words text, indent integer, width integer DEFAULT 100) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(string_agg(repeat(' ', $2) || m.line[1], E'\n'), '')
      FROM dpobj_internal.on_one_line($1) w(line),
           regexp_replace(w.line, format('(\S{%s})(?=\S)', $3 - $2), '\1 ', 'g') s(short),
           regexp_matches(s.short, format('(\S.{0,%s}\S|\S)(?:\s+|$)', $3 - 2 - $2), 'g') m(line)
  $$;
COMMENT ON FUNCTION dpobj_internal.report_lines(text, integer, integer) IS
  'internal: wraps a paragraph, and words that are too long for a line';

CREATE OR REPLACE FUNCTION dpobj_internal.report_releases(report jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT string_agg(concat_ws(E'\n',
             CASE WHEN k.first THEN dpobj_internal.report_lines('role ' || k.role, 2) END,
             format('    %-17s %-11s %8s %9s %7s %5s   %s', k.mechanism, k.guarantee, k.charged, k.released, k.failed, k.open,
                    CASE WHEN k.delta > 0 THEN format('%s, %s', k.epsilon, k.delta) ELSE k.epsilon::text END)),
             E'\n' ORDER BY k.place)
      FROM (SELECT x.*, x.place = min(x.place) OVER (PARTITION BY x.role) AS first
              FROM ROWS FROM (jsonb_to_recordset($1 -> 'kinds') AS (role text, mechanism text, guarantee text, charged bigint,
                                released bigint, failed bigint, open bigint, epsilon numeric, delta numeric))
                   WITH ORDINALITY x(role, mechanism, guarantee, charged, released, failed, open, epsilon, delta, place)) k
  $$;
COMMENT ON FUNCTION dpobj_internal.report_releases(jsonb) IS
  'internal: the releases of a report, as a table for each role';

CREATE FUNCTION dpobj_internal.report_budget(budget jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT ARRAY[
      format('epsilon %s, delta %s by %s%s%s', $1 ->> 'epsilon_limit', $1 ->> 'delta_limit', $1 ->> 'accountant',
        ' of order ' || ($1 ->> 'rdp_order'), ', at most ' || ($1 ->> 'max_releases') || ' releases'),
      format('spent: epsilon %s at delta %s in %s releases; %s',
        coalesce($1 ->> 'epsilon_spent', 'beyond all bounds'), $1 ->> 'delta_spent', $1 ->> 'releases',
        CASE WHEN ($1 ->> 'sums_equal')::boolean THEN 'the running sums equal the ledger'
             WHEN $1 ->> 'sums_equal' IS NULL THEN 'no running sum is kept yet; the next charge makes it'
             ELSE 'THE RUNNING SUMS DIFFER FROM THE LEDGER' END),
      CASE
        WHEN NOT ($1 ->> 'within')::boolean THEN
          'More has been spent than its caps allow, so it bounds nothing.'
        WHEN ($1 ->> 'releases_before')::bigint = 0 THEN
          'Its caps hold for all these releases, whatever was asked after which answer.'
        ELSE format('Its caps were last set or raised after %s of these releases: they hold, whatever was asked '
          'after which answer, if that decision did not depend on the answers.', $1 ->> 'releases_before') END]
  $$;
COMMENT ON FUNCTION dpobj_internal.report_budget(jsonb) IS
  'internal: a budget of a report, in words: its caps, what is spent, and whether they hold';

CREATE OR REPLACE FUNCTION dpobj_internal.report_event(event jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(' ',
      to_char(($1 ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI'), $1 ->> 'event', 'by', $1 ->> 'by',
      CASE WHEN $1 ->> 'event' IN ('set_budget', 'raise_budget', 'drop_budget')
           THEN 'for ' || coalesce('role ' || (p ->> 'role'), 'all roles') END,
      CASE $1 ->> 'event'
        WHEN 'set_budget' THEN format('to epsilon %s, delta %s by %s', p ->> 'epsilon', p ->> 'delta', p ->> 'accountant')
        WHEN 'raise_budget' THEN format('by epsilon %s, delta %s: %s', p ->> 'epsilon_added', p ->> 'delta_added',
                                        p ->> 'reason')
        WHEN 'limit_budget' THEN concat_ws(': ',
          CASE WHEN p ->> 'epsilon' IS NULL THEN 'to none'
               ELSE format('to epsilon %s, delta %s by %s', p ->> 'epsilon', p ->> 'delta', p ->> 'accountant') END,
          p ->> 'reason')
        WHEN 'protect' THEN concat(p ->> 'adjacency', ', person ' || (p ->> 'person'),
                                ', earlier_rows_per_person ' || (p ->> 'earlier_rows_per_person'))
        WHEN 'mark_part' THEN format('as a part of %s, for role %s', p ->> 'coordinator', p ->> 'role')
        WHEN 'remember_server' THEN format('%s of epoch %s', p ->> 'server', p ->> 'epoch') END)
      FROM (SELECT $1 -> 'parameters' AS p) e
  $$;
COMMENT ON FUNCTION dpobj_internal.report_event(jsonb) IS
  'internal: an administrative event of a report, in words';

CREATE FUNCTION dpobj_internal.report_neighbours(report jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE
        WHEN $1 -> 'protection' = 'null' THEN 'The table is not protected.'
        WHEN $1 -> 'protection' -> 'person' = 'null' THEN
          format('The table is protected: adjacency %s.', $1 -> 'protection' ->> 'adjacency')
        ELSE
          format('The table is protected: adjacency %s, persons by column %s with at most %s rows each.',
                 $1 -> 'protection' ->> 'adjacency', $1 -> 'protection' ->> 'person',
                 $1 -> 'protection' ->> 'max_rows_per_person')
        END || coalesce(' What is composed below is for tables where ' || ($1 ->> 'neighbours') || '.',
                        ' Its releases are about neighbours of several kinds, so that they have no total.')
  $$;
COMMENT ON FUNCTION dpobj_internal.report_neighbours(jsonb) IS
  'internal: which tables a report is about, in words';

CREATE FUNCTION dpobj_internal.report_assumptions(report jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT array_remove(ARRAY[
      'Sums below the caps of a budget hold for analysts who choose each release after the last answer. rdp at '
        'its best order and pld hold for releases that were all fixed before the first answer, and for no others.',
      'Releases labelled float: ' || (l ->> 'float') || '. Doubles decide something in their draw, which the proof does not cover.',
      'Releases labelled conditional: ' || (l ->> 'conditional') || '. A limit on time or memory could have stopped them, at a '
        'moment that the rows have a say in, or the number of their features was taken from a row; what that tells is not '
        'counted.',
      'Releases labelled unproven: ' || (l ->> 'unproven') || '. Their noise is as it was published; their epsilon is a claim, '
        'and so is every total above.'], NULL)
      FROM (SELECT $1 -> 'labels' AS l) r
  $$;
COMMENT ON FUNCTION dpobj_internal.report_assumptions(jsonb) IS
  'internal: what the totals of a report rest on, a paragraph each';

CREATE OR REPLACE FUNCTION dpobj.report_text(relation regclass, delta numeric DEFAULT NULL) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    WITH r AS MATERIALIZED (SELECT dpobj.report($1, $2) AS j)
    SELECT concat_ws(E'\n',
      dpobj_internal.report_lines('Privacy report of table ' || (r.j ->> 'relation'), 0),
      format('%s, dpobj %s', to_char((r.j ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI:SS TZ'), r.j ->> 'version'),
      '', 'NEIGHBOURS',
      dpobj_internal.report_lines(dpobj_internal.report_neighbours(r.j), 2),
      CASE WHEN jsonb_array_length(r.j -> 'tables') > 1 THEN
        dpobj_internal.report_lines('Releases from these tables count: '
          || (SELECT string_agg(t, ', ') FROM jsonb_array_elements_text(r.j -> 'tables') t) || '.', 2) END,
      '', 'COMPOSED GUARANTEE of all releases',
      (SELECT string_agg(concat_ws(E'\n',
                format('  %-6s ', a.name)
                  || coalesce('epsilon ' || (r.j -> 'composed' -> a.name ->> 'epsilon'), 'no epsilon')
                  || ' at delta ' || (r.j -> 'composed' -> a.name ->> 'delta')
                  || coalesce(' (order ' || (r.j -> 'composed' -> a.name ->> 'rdp_order') || ')', ''),
                dpobj_internal.report_lines(r.j -> 'composed' -> a.name ->> 'assumes', 9)), E'\n' ORDER BY a.place)
         FROM unnest('{basic,zcdp,rdp,pld}'::text[]) WITH ORDINALITY a(name, place)),
      '', 'BUDGETS: what holds whatever the analysts choose',
      coalesce((SELECT string_agg(dpobj_internal.report_lines(CASE at WHEN 1 THEN format('%s on %s: %s',
                           CASE WHEN (b -> 'of_owner')::boolean THEN 'the owner''s limit, for all roles together,'
                                WHEN (b -> 'all_roles')::boolean THEN 'all roles together' ELSE 'role ' || (b ->> 'role') END,
                           b ->> 'relation_name', line) ELSE line END, CASE at WHEN 1 THEN 2 ELSE 4 END), E'\n' ORDER BY place, at)
                  FROM jsonb_array_elements(r.j -> 'budgets') WITH ORDINALITY v(b, place),
                       unnest(dpobj_internal.report_budget(b)) WITH ORDINALITY w(line, at)),
               '  none: what is composed above is for releases that were fixed before the first answer.'),
      '', format('RELEASES: %s charged, %s released, %s failed, %s without an end', r.j -> 'releases' ->> 'charged',
                 r.j -> 'releases' ->> 'released', r.j -> 'releases' ->> 'failed', r.j -> 'releases' ->> 'open'),
      CASE WHEN jsonb_array_length(r.j -> 'kinds') > 0 THEN
        format('    %-17s %-11s %8s %9s %7s %5s   %s', 'mechanism', 'guarantee', 'charged', 'released', 'failed', 'open',
               'sums: epsilon, delta') END,
      dpobj_internal.report_releases(r.j),
      dpobj_internal.report_lines('Without an end: '
        || (SELECT string_agg(o, ', ') FROM jsonb_array_elements_text(r.j -> 'open') o)
        || CASE WHEN (r.j -> 'releases' ->> 'open')::bigint > jsonb_array_length(r.j -> 'open') THEN ', ...' ELSE '' END
        || '. They may have been released, and count.', 2),
      dpobj_internal.report_lines('Failed: '
        || (SELECT string_agg(o, ', ') FROM jsonb_array_elements_text(r.j -> 'failed') o)
        || CASE WHEN (r.j -> 'releases' ->> 'failed')::bigint > jsonb_array_length(r.j -> 'failed') THEN ', ...' ELSE '' END
        || '. They count too: a charge is never given back.', 2),
      '', 'ADMINISTRATION',
      coalesce((SELECT string_agg(dpobj_internal.report_lines(dpobj_internal.report_event(e), 2), E'\n' ORDER BY place)
                  FROM jsonb_array_elements(r.j -> 'events') WITH ORDINALITY v(e, place)), '  none'),
      '', 'WHAT IT RESTS ON',
      (SELECT string_agg(dpobj_internal.report_lines(line, 2), E'\n' ORDER BY place)
         FROM unnest(dpobj_internal.report_assumptions(r.j)) WITH ORDINALITY v(line, place))) || E'\n'
      FROM r
  $$;
COMMENT ON FUNCTION dpobj.report_text(regclass, numeric) IS
  'dpobj.report as text, in lines of 100 columns';
-- Schedules and their runs, as views

-- The charges of runs: models and answers of the role with names that its schedules have given, whatever they are called now.
CREATE OR REPLACE VIEW dpobj.schedule_charges AS
SELECT s.id,
       p.scheduled,
       m.name AS model,
       m.release,
       c.epsilon_nano,
       c.delta_units,
       c.at AS charged,
       e.at AS ended,
       CASE WHEN m.model IS NOT NULL OR m.answer IS NOT NULL THEN 'released' ELSE coalesce(e.event, 'charged') END AS state,
       CASE WHEN s.call IS NULL THEN m.model IS NOT NULL AND m.retired IS NULL ELSE m.answer IS NOT NULL END AS in_use
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
  JOIN dpobj.identity_roles r ON r.role = o.role
  JOIN dpobj.model_rows m ON m.owner = r.id AND m.key IS NULL AND pg_catalog.left(coalesce(m.charged_as, m.name), -17) = s.name
 CROSS JOIN LATERAL dpobj_internal.schedule_of_model(coalesce(m.charged_as, m.name)) p
  JOIN dpobj.ledger_events c ON c.id = m.release
  LEFT JOIN dpobj.ledger_events e ON e.release = m.release
 WHERE p.name = s.name;
COMMENT ON VIEW dpobj.schedule_charges IS 'charges of runs, by the ledger and the names of models and answers';
COMMENT ON COLUMN dpobj.schedule_charges.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_charges.scheduled IS 'scheduled time';
COMMENT ON COLUMN dpobj.schedule_charges.model IS 'name of the model or answer now, or of what was to be one; null: it was deleted';
COMMENT ON COLUMN dpobj.schedule_charges.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.schedule_charges.epsilon_nano IS 'charged epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.schedule_charges.delta_units IS 'charged delta in units of 1e-18';
COMMENT ON COLUMN dpobj.schedule_charges.charged IS 'when it was charged';
COMMENT ON COLUMN dpobj.schedule_charges.ended IS 'when it was released or failed; null: it has no end';
COMMENT ON COLUMN dpobj.schedule_charges.state IS 'released, failed or charged: may have been released';
COMMENT ON COLUMN dpobj.schedule_charges.in_use IS 'is there a model, which is not retired, or of a look or an evaluation an answer?';

CREATE OR REPLACE VIEW dpobj.schedules WITH (security_barrier) AS
SELECT s.name,
       o.role_name::text AS owner,
       s.cron,
       t.relation::regclass AS relation,
       coalesce(dpobj_internal.table_name(t.relation) COLLATE "C", t.relation_name) AS relation_name,
       s.label,
       s.epsilon,
       s.features,
       s.delta,
       s.method,
       s.options,
       s.filter,
       s.allowance,
       s.period,
       s.at,
       dpobj_internal.schedule_time(s.cron, pg_catalog.statement_timestamp(), true) AS next_run,
       dpobj_internal.schedule_model(s.name, dpobj_internal.schedule_time(s.cron, pg_catalog.statement_timestamp(), true)) AS next_model,
       (SELECT h.model FROM dpobj.schedule_charges h
         WHERE h.id = s.id AND h.in_use ORDER BY h.scheduled DESC LIMIT 1) AS latest_model,
       dpobj_internal.cron_job(s.name, o.role_name) AS job,
       dpobj_internal.cron_statement(s.name, s.cron, o.role_name) AS cron_statement,
       s.call
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
  LEFT JOIN dpobj.identity_tables t ON t.id = s.relation
 WHERE o.role_name = session_user
    OR (SELECT dpobj_internal.sees_all())
    OR (SELECT dpobj_internal.administers());
COMMENT ON VIEW dpobj.schedules IS 'schedules of the role that logged in, whatever SET ROLE says; all of them for administrators and dpobj_auditor';
COMMENT ON COLUMN dpobj.schedules.name IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedules.owner IS 'the role that it runs as and that is charged; null when it has gone';
COMMENT ON COLUMN dpobj.schedules.cron IS 'when it runs, on pg_cron''s clock';
COMMENT ON COLUMN dpobj.schedules.relation IS 'the table; null when there is none by that OID or name any more';
COMMENT ON COLUMN dpobj.schedules.relation_name IS 'schema-qualified, quoted name; of a table that is gone the last one';
COMMENT ON COLUMN dpobj.schedules.label IS 'label; null, like delta and method: a look or an evaluation';
COMMENT ON COLUMN dpobj.schedules.epsilon IS 'epsilon of one run';
COMMENT ON COLUMN dpobj.schedules.features IS 'features; null: all that are declared';
COMMENT ON COLUMN dpobj.schedules.delta IS 'delta of one run';
COMMENT ON COLUMN dpobj.schedules.method IS 'method';
COMMENT ON COLUMN dpobj.schedules.options IS 'options; of a look or an evaluation its arguments';
COMMENT ON COLUMN dpobj.schedules.filter IS 'filter';
COMMENT ON COLUMN dpobj.schedules.allowance IS 'epsilon that its runs may cost together in a period; null: no limit but the budgets''';
COMMENT ON COLUMN dpobj.schedules.period IS 'period of the allowance';
COMMENT ON COLUMN dpobj.schedules.at IS 'when it was made or changed';
COMMENT ON COLUMN dpobj.schedules.next_run IS 'next scheduled time';
COMMENT ON COLUMN dpobj.schedules.next_model IS 'name that the model or answer of that run will have';
COMMENT ON COLUMN dpobj.schedules.latest_model IS 'name of the model of the last run whose model is in use, neither retired nor deleted, or of the last answer; null: there is none';
COMMENT ON COLUMN dpobj.schedules.job IS 'pg_cron''s job; null: it has none, or not in this database, or you may not see it';
COMMENT ON COLUMN dpobj.schedules.cron_statement IS 'where there is no job, what a superuser runs in the database of pg_cron';
COMMENT ON COLUMN dpobj.schedules.call IS 'function of the look or evaluation; null: dpobj.train';

CREATE OR REPLACE VIEW dpobj.schedule_runs WITH (security_barrier) AS
SELECT s.name AS schedule,
       o.role_name::text AS owner,
       u.scheduled,
       u.state,
       CASE WHEN u.state = 'released' THEN u.model END AS model,
       u.release,
       pg_catalog.trim_scale(u.epsilon_nano OPERATOR(pg_catalog.*) 0.000000001) AS epsilon,
       pg_catalog.trim_scale(u.delta_units OPERATOR(pg_catalog.*) 0.000000000000000001) AS delta,
       u.started,
       u.finished,
       u.sqlstate,
       u.message
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
 CROSS JOIN LATERAL
       (SELECT coalesce(h.scheduled, r.scheduled) AS scheduled,
               coalesce(h.state, r.state) AS state,
               h.model,
               h.release,
               h.epsilon_nano,
               h.delta_units,
               coalesce(r.started, h.charged) AS started,
               coalesce(r.finished, h.ended) AS finished,
               r.sqlstate,
               r.message
          FROM (SELECT * FROM dpobj.schedule_charges x WHERE x.id = s.id) h
          FULL JOIN (SELECT * FROM dpobj.schedule_run_rows x WHERE x.schedule = s.id) r
            ON r.scheduled = h.scheduled) u
 WHERE o.role_name = session_user
    OR (SELECT dpobj_internal.sees_all())
    OR (SELECT dpobj_internal.administers());
COMMENT ON VIEW dpobj.schedule_runs IS 'runs of the schedules of the role that logged in, whatever SET ROLE says; all of them for administrators and dpobj_auditor';
COMMENT ON COLUMN dpobj.schedule_runs.schedule IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedule_runs.owner IS 'role whose schedule it is; null when it has gone';
COMMENT ON COLUMN dpobj.schedule_runs.scheduled IS 'scheduled time; a run that was late or repeated has the last one before it began';
COMMENT ON COLUMN dpobj.schedule_runs.state IS 'released; skipped: budget or allowance is used up, or there is no model to rate, and nothing was charged; failed; charged: the run ended without a word and may have released';
COMMENT ON COLUMN dpobj.schedule_runs.model IS 'name of the model in dpobj.models, or of the answer in dpobj.answers; null: there is none, or it was deleted';
COMMENT ON COLUMN dpobj.schedule_runs.release IS 'id of the charge in dpobj.ledger; null: nothing was charged';
COMMENT ON COLUMN dpobj.schedule_runs.epsilon IS 'charged epsilon';
COMMENT ON COLUMN dpobj.schedule_runs.delta IS 'charged delta';
COMMENT ON COLUMN dpobj.schedule_runs.started IS 'when the run was started';
COMMENT ON COLUMN dpobj.schedule_runs.finished IS 'when it ended; null: it has no end';
COMMENT ON COLUMN dpobj.schedule_runs.sqlstate IS 'SQLSTATE of why it was skipped or failed';
COMMENT ON COLUMN dpobj.schedule_runs.message IS 'why, in the words that a caller of the function would have got';
-- Training: the default method is auto

CREATE OR REPLACE FUNCTION dpobj.train(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL) RETURNS @extschema@.dp_model
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_train';
COMMENT ON FUNCTION dpobj.train(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text) IS
  'trains a model on a protected table under a budget of the session''s role';

CREATE OR REPLACE FUNCTION dpobj.train_groups(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL, by text[] DEFAULT NULL)
  RETURNS TABLE (key text[], model @extschema@.dp_model)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_train_by';
COMMENT ON FUNCTION dpobj.train_groups(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text, text[]) IS
  'trains a model for each combination of declared values of the columns in by, on a protected table, for one charge';

CREATE OR REPLACE FUNCTION dpobj.submit(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL) RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_submit_training';
COMMENT ON FUNCTION dpobj.submit(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text) IS
  'queues dpobj.train, under a name, to run in the background once the transaction has committed; returns the job''s number';

CREATE OR REPLACE FUNCTION dpobj.submit_answer(call text, relation regclass, arguments jsonb, name text) RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_submit_answer';
COMMENT ON FUNCTION dpobj.submit_answer(text, regclass, jsonb, text) IS
  'queues a look or an evaluation, by the name of its function and its other arguments, to run in the background once the transaction has committed; its answer is kept under the name; returns the job''s number';

CREATE OR REPLACE FUNCTION dpobj.price(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_price_training';
COMMENT ON FUNCTION dpobj.price(regclass, text, numeric, text[], numeric, text, jsonb, jsonb) IS
  'what dpobj.train on a protected table would cost, or dpobj.evaluate, dpobj.confusion or dpobj.select with method accuracy, confusion or select; how large the error may be, and how many such calls fit into the session''s budgets';

-- Raises an error without a context, which would show dpobj's own statements.
CREATE OR REPLACE FUNCTION dpobj_internal.schedule_fail(code text, message text, detail text, hint text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_schedule_fail';
COMMENT ON FUNCTION dpobj_internal.schedule_fail(text, text, text, text) IS
  'internal: raises an error without a context, which would name internal functions';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_put(relation regclass, label text, epsilon numeric, features text[],
    delta numeric, method text, options jsonb, filter jsonb, name text, cron text, allowance numeric, period interval,
    call text DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_training';
COMMENT ON FUNCTION dpobj_internal.schedule_put(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text, text, numeric, interval, text) IS
  'internal: makes or changes a schedule of one''s own, which pg_cron does not know yet';

-- The statement of a look or an evaluation has no parameters, so that a job and a run of a schedule call it the same way.
CREATE FUNCTION dpobj_internal.answer_statement(call text, relation regclass, arguments jsonb, name text) RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_answer_statement';
COMMENT ON FUNCTION dpobj_internal.answer_statement(text, regclass, jsonb, text) IS
  'internal: the statement that calls a look or an evaluation, whose answer is kept under the name';

CREATE FUNCTION dpobj_internal.schedule_rated(arguments jsonb) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce((SELECT $1 || jsonb_build_object('model', s.latest_model)
                       FROM dpobj.schedules s
                      WHERE s.owner = session_user AND s.name = $1 ->> 'model' AND s.call IS NULL
                            AND NOT EXISTS (SELECT FROM dpobj.models m WHERE m.owner = session_user AND m.name = $1 ->> 'model')), $1)
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_rated(jsonb) IS
  'internal: the arguments of a call, with the newest model in use of a schedule in place of the schedule''s name; null: it has none';

-- A training's schedule may be named by argument model only: a run replaces no other (dpobj_internal.schedule_rated).
CREATE FUNCTION dpobj_internal.schedule_models(call text, arguments jsonb) RETURNS void
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    argument constant text := CASE $1 WHEN 'select' THEN 'models' ELSE 'model' END;
    names text[];
    missing text;
  BEGIN
    IF NOT $2 ? argument THEN
      RETURN;
    ELSIF $2 ->> argument IS NULL THEN
      RAISE EXCEPTION '% must not be null', argument USING ERRCODE = 'invalid_parameter_value';
    ELSIF argument = 'model' THEN
      names := ARRAY[$2 ->> argument];
    ELSIF jsonb_typeof($2 -> argument) = 'array' THEN
      names := ARRAY(SELECT jsonb_array_elements_text($2 -> argument));
    ELSE
      names := ($2 ->> argument)::text[];
    END IF;
    SELECT n.name INTO missing
      FROM unnest(names) WITH ORDINALITY n(name, place)
     WHERE NOT EXISTS (SELECT FROM dpobj.models m WHERE m.owner = session_user AND m.name = n.name)
           AND (argument = 'models' OR NOT EXISTS (SELECT FROM dpobj.schedules s WHERE s.owner = session_user AND s.name = n.name AND s.call IS NULL))
     ORDER BY n.place LIMIT 1;
    IF FOUND AND missing IS NULL THEN
      RAISE EXCEPTION 'models must not contain nulls' USING ERRCODE = 'invalid_parameter_value';
    ELSIF FOUND AND argument = 'models' THEN
      RAISE EXCEPTION 'role "%" has no model "%"', session_user, missing
        USING ERRCODE = 'undefined_object', HINT = 'The models are in dpobj.models.';
    ELSIF FOUND THEN
      RAISE EXCEPTION 'role "%" has no model and no schedule of a training "%"', session_user, missing
        USING ERRCODE = 'undefined_object',
              HINT = 'The models are in dpobj.models, the schedules in dpobj.schedules.';
    END IF;
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_models(text, jsonb) IS
  'internal: refuses the arguments of a scheduled call if the session user has no model of a name in them';

CREATE FUNCTION dpobj_internal.schedule_start(name text) RETURNS bigint
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    database constant text := dpobj_internal.cron_database();
    asked record;
    job bigint;
    jobname text;
    code text;
    message text;
    detail text;
    hint text;
    prices constant boolean := has_function_privilege('dpobj.price(regclass, text, numeric, text[], numeric, text, jsonb, jsonb)', 'EXECUTE');
  BEGIN
    -- Reports an invalid request now, not at the first run.
    SELECT s.* INTO asked FROM dpobj.schedules s WHERE s.owner = session_user AND s.name = $1;
    IF asked.call IS NULL AND prices THEN
      PERFORM dpobj.price(asked.relation, asked.label, asked.epsilon, asked.features, asked.delta, asked.method, asked.options,
                          asked.filter);
    ELSIF asked.call IN ('sum', 'avg', 'histogram') AND asked.options ->> 'column' IS NULL THEN
      RAISE EXCEPTION 'column must not be null' USING ERRCODE = 'invalid_parameter_value';
    ELSIF asked.call IN ('count', 'sum', 'avg', 'histogram') AND prices THEN
      PERFORM dpobj.price(asked.relation, asked.options ->> 'column', asked.epsilon, method => asked.call,
                          options => coalesce(nullif(asked.options -> 'options', 'null'), '{}')
                            || CASE jsonb_typeof(asked.options -> 'by') WHEN 'array' THEN jsonb_build_object('by', asked.options -> 'by')
                                    ELSE '{}' END,
                          filter => nullif(asked.options -> 'filter', 'null'));
    ELSIF asked.call IS NOT NULL THEN
      PERFORM dpobj_internal.schedule_models(asked.call, asked.options);
    END IF;
    IF database IS NULL THEN
      RAISE EXCEPTION 'pg_cron is not loaded'
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'Schedules are started by pg_cron, which must be loaded when the server starts.',
              HINT = format('Install it, add pg_cron to shared_preload_libraries, set cron.database_name to %L, '
                            'restart the server, and run CREATE EXTENSION pg_cron.', current_database());
    ELSIF NOT (SELECT r.rolcanlogin FROM pg_roles r WHERE r.rolname = session_user) THEN
      RAISE EXCEPTION 'role "%" cannot log in', session_user
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'pg_cron runs a schedule as the role that made it.',
              HINT = format('Make the schedule as a role that can, or run ALTER ROLE %I LOGIN.', session_user);
    ELSIF database <> current_database() THEN
      RAISE NOTICE 'pg_cron does not know schedule "%" yet', $1
        USING DETAIL = format('It has its jobs in database "%s".', database),
              HINT = 'A superuser can run there: ' || dpobj_internal.cron_statement($1, asked.cron, session_user);
      RETURN NULL;
    ELSIF NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron') THEN
      RAISE EXCEPTION 'extension "pg_cron" is not installed'
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'A superuser can run CREATE EXTENSION pg_cron.';
    ELSIF NOT dpobj_internal.cron_is_here() THEN
      RAISE EXCEPTION 'permission denied for schema cron'
        USING ERRCODE = 'insufficient_privilege',
              HINT = format('A superuser can run GRANT USAGE ON SCHEMA cron TO %I.', session_user);
    END IF;
    -- A job with another name, from an older version or after a restore, is kept instead of a second one.
    job := dpobj_internal.cron_job($1, session_user);
    IF job IS NOT NULL THEN
      EXECUTE 'SELECT j.jobname FROM cron.job j WHERE j.jobid = $1' INTO jobname USING job;
    END IF;
    EXECUTE format('SELECT cron.schedule(%L, %L, %L)', coalesce(jobname, dpobj_internal.cron_jobname($1)), asked.cron,
                   dpobj_internal.cron_command($1))
      INTO job;
    RETURN job;
  EXCEPTION
    WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
                              hint = PG_EXCEPTION_HINT;
      PERFORM dpobj_internal.schedule_fail(code, message, detail, hint);
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_start(text) IS
  'internal: checks a schedule that was written just now, and gives it a job of pg_cron, which it returns';

CREATE OR REPLACE FUNCTION dpobj.schedule(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'auto', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL, cron text DEFAULT NULL, allowance numeric DEFAULT NULL,
    period interval DEFAULT '1 month') RETURNS bigint
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  BEGIN
    -- The intercept is always stored, because schedules of 0.2.0 without the option have none.
    PERFORM dpobj_internal.schedule_put($1, $2, $3, $4, $5, $6, CASE WHEN $6 = 'simplex' THEN $7
                                        ELSE '{"intercept": true}' || coalesce($7, '{}') END, $8, $9, $10, $11, $12);
    RETURN dpobj_internal.schedule_start($9);
  END
  $$;
COMMENT ON FUNCTION dpobj.schedule(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text, text, numeric, interval) IS
  'has pg_cron train a model on a protected table at the times of a cron line; returns the number of its job. A second call with the same name changes the schedule';

CREATE FUNCTION dpobj.schedule_evaluation(call text, relation regclass, arguments jsonb, name text, cron text,
    allowance numeric DEFAULT NULL, period interval DEFAULT '1 month') RETURNS bigint
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  BEGIN
    PERFORM dpobj_internal.schedule_put($2, NULL, NULL, NULL, NULL, NULL, $3, NULL, $4, $5, $6, $7, coalesce($1, ''));
    RETURN dpobj_internal.schedule_start($4);
  END
  $$;
COMMENT ON FUNCTION dpobj.schedule_evaluation(text, regclass, jsonb, text, text, numeric, interval) IS
  'has pg_cron make a look or an evaluation, with a call and arguments as for dpobj.submit_answer, at the times of a cron line; each answer is kept. Argument model may name a training''s schedule: each run rates its newest model in use. Returns the number of its job';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_missing(name text) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  BEGIN
    PERFORM dpobj_internal.schedule_fail('42704', format('there is no schedule "%s" of role "%s"', $1, session_user), NULL,
                                'See dpobj.schedules. If pg_cron asked, remove its job.');
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_missing(text) IS
  'internal: raises the error that the session user has no schedule of that name';

CREATE OR REPLACE FUNCTION dpobj_internal.schedule_begin() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_schedule_begin';
COMMENT ON FUNCTION dpobj_internal.schedule_begin() IS
  'internal: raises an error if a procedure cannot commit, as in a transaction block';

/*
 * One scheduled time is charged once: a release that failed, or whose end is unknown, is not
 * repeated before the next scheduled time.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.schedule_attempt(name text, OUT outcome text, OUT code text, OUT message text) RETURNS record
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    began constant timestamptz := clock_timestamp();
    zone constant text := coalesce(dpobj_internal.cron_timezone(), 'GMT');
    due timestamptz;
    asked record;
    had record;
    spent numeric;
    arguments jsonb;
    detail text;
  BEGIN
    PERFORM dpobj_internal.schedule_enter();
    SELECT s.cron, s.relation, s.relation_name, s.label, s.epsilon, s.features, s.delta, s.method, s.options, s.filter,
           s.allowance, s.period, s.call
      INTO asked FROM dpobj.schedules s WHERE s.owner = session_user AND s.name = $1;
    IF NOT FOUND THEN
      PERFORM dpobj_internal.schedule_missing($1);
    END IF;
    due := dpobj_internal.schedule_time(asked.cron, statement_timestamp());
    SELECT r.state, r.release, r.sqlstate, r.message INTO had
      FROM dpobj.schedule_runs r WHERE r.owner = session_user AND r.schedule = $1 AND r.scheduled = due;
    IF had.release IS NOT NULL THEN
      outcome := CASE had.state WHEN 'released' THEN 'released' ELSE 'failed' END;
      IF outcome = 'failed' THEN
        code := coalesce(had.sqlstate, 'UB004');
        message := coalesce(had.message, 'the run was charged already and has no end');
      END IF;
      RETURN;
    END IF;

    BEGIN
      -- On pg_cron's clock a day is from one daily run to the next, whatever zone the session has.
      SELECT coalesce(sum(r.epsilon), 0) INTO spent
        FROM dpobj.schedule_runs r
       WHERE r.owner = session_user AND r.schedule = $1
         AND r.scheduled > (due AT TIME ZONE zone - asked.period) AT TIME ZONE zone;
      IF spent + asked.epsilon > asked.allowance THEN
        RAISE EXCEPTION 'allowance used up: epsilon: % spent in %, % asked, % allowed', spent, asked.period,
                        asked.epsilon, asked.allowance USING ERRCODE = 'UB001';
      ELSIF asked.relation IS NULL THEN
        RAISE EXCEPTION 'table % does not exist', asked.relation_name USING ERRCODE = 'undefined_table';
      END IF;
      IF asked.call IS NOT NULL THEN
        arguments := dpobj_internal.schedule_rated(asked.options);
        IF arguments ->> 'model' IS NULL AND asked.options ->> 'model' IS NOT NULL THEN
          outcome := 'skipped';
          RAISE EXCEPTION 'schedule "%" has no model in use', asked.options ->> 'model' USING ERRCODE = 'undefined_object';
        END IF;
        EXECUTE dpobj_internal.answer_statement(asked.call, asked.relation, arguments, dpobj_internal.schedule_model($1, due));
      ELSE
        PERFORM dpobj.train(asked.relation, asked.label, asked.epsilon, asked.features, asked.delta, asked.method,
                            '{"intercept": false}' || coalesce(asked.options, '{}'), asked.filter, dpobj_internal.schedule_model($1, due));
      END IF;
      outcome := 'released';
    EXCEPTION
      WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
        outcome := CASE code WHEN 'UB001' THEN 'skipped' ELSE coalesce(outcome, 'failed') END;
        message := concat_ws(E'\n', message, nullif(detail, ''));
    END;
    PERFORM dpobj_internal.schedule_record($1, due, began, outcome, code, message);
  END
  $$;
COMMENT ON FUNCTION dpobj_internal.schedule_attempt(text) IS
  'internal: one run of a schedule of the session user; records errors instead of raising them if it can';

/*
 * The record is committed before a failure is reported to pg_cron.  In a transaction block the
 * record could be lost, so the procedure raises an error there, before a charge.  The first COMMIT
 * lets the run see what was committed while it waited.  A procedure that commits cannot set
 * search_path, so names are qualified.
 */
CREATE OR REPLACE PROCEDURE dpobj.run_schedule(name text)
  LANGUAGE plpgsql
  AS $$
  DECLARE
    run record;
  BEGIN
    IF NOT EXISTS (SELECT FROM dpobj.schedules s
                    WHERE s.owner OPERATOR(pg_catalog.=) session_user AND s.name OPERATOR(pg_catalog.=) $1) THEN
      PERFORM dpobj_internal.schedule_missing($1);
    END IF;
    PERFORM dpobj_internal.schedule_begin();
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SELECT a.outcome, a.code, a.message INTO run FROM dpobj_internal.schedule_attempt($1) a;
    COMMIT;
    IF run.outcome OPERATOR(pg_catalog.=) 'failed' THEN
      PERFORM dpobj_internal.schedule_fail(run.code, run.message, NULL, NULL);
    END IF;
  END
  $$;
COMMENT ON PROCEDURE dpobj.run_schedule(text) IS
  'runs a schedule of the session user for its last scheduled time, once; pg_cron calls it';

-- Jobs: why a queued job waits, and what is kept of an ended job
COMMENT ON COLUMN dpobj.jobs.reason IS 'why it failed, as far as that is public; why a queued job waits, if that is known';
COMMENT ON COLUMN dpobj.job_rows.features IS 'columns; null: all that are declared, or the job has ended';
COMMENT ON COLUMN dpobj.job_rows.options IS 'options; null: the job has ended';
COMMENT ON COLUMN dpobj.job_rows.filter IS 'filter; null: none, or the job has ended';
-- Drift: how the shares of a column's bins have changed from one kept histogram to another

-- The noise has at least this epsilon, because a charge is rounded up.
CREATE VIEW dpobj.kept_histograms AS
SELECT a.name,
       a.relation_name,
       a.parameters ->> 'column' AS "column",
       pg_catalog.jsonb_build_object('table', l.relation_identity, 'column', a.parameters -> 'column', 'by', a.parameters -> 'by',
         'filter', a.parameters -> 'filter', 'bins', b.bins) AS asked,
       a.answer,
       greatest(l.epsilon_nano - 1, 1) AS epsilon_nano,
       l.adjacency,
       coalesce((a.parameters ->> 'max_rows_per_person')::bigint, 1) AS rows_per_person,
       a.owner,
       a.created,
       pg_catalog.trim_scale(l.epsilon_nano * 0.000000001) AS epsilon,
       a.release,
       a.owns
  FROM dpobj.kept_answers a
  JOIN dpobj.ledger_events l ON l.id = a.release
 CROSS JOIN LATERAL
       (SELECT pg_catalog.jsonb_agg(r.bin - '{value,low,high,level}'::text[] ORDER BY r.place) AS bins
          FROM pg_catalog.jsonb_array_elements(a.answer) WITH ORDINALITY r(bin, place)) b
 WHERE a.kind = 'histogram';
COMMENT ON VIEW dpobj.kept_histograms IS 'kept histograms of all roles, and what is known of their noise';
COMMENT ON COLUMN dpobj.kept_histograms.name IS 'name of the answer; null: none';
COMMENT ON COLUMN dpobj.kept_histograms.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.kept_histograms."column" IS 'the column';
COMMENT ON COLUMN dpobj.kept_histograms.asked IS 'what must be the same of two histograms that are compared';
COMMENT ON COLUMN dpobj.kept_histograms.answer IS 'the noisy numbers of rows: an array with an object for each bin';
COMMENT ON COLUMN dpobj.kept_histograms.epsilon_nano IS 'epsilon of the noise, in units of 1e-9, rounded down';
COMMENT ON COLUMN dpobj.kept_histograms.adjacency IS 'replace or add_remove';
COMMENT ON COLUMN dpobj.kept_histograms.rows_per_person IS 'rows that count of a person; 1 where rows are protected';
COMMENT ON COLUMN dpobj.kept_histograms.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.kept_histograms.created IS 'when it was released';
COMMENT ON COLUMN dpobj.kept_histograms.epsilon IS 'what it cost';
COMMENT ON COLUMN dpobj.kept_histograms.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.kept_histograms.owns IS 'is it the current role''s own, or is this role a superuser?';

CREATE FUNCTION dpobj.drift(before text, after text, level float8 DEFAULT 0.95)
  RETURNS TABLE (key text[], bin text, share_before float8, share_after float8, difference float8, low float8, high float8, level float8)
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_drift';
COMMENT ON FUNCTION dpobj.drift(text, text, float8) IS
  'how the share of each bin has changed between two kept histograms of one''s own, of the same table, column, by and filter; free, with the interval of the noise alone';

CREATE FUNCTION dpobj_internal.drift_total(before dpobj.kept_histograms, after dpobj.kept_histograms, level float8,
    OUT value float8, OUT low float8, OUT high float8) RETURNS record
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_drift_total';
COMMENT ON FUNCTION dpobj_internal.drift_total(dpobj.kept_histograms, dpobj.kept_histograms, float8) IS
  'internal: the total variation distance of two histograms of the same bins';

CREATE VIEW dpobj.drifts WITH (security_barrier) AS
SELECT h.name,
       (h.first).name AS first,
       h.relation_name,
       h."column",
       t.value,
       t.low,
       t.high,
       h.level,
       h.owner,
       h.created,
       h.epsilon,
       h.release
  FROM (SELECT k.*, k AS this,
               pg_catalog.first_value(k) OVER (PARTITION BY k.owner, k.asked ORDER BY k.release) AS first,
               0.95::float8 AS level
          FROM dpobj.kept_histograms k
         WHERE k.owns OR (SELECT dpobj_internal.sees_all())) h
 CROSS JOIN LATERAL dpobj_internal.drift_total(h.first, h.this, h.level) t
 WHERE h.release <> (h.first).release;
COMMENT ON VIEW dpobj.drifts IS 'how far each kept histogram of the current role is from the first one of the same table, column, by and filter, free to read; those of all roles for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.drifts.name IS 'name of the histogram in dpobj.answers; null: none';
COMMENT ON COLUMN dpobj.drifts.first IS 'name of the first one';
COMMENT ON COLUMN dpobj.drifts.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.drifts."column" IS 'the column';
COMMENT ON COLUMN dpobj.drifts.value IS 'total variation distance: half the sum of the sizes of the differences of shares, from 0 to 1; noise makes it larger; null: the noise left no rows';
COMMENT ON COLUMN dpobj.drifts.low IS 'the truth on these rows is not below it, but for a chance of 1 - level for both ends: the noise alone; 0 where the noise may explain all';
COMMENT ON COLUMN dpobj.drifts.high IS 'nor above it';
COMMENT ON COLUMN dpobj.drifts.level IS 'how sure the interval is';
COMMENT ON COLUMN dpobj.drifts.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.drifts.created IS 'when it was released';
COMMENT ON COLUMN dpobj.drifts.epsilon IS 'what it cost; the comparison costs nothing';
COMMENT ON COLUMN dpobj.drifts.release IS 'id of the charge in dpobj.ledger';
-- What is known of a model: dpobj.show, dpobj.model_card and the auditor's page are made of it

CREATE FUNCTION dpobj_internal.named_model(name text, owner regrole) RETURNS @extschema@.dp_model
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_named_model';
COMMENT ON FUNCTION dpobj_internal.named_model(text, regrole) IS
  'internal: a model of the current role or one that is shared with it';

/*
 * It takes several models, because each look for their ratings reads all answers. The registry's part
 * (name, owner, comment, ratings) is what the current role may see. Of the ratings it has the last
 * three with a number and the last three without.
 */
CREATE FUNCTION dpobj_internal.model_facts(models @extschema@.dp_model[]) RETURNS SETOF jsonb
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    WITH
      given AS MATERIALIZED (
        SELECT p.place, v.model, dpobj.model_hash(v.model) AS hash, (v.model).details #> '{group,key}' AS key
          FROM generate_subscripts($1, 1) p(place) CROSS JOIN LATERAL (SELECT ($1)[p.place] AS model) v),
      ratings AS MATERIALIZED (
        SELECT v.name, v.kind, v.value, v.low, v.high, v.sample_low, v.sample_high, v.level, v.relation_name, v.created, v.release, v.holdout,
               a.parameters ->> 'filter' AS filter, a.parameters -> 'model' AS model, a.parameters #> '{keys,0}' AS key
          FROM dpobj.answers a JOIN dpobj.evaluations v USING (release)
         WHERE a.parameters -> 'model' IN (SELECT to_jsonb((g.model).release) FROM given g))
    SELECT jsonb_build_object(
        'name', k.name, 'owner', k.owner, 'release', m.release, 'comment', k.comment, 'retired', k.retired,
        'hash', encode(g.hash, 'hex'), 'verified', dpobj.verify(g.model),
        'predicts', format(CASE
            WHEN m.kind IN ('softmax', 'one_vs_rest') THEN '%1$s: which of %2$s'
            WHEN m.kind IN ('linear', 'simplex') THEN '%1$s: a number%3$s'
            ELSE 'whether %1$s is %4$s' END || ' (%5$s, by %6$s)',
          coalesce(m.details ->> 'label', 'the label'),
          (SELECT string_agg(c.name, ', ' ORDER BY c.place)
             FROM jsonb_array_elements_text(m.details -> 'classes') WITH ORDINALITY c(name, place)),
          ' from ' || (m.details #>> '{target,0}') || ' to ' || (m.details #>> '{target,1}'),
          coalesce(btrim(coalesce(m.details #>> '{options,positive}', m.details -> 'encoders' -> (m.details ->> 'label') ->> 'positive'), '[]'),
                   CASE m.details -> 'types' ->> (m.details ->> 'label') WHEN 'boolean' THEN 'true' END, 'positive'),
          m.kind, m.mechanism),
        'from', concat_ws(', ',
          coalesce(m.details ->> 'relation', k.relation_name, 'arrays of a table that it does not name'),
          to_char(k.created, 'YYYY-MM-DD'),
          (SELECT string_agg(format('%s = %s', coalesce(x.by, 'key'), x.key), ', ' ORDER BY x.place)
             FROM ROWS FROM (jsonb_array_elements_text(m.details #> '{group,by}'), jsonb_array_elements_text(g.key))
                  WITH ORDINALITY x(by, key, place)),
          'filter ' || (m.details ->> 'filter'), (m.details ->> 'holdout') || ' of the rows held out'),
        'for', format('epsilon %s, delta %s; guarantee %s', m.epsilon, m.delta, m.guarantee),
        'neighbours', CASE
          WHEN m.details ? 'person' THEN format('tables that differ in the rows of one person (column %s), at most %s each',
                                                m.details ->> 'person', m.details ->> 'max_rows_per_person')
          WHEN m.adjacency = 'replace' THEN 'tables that differ in one row'
          ELSE 'tables of which one has one row more' END,
        'points', (SELECT jsonb_agg(jsonb_build_object('class', s.class, 'feature', s.feature, 'level', s.level,
                                                       'points', s.points, 'weight', s.weight) ORDER BY s."position")
                     FROM dpobj.scorecard(g.model) s),
        'ratings', (SELECT coalesce(jsonb_agg(to_jsonb(r) - '{model,key,recent}'::text[]
                                            || CASE WHEN g.key IS NOT NULL AND r.filter IS NULL THEN '{"all_groups": true}' ELSE '{}' END::jsonb
                                          ORDER BY r.release), '[]')
                      FROM (SELECT x.*, row_number() OVER (PARTITION BY x.value IS NULL ORDER BY x.release DESC) AS recent
                              FROM ratings x
                             WHERE k.release IS NOT NULL AND x.model = to_jsonb(m.release)
                               AND coalesce(x.key, 'null') = coalesce(g.key, 'null')) r
                     WHERE r.recent <= 3))
      FROM given g
     CROSS JOIN LATERAL (SELECT (g.model).*) m
      LEFT JOIN LATERAL (SELECT * FROM dpobj.models v WHERE v.release = m.release AND dpobj.model_hash(v.model) = g.hash) k ON true
     ORDER BY g.place
  $$;
COMMENT ON FUNCTION dpobj_internal.model_facts(@extschema@.dp_model[]) IS
  'internal: an object for each model: what it predicts and learned, from what, for how much, and its last ratings';

-- The ends are rounded outwards, so that the interval holds the truth as often as it says. R-squared may
-- have no lower end, and in PostgreSQL 13 a numeric cannot say so.
CREATE FUNCTION dpobj_internal.rating_interval(low float8, high float8) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('%s to %s', CASE WHEN $1 = '-Infinity' THEN $1::text ELSE round(floor($1::numeric * 1000) / 1000, 3)::text END,
                  round(ceil($2::numeric * 1000) / 1000, 3))
  $$;
COMMENT ON FUNCTION dpobj_internal.rating_interval(float8, float8) IS 'internal: an interval with three decimals, which holds the given one';

CREATE FUNCTION dpobj_internal.rating_words(rating jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(', ',
      format(CASE WHEN r.value IS NOT NULL THEN '%1$s %2$s, %3$s at level %4$s'
                  WHEN r.kind IN ('accuracy', 'residuals', 'auc') THEN '%1$s: the noise left no number'
                  WHEN r.name IS NULL THEN '%1$s kept without a name'
                  ELSE '%1$s kept as %5$s' END,
             CASE r.kind WHEN 'residuals' THEN 'R-squared' ELSE r.kind END,
             round(r.value::numeric, 3), dpobj_internal.rating_interval(r.low, r.high), r.level, r.name),
      'on ' || r.relation_name, to_char(r.created, 'YYYY-MM-DD'), 'filter ' || r.filter, CASE WHEN r.all_groups THEN 'rows of all groups' END,
      'rows held out at ' || r.holdout)
      FROM jsonb_to_record($1) r(name text, kind text, value float8, low float8, high float8, level float8,
                                 relation_name text, created timestamptz, filter text, all_groups boolean, holdout text)
  $$;
COMMENT ON FUNCTION dpobj_internal.rating_words(jsonb) IS 'internal: a rating of dpobj_internal.model_facts in words';

-- Three digits of a number that is not 0.
CREATE FUNCTION dpobj_internal.show_number(value float8) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN n = 0 THEN '0' ELSE trim_scale(round(n, greatest(2 - floor(log(abs(n)))::integer, 0)))::text END
      FROM (SELECT $1::numeric AS n) v
  $$;
COMMENT ON FUNCTION dpobj_internal.show_number(float8) IS 'internal: a number with three digits';

-- The points of a model that count most, in the order of the scorecard.
CREATE FUNCTION dpobj_internal.largest_points(facts jsonb, most integer)
  RETURNS TABLE (place bigint, class text, feature text, level text, shown text, weight float8)
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT r.place, r.class, r.feature, r.level, coalesce(r.points::text, dpobj_internal.show_number(r.weight)), r.weight
      FROM (SELECT p.*, row_number() OVER (ORDER BY abs(p.weight) DESC NULLS LAST, p.place) AS rank
              FROM ROWS FROM (jsonb_to_recordset($1 -> 'points') AS (class text, feature text, level text, points integer, weight float8))
                   WITH ORDINALITY p(class, feature, level, points, weight, place)) r
     WHERE r.rank <= $2
     ORDER BY r.place
  $$;
COMMENT ON FUNCTION dpobj_internal.largest_points(jsonb, integer) IS
  'internal: the points of dpobj_internal.model_facts, or so many that are furthest from 0';
-- Models as text, for people

CREATE FUNCTION dpobj_internal.show_line(head text, words text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT overlay(dpobj_internal.report_lines($2, 13, 78) PLACING rpad('  ' || $1, 13) FROM 1)
  $$;
COMMENT ON FUNCTION dpobj_internal.show_line(text, text) IS 'internal: a head and a paragraph beside it, at 78 columns';

CREATE FUNCTION dpobj.show(model @extschema@.dp_model) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(E'\n',
      dpobj_internal.report_lines(format('Model %s, release %s',
        coalesce('"' || (f ->> 'name') || '" of ' || (f ->> 'owner'), 'without a name'), f ->> 'release'), 0, 78),
      dpobj_internal.show_line('predicts', f ->> 'predicts'),
      dpobj_internal.show_line('learned', coalesce(w.largest, 'nothing: all weights are 0')),
      dpobj_internal.show_line('from', f ->> 'from'),
      dpobj_internal.show_line('for', f ->> 'for'),
      dpobj_internal.show_line('neighbours', f ->> 'neighbours'),
      (SELECT string_agg(dpobj_internal.show_line('rated', dpobj_internal.rating_words(r)), E'\n' ORDER BY place)
         FROM jsonb_array_elements(f -> 'ratings') WITH ORDINALITY v(r, place)),
      dpobj_internal.show_line('comment', f ->> 'comment'),
      dpobj_internal.show_line('retired', to_char((f ->> 'retired')::timestamptz, 'YYYY-MM-DD')),
      dpobj_internal.show_line('hash', format('%s..., which the ledger %s', left(f ->> 'hash', 16),
        CASE WHEN (f ->> 'verified')::boolean THEN 'has' ELSE 'DOES NOT HAVE' END)))
      FROM dpobj_internal.model_facts(ARRAY[$1]) f
     CROSS JOIN LATERAL
           (SELECT string_agg(format('%s%s %s: %s', c.class || ': ', c.feature, c.level, c.shown), '; ' ORDER BY c.place)
                     FILTER (WHERE c.place <= 4)
                   || CASE WHEN count(*) > 4 THEN format('; and %s more', count(*) - 4) ELSE '' END AS largest
              FROM (SELECT p.class, p.feature, p.level, p.shown, row_number() OVER (ORDER BY abs(p.weight) DESC, p.place) AS place
                      FROM dpobj_internal.largest_points(f, 1000000) p
                     WHERE p.weight <> 0 AND p.feature <> '(intercept)') c) w
  $$;
COMMENT ON FUNCTION dpobj.show(@extschema@.dp_model) IS
  'a model in about ten lines: what it predicts and learned, from what, for how much, and how good it is by its last ratings that are kept';

CREATE FUNCTION dpobj.show(name text, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT dpobj.show(dpobj_internal.named_model($1, $2)) $$;
COMMENT ON FUNCTION dpobj.show(text, regrole) IS 'dpobj.show of a named model';
-- Models as Markdown, for repositories and wikis

-- A backslash keeps what Markdown would read as markup, HTML, a table's border or a link.
CREATE FUNCTION dpobj_internal.markdown(words text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$ SELECT regexp_replace(dpobj_internal.on_one_line($1), '([\\`*_~#<>&|$@[\]]|:(?=//)|(?<=www)\.)', '\\\1', 'gi') $$;
COMMENT ON FUNCTION dpobj_internal.markdown(text) IS 'internal: a text in Markdown';

CREATE FUNCTION dpobj_internal.markdown_row(VARIADIC cells text[]) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN bool_and(c.words IS NOT NULL)
                THEN '| ' || string_agg(dpobj_internal.markdown(c.words), ' | ' ORDER BY c.place) || ' |' END
      FROM unnest($1) WITH ORDINALITY c(words, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.markdown_row(text[]) IS 'internal: a row of a table in Markdown; null if a cell is';

CREATE FUNCTION dpobj.model_card(model @extschema@.dp_model) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(E'\n',
      '# Model ' || coalesce(dpobj_internal.markdown('"' || (f ->> 'name') || '" of ' || (f ->> 'owner')), 'without a name'),
      '', '| | |', '|---|---|',
      dpobj_internal.markdown_row('predicts', f ->> 'predicts'),
      dpobj_internal.markdown_row('from', f ->> 'from'),
      dpobj_internal.markdown_row('for', f ->> 'for'),
      dpobj_internal.markdown_row('neighbours', f ->> 'neighbours'),
      dpobj_internal.markdown_row('comment', f ->> 'comment'),
      dpobj_internal.markdown_row('retired', 'since ' || to_char((f ->> 'retired')::timestamptz, 'YYYY-MM-DD')
        || ': it is not applied or rated by its name'),
      dpobj_internal.markdown_row('release', f ->> 'release'),
      dpobj_internal.markdown_row('SHA-256', format('%s, which the ledger %s', f ->> 'hash',
        CASE WHEN (f ->> 'verified')::boolean THEN 'has' ELSE 'DOES NOT HAVE' END)),
      '', '## What it learned', '',
      CASE WHEN c.classes THEN E'| Class | Feature | Level | Adds |\n|---|---|---|--:|'
           ELSE E'| Feature | Level | Adds |\n|---|---|---:|' END,
      c.rows,
      E'\n' || nullif(jsonb_array_length(f -> 'points') - c.shown, 0) || ' more, nearer to 0, are in dpobj.scorecard.',
      '', '## How good it is', '',
      coalesce((SELECT string_agg('- ' || dpobj_internal.markdown(dpobj_internal.rating_words(r)), E'\n' ORDER BY place)
                  FROM jsonb_array_elements(f -> 'ratings') WITH ORDINALITY v(r, place)),
               'No rating of it is kept.')) || E'\n'
      FROM dpobj_internal.model_facts(ARRAY[$1]) f
     CROSS JOIN LATERAL
           (SELECT count(p.class) > 0 AS classes, count(*) AS shown,
                   string_agg(CASE WHEN p.class IS NULL THEN dpobj_internal.markdown_row(p.feature, p.level, coalesce(p.shown, ''))
                                   ELSE dpobj_internal.markdown_row(p.class, p.feature, p.level, coalesce(p.shown, '')) END, E'\n' ORDER BY p.place) AS rows
              FROM dpobj_internal.largest_points(f, 100) p) c
  $$;
COMMENT ON FUNCTION dpobj.model_card(@extschema@.dp_model) IS
  'a model as Markdown: what it predicts and learned, from what, for how much, its hash and its last ratings';

CREATE FUNCTION dpobj.model_card(name text, owner regrole DEFAULT NULL) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT dpobj.model_card(dpobj_internal.named_model($1, $2)) $$;
COMMENT ON FUNCTION dpobj.model_card(text, regrole) IS 'dpobj.model_card of a named model';
-- What dpobj.report_html shows beside a report: spending over time, and the models of the table

/*
 * It runs as the owner of dpobj's tables, on the snapshot of the report; the caller's right is checked
 * as for dpobj.report (src/server/ledger/recompute.c).  Times are those of events of the ledger.  There
 * are 60 periods at most; the newest 12 models have all their facts, those of different releases first,
 * and 1000 more a row each.
 */
CREATE FUNCTION dpobj_internal.model_contents(relation regclass) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      here AS (SELECT t.id FROM dpobj.identity_tables t WHERE t.relation = $1),
      family AS (SELECT DISTINCT unnest(f.members) AS id FROM dpobj.families f WHERE f.id IN (SELECT id FROM here)),
      -- reads the charges once
      days AS MATERIALIZED (
        SELECT date_trunc('day', e.at) AS day, e.payers, count(*) AS charged, sum(e.epsilon_nano) AS epsilon
          FROM dpobj.ledger_events e
         WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)
         GROUP BY 1, 2),
      failures AS (
        SELECT e.at FROM dpobj.ledger_events e WHERE e.event = 'failed' AND e.relation_identity IN (SELECT id FROM family)),
      unit AS (
        SELECT u.unit, u.step, date_trunc(u.unit, s.first) AS first, s.last
          FROM (SELECT min(day) AS first, max(day) AS last FROM days) s,
               (VALUES ('day', interval '1 day'), ('week', '7 days'), ('month', '1 month'), ('quarter', '3 months'), ('year', '1 year'))
               u(unit, step)
         WHERE u.unit = 'year' OR date_trunc(u.unit, s.first) + 59 * u.step >= s.last
         ORDER BY u.step LIMIT 1),
      periods AS (SELECT g.begins FROM unit u, generate_series(u.first, u.last, u.step) g(begins)),
      -- -1: all roles
      shares AS MATERIALIZED (
        SELECT p.payer, date_trunc(u.unit, d.day) AS begins, sum(d.charged) AS charged, sum(d.epsilon) AS epsilon
          FROM days d, unit u, unnest(d.payers || -1::bigint) p(payer)
         GROUP BY 1, 2),
      models AS MATERIALIZED (
        SELECT m.release, m.place, row_number() OVER (ORDER BY m.deleted IS NOT NULL, m.place, m.release DESC) AS number
          FROM dpobj.model_rows m JOIN dpobj.ledger_events e ON e.id = m.release
         WHERE e.relation_identity IN (SELECT id FROM family) AND (m.model IS NOT NULL OR m.hash IS NOT NULL)),
      cards AS (
        SELECT m.model, n.number FROM models n JOIN dpobj.model_rows m USING (release, place) WHERE n.number <= 12 AND m.deleted IS NULL),
      listed AS (
        SELECT n.number, m.release, m.name, coalesce(r.role_name, r.recorded_name) AS owner, (m.model).kind,
               (m.model).details ->> 'label' AS label, trim_scale(e.epsilon_nano * 0.000000001) AS epsilon,
               coalesce(m.released, e.at) AS created, m.retired, m.deleted
          FROM models n
          JOIN dpobj.model_rows m USING (release, place)
          JOIN dpobj.ledger_events e ON e.id = m.release
          JOIN dpobj.identity_roles r ON r.id = m.owner
         WHERE n.number <= 1012 AND (n.number > 12 OR m.deleted IS NOT NULL))
    SELECT jsonb_build_object(
      'timeline', (SELECT jsonb_build_object('unit', u.unit, 'first', u.first, 'last', u.last, 'periods',
                            (SELECT jsonb_agg(jsonb_build_object('begins', p.begins, 'charged', coalesce(s.charged, 0),
                                                'epsilon', trim_scale(coalesce(s.epsilon, 0) * 0.000000001),
                                                'failed', (SELECT count(*) FROM failures f
                                                            WHERE f.at >= p.begins AND f.at < p.begins + u.step)) ORDER BY p.begins)
                               FROM periods p LEFT JOIN shares s ON s.begins = p.begins AND s.payer = -1))
                     FROM unit u WHERE u.first IS NOT NULL),
      'spending', (SELECT coalesce(jsonb_agg(jsonb_build_object('relation_name', t.relation_name, 'of_owner', coalesce(b.role = -1, false),
                            'role', coalesce(r.role_name, r.recorded_name), 'steps',
                            (SELECT coalesce(jsonb_agg(jsonb_build_object('begins', s.begins, 'epsilon', trim_scale(s.epsilon * 0.000000001))
                                                       ORDER BY s.begins), '[]')
                               FROM shares s WHERE s.payer = coalesce(b.role, -1)))), '[]')
                     FROM dpobj.budget_rows b
                     JOIN dpobj.identity_tables t ON t.id = b.relation
                     LEFT JOIN dpobj.identity_roles r ON r.id = b.role
                    WHERE b.relation IN (SELECT id FROM family)),
      'models', (SELECT count(*) FROM models),
      'cards', (SELECT coalesce(jsonb_agg(f.facts ORDER BY f.place), '[]')
                  FROM dpobj_internal.model_facts(ARRAY(SELECT c.model FROM cards c ORDER BY c.number)) WITH ORDINALITY f(facts, place)),
      'listed', (SELECT coalesce(jsonb_agg(to_jsonb(l) - 'number' ORDER BY l.number), '[]') FROM listed l))
  $$;
COMMENT ON FUNCTION dpobj_internal.model_contents(regclass) IS
  'internal: spending over time and the models of a table, for dpobj.report_html';
-- Parts of a page in HTML: texts, and bars and lines as SVG

/*
 * Every text that is not written in these files goes through this function, inside elements and inside
 * attributes, which all have double quotes.
 */
CREATE FUNCTION dpobj_internal.html(words text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT replace(replace(replace(replace(replace(regexp_replace(dpobj_internal.on_one_line($1), '[\ufffe\uffff]', ' ', 'g'),
      '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;')
  $$;
COMMENT ON FUNCTION dpobj_internal.html(text) IS 'internal: a text in HTML';

-- The element keeps the direction of the letters of a name from moving its neighbours.
CREATE FUNCTION dpobj_internal.html_name(words text, most integer DEFAULT 300) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT '<bdi>' || dpobj_internal.html(CASE WHEN length($1) > $2 THEN left($1, $2) || '...' ELSE $1 END) || '</bdi>'
  $$;
COMMENT ON FUNCTION dpobj_internal.html_name(text, integer) IS 'internal: a name in HTML, cut off after so many characters';

CREATE FUNCTION dpobj_internal.html_date(at text) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$ SELECT format('<time datetime="%1$s">%1$s</time>', to_char($1::timestamptz, 'YYYY-MM-DD')) $$;
COMMENT ON FUNCTION dpobj_internal.html_date(text) IS 'internal: the day of a time in HTML';

-- A picture of so many units, stretched to the width of its column; words say what it shows.
CREATE FUNCTION dpobj_internal.svg(class text, width numeric, height numeric, words text, shapes text) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('<svg class="%s" viewBox="0 0 %s %s" preserveAspectRatio="none" %s>%s</svg>', $1, $2, $3,
             coalesce('role="img" aria-label="' || dpobj_internal.html($4) || '"', 'aria-hidden="true"'), $5)
  $$;
COMMENT ON FUNCTION dpobj_internal.svg(text, numeric, numeric, text, text) IS
  'internal: a picture; null words: a text beside it says what it shows';

CREATE FUNCTION dpobj_internal.svg_rect(class text, x numeric, y numeric, width numeric, height numeric) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>', $1, trim_scale(round($2, 2)), trim_scale(round($3, 2)),
                  trim_scale(round(greatest($4, 0), 2)), trim_scale(round(greatest($5, 0), 2)))
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_rect(text, numeric, numeric, numeric, numeric) IS 'internal: a rectangle of a picture';

CREATE FUNCTION dpobj_internal.svg_part(part numeric, whole numeric) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('part', 100, 8, NULL, dpobj_internal.svg_rect('rest', 0, 0, 100, 8) || dpobj_internal.svg_rect('mark', 0, 0, s.share, 8))
      FROM (SELECT CASE WHEN $2 > 0 THEN least(coalesce(100 * $1 / $2, 100), 100) ELSE sign(coalesce($1, 1)) * 100 END AS share) s
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_part(numeric, numeric) IS 'internal: a bar of what part of a whole is; null: more than all of it';

-- A number between -largest and largest, as a bar from the middle.
CREATE FUNCTION dpobj_internal.svg_weight(weight float8, largest float8) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('weight', 100, 8, NULL, dpobj_internal.svg_rect('axis', 49.7, 0, 0.6, 8)
             || dpobj_internal.svg_rect(CASE WHEN s.length < 0 THEN 'minus' ELSE 'mark' END, 50 + least(s.length, 0), 1, abs(s.length), 6))
      FROM (SELECT CASE WHEN $2 > 0 THEN (50 * $1 / $2)::numeric ELSE 0 END AS length) s
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_weight(float8, float8) IS 'internal: a weight as a bar to the left or to the right';

-- On a scale from 0 to 1: the number, and from where to where it may be.
CREATE FUNCTION dpobj_internal.svg_interval(value float8, low float8, high float8) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('interval', 100, 8, NULL, dpobj_internal.svg_rect('rest', 0, 3, 100, 2)
             || dpobj_internal.svg_rect('span', n.low, 2, greatest(n.high - n.low, 0.6), 4) || dpobj_internal.svg_rect('mark', n.value - 0.5, 0, 1, 8))
      FROM (SELECT 100 * greatest(least($1, 1), 0)::numeric AS value, 100 * greatest(least($2, 1), 0)::numeric AS low,
                   100 * greatest(least($3, 1), 0)::numeric AS high) n
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_interval(float8, float8, float8) IS 'internal: a number with its interval';

-- Bars over periods; the second number, of marked ones, stands in front of the first.
CREATE FUNCTION dpobj_internal.svg_periods(heights numeric[], marked numeric[], words text) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('periods', cardinality($1), 40, $3,
             string_agg(dpobj_internal.svg_rect('mark', h.place - 0.9, 40 - 40 * h.height / l.largest, 0.8, 40 * h.height / l.largest)
               || CASE WHEN h.marked > 0
                       THEN dpobj_internal.svg_rect('minus', h.place - 0.9, 40 - 40 * h.marked / l.largest, 0.8, 40 * h.marked / l.largest)
                       ELSE '' END, '' ORDER BY h.place))
      FROM unnest($1, $2) WITH ORDINALITY h(height, marked, place),
           (SELECT greatest(max(h), 1) AS largest FROM unnest($1 || $2) h) l
     GROUP BY l.largest
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_periods(numeric[], numeric[], text) IS 'internal: numbers over periods as bars';

-- A sum that grows in steps; xs are parts of the width, ys the sums.
CREATE FUNCTION dpobj_internal.svg_steps(xs numeric[], ys numeric[], words text) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.svg('steps', 100, 40, $3,
             format('<path class="area" d="M0 40%1$sH100V40Z"/><path class="line" d="M0 40%1$sH100"/>',
                    string_agg(format('H%sV%s', trim_scale(round(100 * s.x, 2)), trim_scale(round(40 - 38 * s.y / l.largest, 2))), '' ORDER BY s.place)))
      FROM unnest($1, $2) WITH ORDINALITY s(x, y, place),
           (SELECT CASE WHEN max(y) > 0 THEN max(y) ELSE 1 END AS largest FROM unnest($2) y) l
     GROUP BY l.largest
  $$;
COMMENT ON FUNCTION dpobj_internal.svg_steps(numeric[], numeric[], text) IS 'internal: a growing sum as a line of steps';
-- dpobj.report_html: the report of a table with its models, as one page for auditors

/*
 * All of it runs as the owner of dpobj's tables; dpobj.report_html checks who may call it, as dpobj.report
 * does (src/server/ledger/recompute.c).  The page has no script and asks for nothing elsewhere, which its policy forbids, too.  What it shows is
 * limited, so that it stays small: 40 budgets, 100 kinds of releases, 40 events, and what
 * dpobj_internal.model_contents says of models.
 */

-- ---- the sentence ----

CREATE FUNCTION dpobj_internal.report_promise(report jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE
        WHEN ($1 #>> '{releases,charged}')::bigint = 0 THEN 'Nothing has been released from this table.'
        WHEN $1 ->> 'neighbours' IS NULL THEN 'The releases of this table are about neighbours of several kinds, so that they have no total.'
        WHEN b.budget IS NOT NULL THEN
          format('All %s releases together, and all that the budget still allows, are differentially private with epsilon %s and delta %s '
                 'for tables where %s, whatever the analysts asked after which answer%s.',
            $1 #>> '{releases,charged}', b.budget ->> 'epsilon_limit', b.budget ->> 'delta_limit', $1 ->> 'neighbours',
            CASE WHEN (b.budget ->> 'releases_before')::bigint > 0
                 THEN ', if the decision about the budget, after ' || (b.budget ->> 'releases_before') || ' of them, did not depend on the answers'
                 ELSE '' END)
        WHEN c.guarantee IS NOT NULL THEN
          format('All %s releases together are differentially private with epsilon %s and delta %s for tables where %s, if all of them were '
                 'fixed before the first answer: no budget over all roles is known to bound them.',
            $1 #>> '{releases,charged}', c.guarantee ->> 'epsilon', c.guarantee ->> 'delta', $1 ->> 'neighbours')
        ELSE 'No accountant knows a total of these releases.' END
      || coalesce(' ' || w.weaker || CASE w.weaker WHEN 1 THEN ' of them has' ELSE ' of them have' END || ' a guarantee that is not exact.', '')
      FROM (SELECT (SELECT v.b FROM jsonb_array_elements($1 -> 'budgets') v(b)
                     WHERE v.b ->> 'relation_name' = $1 ->> 'relation' AND (v.b -> 'all_roles')::boolean AND (v.b -> 'within')::boolean
                       AND coalesce((v.b ->> 'sums_equal')::boolean, true)
                     ORDER BY (v.b ->> 'releases_before')::bigint > 0, (v.b ->> 'epsilon_limit')::numeric LIMIT 1) AS budget) b,
           (SELECT (SELECT v.c FROM jsonb_each($1 -> 'composed') v(name, c) WHERE v.c ->> 'epsilon' IS NOT NULL
                     ORDER BY (v.c ->> 'epsilon')::numeric LIMIT 1) AS guarantee) c,
           (SELECT nullif(coalesce(sum(v.n::bigint), 0), 0) AS weaker FROM jsonb_each_text($1 -> 'labels') v(label, n) WHERE v.label <> 'exact') w
  $$;
COMMENT ON FUNCTION dpobj_internal.report_promise(jsonb) IS
  'internal: what all releases of a report guarantee together, in one sentence';

-- ---- sections ----

CREATE FUNCTION dpobj_internal.page_section(id text, head text, body text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format(E'<section aria-labelledby="%1$s">\n<h2 id="%1$s">%2$s</h2>\n%3$s</section>\n', $1, $2, $3)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_section(text, text, text) IS 'internal: a section of the page';

-- Heads of columns of numbers begin with #.  On a narrow screen each cell shows its head (page_style).
CREATE FUNCTION dpobj_internal.page_row(heads text[], VARIADIC cells text[]) RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT '<tr>' || string_agg(format(CASE c.place WHEN 1 THEN '<th scope="row">%3$s</th>' ELSE '<td%1$s data-head="%2$s">%3$s</td>' END,
                       CASE WHEN c.head ~ '^#' THEN ' class="number"' END, ltrim(c.head, '#'), c.cell), '' ORDER BY c.place) || E'</tr>\n'
      FROM unnest($1, $2) WITH ORDINALITY c(head, cell, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_row(text[], text[]) IS 'internal: a row of a table of the page; its cells are HTML';

CREATE FUNCTION dpobj_internal.page_table(heads text[], rows text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT '<table class="stack"><thead><tr>'
           || string_agg(format('<th scope="col"%s>%s</th>', CASE WHEN c.head ~ '^#' THEN ' class="number"' END, ltrim(c.head, '#')), '' ORDER BY c.place)
           || E'</tr></thead>\n<tbody>\n' || $2 || E'</tbody></table>\n'
      FROM unnest($1) WITH ORDINALITY c(head, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_table(text[], text) IS 'internal: a table of the page; null: no rows';

CREATE FUNCTION dpobj_internal.page_budget(budget jsonb, steps jsonb, timeline jsonb) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat(
      '<article class="budget">' || E'\n<h3>',
      CASE WHEN ($1 -> 'of_owner')::boolean THEN 'The owner''s limit' WHEN ($1 -> 'all_roles')::boolean THEN 'All roles together'
           ELSE 'Role ' || dpobj_internal.html_name($1 ->> 'role') END,
      E'</h3>\n<p class="figures">',
      format('<span>epsilon <b>%s</b> spent</span> <span><b>%s</b> left of %s</span>', coalesce(trim_scale(round(n.spent, 6))::text, 'beyond all bounds'),
             trim_scale(round(greatest(n.most - coalesce(n.spent, n.most), 0), 6)), trim_scale(n.most)),
      E'</p>\n' || dpobj_internal.svg_part(n.spent, n.most),
      format(E'\n<p class="note">On %s: %s; <span%s>%s</span>. <span%s>%s</span></p>\n', dpobj_internal.html_name($1 ->> 'relation_name'),
             dpobj_internal.html(w.words[1]),
             CASE WHEN NOT ($1 ->> 'sums_equal')::boolean THEN ' class="state"' END, dpobj_internal.html(w.words[2]),
             CASE WHEN NOT ($1 ->> 'within')::boolean THEN ' class="state"' END, dpobj_internal.html(w.words[3])),
      (SELECT '<figure>' || dpobj_internal.svg_steps(array_agg(x.x ORDER BY x.x), array_agg(x.y ORDER BY x.x),
                              format('the sum of charged epsilon grows to %s', max(x.y)))
              || format(E'<figcaption>sum of charged epsilon by %s: %s from %s to %s</figcaption></figure>\n',
                        $3 ->> 'unit', max(x.y), dpobj_internal.html_date($3 ->> 'first'), dpobj_internal.html_date($3 ->> 'last'))
         FROM (SELECT (t.place - 1)::numeric / jsonb_array_length($3 -> 'periods') AS x, sum((v.step ->> 'epsilon')::numeric) OVER (ORDER BY t.place) AS y
                 FROM jsonb_array_elements($3 -> 'periods') WITH ORDINALITY t(period, place)
                 JOIN jsonb_array_elements($2) v(step) ON v.step -> 'begins' = t.period -> 'begins') x
       HAVING count(*) > 0),
      E'</article>\n')
      FROM (SELECT ($1 ->> 'epsilon_spent')::numeric AS spent, ($1 ->> 'epsilon_limit')::numeric AS most) n,
           (SELECT dpobj_internal.report_budget($1) AS words) w
  $$;
COMMENT ON FUNCTION dpobj_internal.page_budget(jsonb, jsonb, jsonb) IS
  'internal: a budget of the page: what is spent and left, and the sum of charged epsilon over time';

CREATE FUNCTION dpobj_internal.page_budgets(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('budgets', 'Budgets', coalesce(
      E'<p>Spent is what the budget''s own accountant composes. The lines add up the charged epsilon of each release, as basic does.</p>\n'
        '<div class="budgets">\n'
      || string_agg(dpobj_internal.page_budget(v.budget, s.steps, $1 -> 'timeline'), '' ORDER BY v.place) FILTER (WHERE v.place <= 40)
      || E'</div>\n'
      || coalesce('<p>' || nullif(greatest(count(*) - 40, 0), 0) || E' more budgets are in dpobj.budgets.</p>\n', ''),
      E'<p>There is none. The totals below are for releases that were fixed before the first answer.</p>\n'))
      FROM jsonb_array_elements($1 -> 'budgets') WITH ORDINALITY v(budget, place)
      LEFT JOIN LATERAL
           (SELECT x.one -> 'steps' AS steps FROM jsonb_array_elements($1 -> 'spending') x(one)
             WHERE (x.one -> 'relation_name', x.one -> 'of_owner', x.one -> 'role')
                   = (v.budget -> 'relation_name', v.budget -> 'of_owner', v.budget -> 'role')) s ON true
  $$;
COMMENT ON FUNCTION dpobj_internal.page_budgets(jsonb) IS 'internal: the budgets of the page';

CREATE FUNCTION dpobj_internal.page_timeline(timeline jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat(
      '<figure>' || dpobj_internal.svg_periods(array_agg(p.charged ORDER BY p.begins), array_agg(p.failed ORDER BY p.begins),
                      format('releases by %s, %s at most', $1 ->> 'unit', max(p.charged))),
      format('<figcaption>releases by %s, %s at most, from %s to %s%s</figcaption>', $1 ->> 'unit', max(p.charged), dpobj_internal.html_date($1 ->> 'first'),
             dpobj_internal.html_date($1 ->> 'last'), CASE WHEN max(p.failed) > 0 THEN '; those that failed are marked' ELSE '' END),
      E'</figure>\n<details><summary>The same as a table</summary>\n',
      dpobj_internal.page_table(h.heads, string_agg(dpobj_internal.page_row(h.heads, dpobj_internal.html_date(p.begins), p.charged::text, p.failed::text,
                                                                            p.epsilon::text), '' ORDER BY p.begins)),
      E'</details>\n')
      FROM jsonb_to_recordset($1 -> 'periods') p(begins text, charged numeric, failed numeric, epsilon numeric),
           (SELECT ARRAY[($1 ->> 'unit') || ' of', '#charged', '#failed', '#charged epsilon'] AS heads) h
     GROUP BY h.heads
  $$;
COMMENT ON FUNCTION dpobj_internal.page_timeline(jsonb) IS 'internal: the releases of the page over time';

CREATE FUNCTION dpobj_internal.page_releases(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('releases', 'Releases', concat(
      (SELECT format(E'<p><b>%s</b> charged, %s released, %s failed, %s without an end.%s</p>\n', n.charged, n.released, n.failed, n.open,
                     CASE WHEN n.failed + n.open > 0 THEN ' All count: a charge is never given back.' ELSE '' END)
         FROM jsonb_to_record($1 -> 'releases') n(charged bigint, released bigint, failed bigint, open bigint)),
      dpobj_internal.page_timeline(nullif($1 -> 'timeline', 'null')),
      dpobj_internal.page_table(h.heads, string_agg(dpobj_internal.page_row(h.heads, dpobj_internal.html_name(k.role), dpobj_internal.html(k.mechanism),
          k.guarantee, k.charged::text, (k.failed + k.open)::text, k.epsilon::text, k.delta::text), '' ORDER BY k.place) FILTER (WHERE k.place <= 100)),
      '<p>' || nullif(greatest(count(k.place) - 100, 0), 0) || E' more kinds are in dpobj.report.</p>\n'))
      FROM ROWS FROM (jsonb_to_recordset($1 -> 'kinds') AS (role text, mechanism text, guarantee text, charged bigint, failed bigint, open bigint,
                        epsilon numeric, delta numeric)) WITH ORDINALITY k(role, mechanism, guarantee, charged, failed, open, epsilon, delta, place)
     RIGHT JOIN (SELECT '{role,mechanism,guarantee,#charged,#failed or open,#sum of epsilon,#of delta}'::text[] AS heads) h ON true
     GROUP BY h.heads
  $$;
COMMENT ON FUNCTION dpobj_internal.page_releases(jsonb) IS 'internal: the releases of the page';

CREATE FUNCTION dpobj_internal.page_totals(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('totals', 'What the releases guarantee together',
      format('<p>%s</p>' || E'\n', dpobj_internal.html(dpobj_internal.report_neighbours($1)))
      || CASE WHEN jsonb_array_length($1 -> 'tables') > 1
              THEN (SELECT format(E'<p>Releases from these tables count: %s.</p>\n',
                             string_agg(dpobj_internal.html_name(t), ', ') || CASE WHEN jsonb_array_length($1 -> 'tables') > 100 THEN ', ...' ELSE '' END)
                      FROM (SELECT t FROM jsonb_array_elements_text($1 -> 'tables') t LIMIT 100) v) ELSE '' END
      || dpobj_internal.page_table(h.heads, string_agg(dpobj_internal.page_row(h.heads, a.name, coalesce(c ->> 'epsilon', 'none'), c ->> 'delta',
                                                                               dpobj_internal.html(c ->> 'assumes')), '' ORDER BY a.place)))
      FROM unnest('{basic,zcdp,rdp,pld}'::text[]) WITH ORDINALITY a(name, place),
           LATERAL (SELECT $1 -> 'composed' -> a.name AS c) v,
           (SELECT '{accountant,#epsilon,#at delta,what it rests on}'::text[] AS heads) h
     GROUP BY h.heads
  $$;
COMMENT ON FUNCTION dpobj_internal.page_totals(jsonb) IS 'internal: the composed guarantees of the page';

-- ---- models ----

CREATE FUNCTION dpobj_internal.page_ratings(facts jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(E'<h4>How good it is</h4>\n<ul class="ratings">\n'
             || string_agg(format(E'<li>%s%s%s</li>\n', dpobj_internal.html(dpobj_internal.rating_words(r)),
                  CASE WHEN r ->> 'sample_low' IS NOT NULL
                       THEN '; as a sample of more, ' || dpobj_internal.rating_interval((r ->> 'sample_low')::float8, (r ->> 'sample_high')::float8) END,
                  dpobj_internal.svg_interval((r ->> 'value')::float8, (r ->> 'low')::float8, (r ->> 'high')::float8)), '' ORDER BY place)
             || E'</ul>\n', E'<p class="note">No rating of it is kept.</p>\n')
      FROM jsonb_array_elements($1 -> 'ratings') WITH ORDINALITY v(r, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_ratings(jsonb) IS 'internal: the ratings of a model of the page';

CREATE FUNCTION dpobj_internal.page_points(facts jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat(
      E'<h4>What it learned</h4>\n<table class="points"><thead><tr><th scope="col">level</th><th scope="col" class="number">adds</th>'
        '<th scope="col"><span class="unseen">as a bar</span></th></tr></thead>\n<tbody>\n',
      string_agg(format(E'<tr><th scope="row">%s%s <span class="level">%s</span></th><td class="number">%s</td><td class="bar">%s</td></tr>\n',
        dpobj_internal.html_name(p.class, 80) || ': ', dpobj_internal.html_name(p.feature, 80), dpobj_internal.html_name(p.level, 80),
        p.shown, dpobj_internal.svg_weight(p.weight, p.largest)), '' ORDER BY p.place),
      E'</tbody></table>\n',
      '<p class="note">' || nullif(jsonb_array_length($1 -> 'points') - count(*), 0) || E' more are nearer to 0.</p>\n')
      FROM (SELECT l.*, max(abs(l.weight)) OVER () AS largest FROM dpobj_internal.largest_points($1, 30) l) p
  $$;
COMMENT ON FUNCTION dpobj_internal.page_points(jsonb) IS 'internal: what a model of the page has learned';

CREATE FUNCTION dpobj_internal.page_card(facts jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat(
      E'<article class="card">\n<h3>', coalesce(dpobj_internal.html_name($1 ->> 'name'), 'A model without a name'),
      CASE WHEN $1 ->> 'retired' IS NOT NULL THEN ' <span class="state">retired ' || dpobj_internal.html_date($1 ->> 'retired') || '</span>' END,
      E'</h3>\n<dl>\n',
      format(E'<dt>owner</dt><dd>%s</dd>\n', dpobj_internal.html_name($1 ->> 'owner')),
      format(E'<dt>predicts</dt><dd>%s</dd>\n', dpobj_internal.html_name($1 ->> 'predicts', 600)),
      format(E'<dt>from</dt><dd>%s</dd>\n', dpobj_internal.html_name($1 ->> 'from', 600)),
      format(E'<dt>for</dt><dd>%s</dd>\n', dpobj_internal.html($1 ->> 'for')),
      format(E'<dt>neighbours</dt><dd>%s</dd>\n', dpobj_internal.html($1 ->> 'neighbours')),
      '<dt>comment</dt><dd>' || dpobj_internal.html_name($1 ->> 'comment', 4096) || E'</dd>\n',
      format(E'<dt>release</dt><dd>%s</dd>\n', $1 ->> 'release'),
      format(E'<dt>SHA-256</dt><dd><code>%s</code>, which the ledger %s</dd>\n</dl>\n', $1 ->> 'hash',
             CASE WHEN ($1 ->> 'verified')::boolean THEN 'has' ELSE 'DOES NOT HAVE' END),
      dpobj_internal.page_points($1), dpobj_internal.page_ratings($1),
      E'</article>\n')
  $$;
COMMENT ON FUNCTION dpobj_internal.page_card(jsonb) IS 'internal: a model of the page, from dpobj_internal.model_facts';

CREATE FUNCTION dpobj_internal.page_models(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('models', 'Models', concat(
      CASE WHEN ($1 ->> 'models')::bigint = 0 THEN E'<p>None is kept.</p>\n' END,
      (SELECT E'<div class="cards">\n' || string_agg(dpobj_internal.page_card(f), '' ORDER BY place) || E'</div>\n'
         FROM jsonb_array_elements($1 -> 'cards') WITH ORDINALITY v(f, place)),
      E'<h3>Others</h3>\n' || dpobj_internal.page_table(h.heads, string_agg(dpobj_internal.page_row(h.heads,
          coalesce(dpobj_internal.html_name(m.name, 80), 'no name'), dpobj_internal.html_name(m.owner, 80), dpobj_internal.html(m.kind),
          dpobj_internal.html_name(m.label, 80), m.epsilon::text, dpobj_internal.html_date(m.created),
          CASE WHEN m.deleted IS NOT NULL THEN 'deleted ' || dpobj_internal.html_date(m.deleted)
               WHEN m.retired IS NOT NULL THEN 'retired ' || dpobj_internal.html_date(m.retired) ELSE 'in use' END, m.release::text), '' ORDER BY m.place)
        FILTER (WHERE m.place IS NOT NULL)),
      '<p>' || nullif(($1 ->> 'models')::bigint - jsonb_array_length($1 -> 'cards') - count(m.place), 0) || E' more models are not shown.</p>\n'))
      FROM ROWS FROM (jsonb_to_recordset($1 -> 'listed') AS (name text, owner text, kind text, label text, epsilon numeric, created text, retired text,
                        deleted text, release bigint)) WITH ORDINALITY m(name, owner, kind, label, epsilon, created, retired, deleted, release, place)
     RIGHT JOIN (SELECT '{name,owner,kind,predicts,#epsilon,made,now,#release}'::text[] AS heads) h ON true
     GROUP BY h.heads
  $$;
COMMENT ON FUNCTION dpobj_internal.page_models(jsonb) IS 'internal: the models of the page';

-- ---- the rest ----

CREATE FUNCTION dpobj_internal.page_list(lines text[]) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT E'<ul>\n' || string_agg(format(E'<li>%s</li>\n', dpobj_internal.html(v.line)), '' ORDER BY v.place) || E'</ul>\n'
      FROM unnest($1) WITH ORDINALITY v(line, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.page_list(text[]) IS 'internal: a list of the page';

CREATE FUNCTION dpobj_internal.page_events(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('administration', 'Administration',
      coalesce('<p>The last 40 of ' || CASE WHEN count(*) > 40 THEN count(*) END || E' events; dpobj.report has all.</p>\n', '')
      || coalesce(dpobj_internal.page_list(array_agg(dpobj_internal.report_event(v.event) ORDER BY v.place) FILTER (WHERE v.place <= 40)),
                  E'<p>None.</p>\n'))
      FROM (SELECT e.event, row_number() OVER (ORDER BY e.place DESC) AS place
              FROM jsonb_array_elements($1 -> 'events') WITH ORDINALITY e(event, place)) v
  $$;
COMMENT ON FUNCTION dpobj_internal.page_events(jsonb) IS 'internal: what administrators did, for the page';

CREATE FUNCTION dpobj_internal.page_not_covered() RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj_internal.page_section('not-covered', 'What is not covered', dpobj_internal.page_list(ARRAY[
      'What is true of many. A model may teach something about people of a kind; the guarantee is about what the row or the rows of one '
        'person add to it.',
      'Other tables about the same people. Each has budgets of its own, a person''s losses add up, and this page counts only the tables '
        'that it names.',
      'Copies. A copy of the table has another budget, or none; a copy of the server can spend the rest of a budget again.',
      'Those who may read the rows: owners, superusers, and users of the operating system who reach the files need no release.',
      'Declarations. Bins, levels, bounds and a declared number of rows count as public; taken from the table, they reveal rows.',
      'Failures. A failed release has no noise, and may depend on the rows; a table refuses a role after a few of them.',
      'Time and load. An answer comes at a tick after its charge, but which tick, and what other users of the machine measure, may depend '
        'on the rows.',
      'The size of the table, which PostgreSQL shows.']))
  $$;
COMMENT ON FUNCTION dpobj_internal.page_not_covered() IS 'internal: what no guarantee of the page covers, of which docs/security.md has the whole list';

CREATE FUNCTION dpobj_internal.page_style() RETURNS text
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT '
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1e21;--soft:#50575e;--line:#d3d8dd;--panel:#f6f7f8;--mark:#2b648f;--rest:#d5dee5;--minus:#a34a16;--state:#7a3b00}
@media (prefers-color-scheme:dark){:root{--paper:#15181b;--ink:#e6e9eb;--soft:#a8b0b7;--line:#3a4148;--panel:#1d2125;--mark:#79b0da;--rest:#36434d;--minus:#e39a6c;--state:#f0b27f}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.2rem;margin:2.5rem 0 .75rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:0 0 .5rem}
h4{font-size:.875rem;margin:1rem 0 .25rem}
p{margin:.5rem 0}
.when,.note,figcaption,dt,.level,summary{color:var(--soft);font-size:.875rem}
.promise{font-size:1.125rem;border-left:.25rem solid var(--mark);padding-left:1rem;margin:1.25rem 0}
.budgets{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(26rem,100%),1fr));gap:1rem}
.cards{columns:26rem;column-gap:1rem}
.budget,.card{background:var(--panel);border:1px solid var(--line);border-radius:.375rem;padding:1rem;min-width:0;break-inside:avoid}
.card{margin-bottom:1rem}
.figures{display:flex;flex-wrap:wrap;justify-content:space-between;column-gap:1rem}
.state{color:var(--state)}h3 .state{font-size:.875rem;font-weight:400}
svg{display:block;width:100%}
.part{height:.75rem}.weight{height:.75rem}.interval{height:.6rem;max-width:24rem;margin:.25rem 0}.periods{height:6rem}.steps{height:3.5rem}
.mark{fill:var(--mark)}.rest{fill:var(--rest)}.minus{fill:var(--minus)}.axis{fill:var(--soft)}.span{fill:var(--mark);opacity:.5}
.area{fill:var(--mark);opacity:.15}.line{fill:none;stroke:var(--mark);stroke-width:2;vector-effect:non-scaling-stroke}
figure{margin:.75rem 0}
time{white-space:nowrap}
.periods,.steps{border-bottom:1px solid var(--soft)}
table{border-collapse:collapse;width:100%;margin:.5rem 0;font-size:.875rem}
th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid var(--line);font-weight:400}
thead th{color:var(--soft);vertical-align:bottom;overflow-wrap:normal}
tbody th{min-width:5rem}
.number{text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:normal}
td.bar{width:35%;vertical-align:middle}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem .75rem;margin:0}
dd{margin:0;font-size:.875rem}
code{font:.8125rem/1.4 ui-monospace,monospace;word-break:break-all}
ul{padding-left:1.25rem;margin:.5rem 0}li{margin:.25rem 0}
.ratings{list-style:none;padding:0;font-size:.875rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@media (max-width:40rem){
.stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.stack tr{display:block;border-bottom:1px solid var(--line);padding:.5rem 0}
.stack th,.stack td{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.125rem 0;text-align:right}
.stack th{text-align:left;font-weight:600}
.stack td::before{content:attr(data-head);color:var(--soft);text-align:left;flex:none}
}
@media print{
:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--panel:#fff;--mark:#2b648f;--rest:#d5dee5;--minus:#a34a16;--state:#7a3b00}
body{font-size:10pt}main{max-width:none;padding:0}
h2,h3,h4{break-after:avoid}.card{break-inside:auto}figure,tr,li{break-inside:avoid}details{display:none}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
' $$;
COMMENT ON FUNCTION dpobj_internal.page_style() IS 'internal: the style sheet of the page';

-- ---- the page ----

CREATE FUNCTION dpobj_internal.page(report jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT concat(
      E'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n',
      E'<meta http-equiv="Content-Security-Policy" content="default-src ''none''; style-src ''unsafe-inline''"/>\n',
      E'<meta name="viewport" content="width=device-width, initial-scale=1"/>\n',
      format(E'<title>Privacy report of %s</title>\n', dpobj_internal.html($1 ->> 'relation')),
      '<style>' || dpobj_internal.page_style() || E'</style>\n</head>\n<body>\n<main>\n<header>\n',
      format(E'<h1>Privacy report of table %s</h1>\n', dpobj_internal.html_name($1 ->> 'relation')),
      format(E'<p class="when">%s, dpobj %s</p>\n</header>\n', to_char(($1 ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI:SS TZ'), $1 ->> 'version'),
      format(E'<p class="promise">%s</p>\n', dpobj_internal.html(dpobj_internal.report_promise($1))),
      dpobj_internal.page_budgets($1), dpobj_internal.page_releases($1), dpobj_internal.page_totals($1), dpobj_internal.page_models($1),
      dpobj_internal.page_events($1),
      dpobj_internal.page_section('rests', 'What it rests on', dpobj_internal.page_list(dpobj_internal.report_assumptions($1))),
      dpobj_internal.page_not_covered(),
      E'</main>\n</body>\n</html>\n')
  $$;
COMMENT ON FUNCTION dpobj_internal.page(jsonb) IS 'internal: a report with its models as HTML';

CREATE FUNCTION dpobj.report_html(relation regclass, delta numeric DEFAULT NULL) RETURNS text
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_report_html';
COMMENT ON FUNCTION dpobj.report_html(regclass, numeric) IS
  'dpobj.report with the models of the table, as a page for browsers and print that needs nothing else';
-- Who may use the extension's objects

/*
 * This runs last, in a new installation and in an update.  An update does not change the privileges
 * of objects that it finds; a function that replaces others of its name gets the privileges that any
 * of them had.  Default privileges of the installing role do not apply to new objects.  An object
 * that is not named here is for the extension's owner only.
 */
DO $body$
DECLARE
  for_all constant name[] := ARRAY[
    -- dpobj_internal, too: functions run with their caller's rights
    'dpobj', 'dpobj_internal',
    -- types
    'dp_model', 'dp_group', 'dp_confusion_table', 'dp_look', 'dp_average', 'dp_bin', 'dp_quantile', 'charge_cost',
    -- views
    'ledger', 'budgets', 'odometer', 'protected', 'models', 'model_list', 'scorecards', 'answers', 'evaluations', 'model_history', 'drifts', 'jobs', 'progress', 'schedules', 'schedule_runs',
    -- models
    'dp_predict', 'dp_score', 'dp_predict_proba', 'dp_predict_class', 'dp_predict_class_proba',
    'model_hash', 'verify', 'model_to_json', 'model_from_json',
    'predict', 'score', 'predict_proba', 'predict_class', 'predict_class_proba', 'predict_sql', 'model_pmml', 'model_json', 'scorecard', 'share', 'unshare',
    'rename', 'comment', 'retire', 'delete', 'show', 'show_line', 'show_number', 'named_model', 'model_facts', 'rating_interval', 'rating_words', 'largest_points', 'model_card', 'markdown', 'markdown_row',
    -- the analyst's door
    'features', 'protected_features', 'train', 'train_groups', 'evaluate', 'confusion', 'class_confusion', 'select', 'count', 'sum', 'avg', 'histogram', 'quantiles', 'profile', 'suggest', 'residuals', 'auc', 'calibration', 'drift', 'drift_total', 'price', 'price_aggregate', 'price_plan',
    -- budgets and the report
    'limit_budget', 'sees_all', 'administers', 'origin', 'table_name', 'table_named', 'table_owner', 'epoch', 'relatives', 'remaining', 'budgets_applying', 'calls_that_fit',
    'rdp_orders', 'cost_under', 'delta_under', 'cost_of_rows', 'composed_epsilon', 'largest_epsilon', 'composed_charges', 'recompute',
    'report', 'report_text', 'on_one_line', 'report_lines', 'report_budget', 'report_event', 'report_releases',
    'report_neighbours', 'report_assumptions', 'report_html',
    -- tables on several servers: each call also checks for which role the table is marked
    'part',
    -- jobs
    'submit', 'submit_answer', 'cancel', 'wait', 'job_list',
    -- schedules
    'schedule', 'schedule_evaluation', 'schedule_start', 'schedule_models', 'schedule_rated', 'answer_statement', 'unschedule', 'run_schedule', 'schedule_attempt', 'schedule_fail', 'schedule_missing',
    'schedule_begin', 'schedule_enter', 'schedule_put', 'schedule_remove',
    'schedule_record', 'schedule_time', 'schedule_model', 'schedule_of_model', 'cron_time', 'cron_database',
    'cron_timezone', 'cron_command', 'cron_jobname', 'cron_statement', 'cron_is_here', 'cron_job'];
  -- Each call also checks that a superuser granted the membership (src/server/base/admin.c).
  for_administrators constant name[] := ARRAY[
    'set_budget', 'raise_budget', 'drop_budget', 'confirm_epoch', 'protect', 'unprotect', 'mark_part', 'unmark_part'];
  found constant jsonb := current_setting('dpobj_script.found');
  privileges constant jsonb := current_setting('dpobj_script.privileges');
  made record;
  grantee record;
BEGIN
  FOR made IN
    SELECT o.*, i.identity,
           (SELECT string_agg(DISTINCT ', ' || a.grantee::regrole, '')
              FROM aclexplode(o.acl) a WHERE a.grantee NOT IN (0, o.owner)) AS others
      FROM (SELECT 'ROUTINE' AS kind, 'EXECUTE' AS privilege, tableoid AS class, oid, proname AS name,
                   proowner AS owner, proacl AS acl FROM pg_proc
             UNION ALL
            SELECT 'TABLE', 'SELECT', tableoid, oid, relname, relowner, relacl FROM pg_class
             UNION ALL
            -- without row types of tables and array types
            SELECT 'TYPE', 'USAGE', t.tableoid, t.oid, t.typname, t.typowner, t.typacl
              FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid WHERE t.typelem = 0 AND coalesce(c.relkind, 'c') = 'c'
             UNION ALL
            SELECT 'SCHEMA', 'USAGE', tableoid, oid, nspname, nspowner, nspacl FROM pg_namespace) o
      JOIN pg_depend d ON d.classid = o.class AND d.objid = o.oid,
           pg_identify_object(o.class, o.oid, 0) i
     WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
       AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
       AND NOT found ? (o.class || ':' || o.oid)
  LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM PUBLIC%s', made.kind, made.identity, made.others);
    IF made.kind = 'ROUTINE' AND privileges ? made.name::text THEN
      FOR grantee IN SELECT * FROM jsonb_to_recordset(privileges -> made.name::text) g(role text, grantable boolean) LOOP
        EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO %s%s', made.identity,
                       CASE grantee.role WHEN '-' THEN 'PUBLIC' ELSE grantee.role END,
                       CASE WHEN grantee.grantable THEN ' WITH GRANT OPTION' ELSE '' END);
      END LOOP;
    ELSIF made.name = ANY (for_all) THEN
      EXECUTE format('GRANT %s ON %s %s TO PUBLIC', made.privilege, made.kind, made.identity);
    ELSIF made.name = ANY (for_administrators) THEN
      EXECUTE format('GRANT %s ON %s %s TO dpobj_admin', made.privilege, made.kind, made.identity);
    END IF;
  END LOOP;
END
$body$;
-- Functions of others with the names of dpobj's

/*
 * A function in the extension's schema with the name of one of dpobj's, whose arguments fit a call
 * better, would be called instead of dpobj's.
 */
DO $body$
DECLARE
  namesake record;
BEGIN
  WITH ours AS (
    SELECT p.oid, p.proname, p.pronamespace
      FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
     WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
       AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
  )
  SELECT p.oid::regprocedure AS function, r.rolname AS owner INTO namesake
    FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
   WHERE p.pronamespace = '@extschema@'::regnamespace AND NOT r.rolsuper
     AND (p.proname, p.pronamespace) IN (SELECT proname, pronamespace FROM ours)
     AND p.oid NOT IN (SELECT oid FROM ours)
   ORDER BY p.oid LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'function % of role "%" has the name of one of dpobj''s', namesake.function, namesake.owner
      USING ERRCODE = 'duplicate_function',
            DETAIL = 'It could capture calls of the extension''s function.',
            HINT = 'Drop or rename it, or create the extension in a schema of its own.';
  END IF;
  IF EXISTS (
    SELECT FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
      LEFT JOIN pg_roles g ON g.oid = a.grantee
      LEFT JOIN pg_roles r
        ON r.oid = CASE g.rolname WHEN 'pg_database_owner'
                     THEN (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database()) ELSE g.oid END
    WHERE n.oid = '@extschema@'::regnamespace AND a.privilege_type = 'CREATE' AND r.rolsuper IS NOT TRUE
  ) THEN
    RAISE WARNING 'other roles may create objects in schema %', '@extschema@'
      USING DETAIL = 'A function of theirs could capture calls of dp_halfspace and its like; '
                     'the owner of the schema can drop it, and with it the extension and the ledger.',
            HINT = 'Revoke CREATE on the schema, or create the extension in a schema of its own.';
  END IF;
END
$body$;
