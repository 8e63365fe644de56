-- dpobj: the full script, put together from src/sql
\echo Use "CREATE EXTENSION dpobj" to load this file. \quit

/*
 * The server would look names up in the extension's schema, where others may have put an operator
 * or a function that fits better than pg_catalog's: we would call it as a superuser, or keep it in
 * a view.  So nothing is looked up there; what the scripts make there, they name with it.
 */
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA dpobj;
COMMENT ON SCHEMA dpobj IS 'ledger, administration and the analyst''s door of dpobj';
GRANT USAGE ON SCHEMA dpobj TO PUBLIC;
-- Roles

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
-- Epoch and identities

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
COMMENT ON TABLE dpobj.lineage IS 'tables that once were parts of another table, when either was charged, protected or given a budget';
COMMENT ON INDEX dpobj.lineage_descendant_idx IS 'finds the ancestors of a table';
COMMENT ON COLUMN dpobj.lineage.ancestor IS 'identity of the other table';
COMMENT ON COLUMN dpobj.lineage.descendant IS 'identity of a table that was a partition or child of it then, directly or not';

CREATE FUNCTION dpobj.refuse_change() RETURNS trigger
    AS 'MODULE_PATHNAME', 'dpobj_refuse_change' LANGUAGE C;
COMMENT ON FUNCTION dpobj.refuse_change() IS
  'trigger: refuses changes by hand for everybody but superusers; its argument is the hint';
-- Costs that add up: basic composition, zero-concentrated privacy, Renyi divergences

/*
 * What one release costs (src/core/accounting.h).  epsilon is in units of 1e-9, deltas in units
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
 * The same where neighbours are those of unit.  A row that is replaced is one that goes and one
 * that comes: (epsilon, delta) becomes (2 epsilon, (1 + e^epsilon) delta), rho becomes 4 rho
 * (PRIVACY.md 0); deltas are rounded up with a unit to spare for the last digits of exp(), which
 * has as many as its argument, and of which e^100 exceeds every cap.
 * Superusers have these inlined into their queries on views, under their own search_path: each
 * operator and type is named with its schema, or somebody else's could be taken for it.
 * Nothing follows the other way round; such a charge is refused by
 * src/server/charge_protection.c.
 */
CREATE FUNCTION dpobj.cost_under(cost dpobj.charge_cost, unit text, accountant text,
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
COMMENT ON FUNCTION dpobj.cost_under(dpobj.charge_cost, text, text, integer) IS
  'internal: a cost in the currency of an accountant; place: of its order in dpobj.rdp_orders()';

CREATE FUNCTION dpobj.delta_under(cost dpobj.charge_cost, unit text, accountant text) RETURNS numeric
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
COMMENT ON FUNCTION dpobj.delta_under(dpobj.charge_cost, text, text) IS
  'internal: what an accountant adds up as delta';

CREATE FUNCTION dpobj.composed_epsilon(accountant text, rdp_order integer, cost numeric,
    delta_units bigint) RETURNS numeric
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_composed_epsilon';
COMMENT ON FUNCTION dpobj.composed_epsilon(text, integer, numeric, bigint) IS
  'internal: the epsilon, in units of 1e-9, that a sum of costs implies at a delta; null: none';

CREATE FUNCTION dpobj.largest_epsilon(accountant text, rdp_order integer, room numeric) RETURNS numeric
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_largest_epsilon';
COMMENT ON FUNCTION dpobj.largest_epsilon(text, integer, numeric) IS
  'internal: the largest epsilon, in units of 1e-9, of a pure release that costs no more';
-- Ledger: an append-only table of events, and the view that people read

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
         'drop_budget', 'confirm_epoch')),
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
CREATE INDEX ledger_events_spending_idx ON dpobj.ledger_events (relation_identity, id)
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
COMMENT ON INDEX dpobj.ledger_events_failed_idx IS 'which releases from a table have failed';
COMMENT ON INDEX dpobj.ledger_events_spending_idx IS 'what a table has spent';
COMMENT ON FUNCTION dpobj.ledger_refuse_change() IS 'trigger: refuses changes of the ledger';
COMMENT ON TRIGGER ledger_append_only ON dpobj.ledger_events IS 'refuses UPDATE, DELETE and TRUNCATE for every role, and INSERT but for the charge worker and superusers';
COMMENT ON TRIGGER ledger_append_only_row ON dpobj.ledger_events IS 'refuses UPDATE and DELETE that come through an inheritance parent';
COMMENT ON COLUMN dpobj.ledger_events.id IS 'ledger id; the id of a charged event is the id of its release';
COMMENT ON COLUMN dpobj.ledger_events.at IS 'when the event was written';
COMMENT ON COLUMN dpobj.ledger_events.event IS 'charged: before any noise is drawn; released: before the answer is sent; failed: nothing was released, the charge stays; protect, unprotect, set_budget, raise_budget, drop_budget, confirm_epoch: administration';
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
COMMENT ON COLUMN dpobj.ledger_events.snapshot IS 'snapshot that the release read, as pg_current_snapshot() writes it';
COMMENT ON COLUMN dpobj.ledger_events.output_hash IS 'released: SHA-256 of the released model';
COMMENT ON COLUMN dpobj.ledger_events.epoch IS 'where and in which life of the server the event was written, as dpobj.epoch() says it';
COMMENT ON COLUMN dpobj.ledger_events.relation_identity IS 'identity of the table';
COMMENT ON COLUMN dpobj.ledger_events.role_identity IS 'identity of the session user';
COMMENT ON COLUMN dpobj.ledger_events.door IS 'charged: owner, an aggregate in a query; analyst, dpobj.train and its kin';
COMMENT ON COLUMN dpobj.ledger_events.person IS 'charged: column whose values are the persons that neighbours differ in; null: neighbours differ in a row';
COMMENT ON COLUMN dpobj.ledger_events.payers IS 'charged: identities of the session user and of the groups that he was a member of then';

/*
 * Which table and which role an identity stands for now, as the charge worker binds them: by
 * OID, else the last of those that had the name.
 */
CREATE VIEW dpobj.identity_tables AS
SELECT i.id,
       coalesce(k.oid, b.oid) AS relation,
       i.name AS relation_name
  FROM dpobj.identities i
  LEFT JOIN pg_catalog.pg_class k ON k.oid = i.object AND i.origin = dpobj.origin()
  LEFT JOIN (pg_catalog.pg_class b JOIN pg_catalog.pg_namespace n ON n.oid = b.relnamespace)
    ON k.oid IS NULL AND b.relkind IN ('r', 'p')
   AND pg_catalog.parse_ident(i.name) OPERATOR(pg_catalog.=) ARRAY[n.nspname::text, b.relname::text]
   AND NOT EXISTS (SELECT FROM dpobj.identities o WHERE o.kind = 'table'
                   AND o.origin = dpobj.origin() AND o.object = b.oid)
   AND NOT EXISTS (SELECT FROM dpobj.identities o WHERE o.kind = 'table' AND o.name = i.name AND o.id > i.id
                   AND NOT (o.origin = dpobj.origin()
                            AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = o.object)))
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
   AND NOT EXISTS (SELECT FROM dpobj.identities o WHERE o.kind = 'role' AND o.name = i.name AND o.id > i.id
                   AND NOT (o.origin = dpobj.origin()
                            AND EXISTS (SELECT FROM pg_catalog.pg_roles c WHERE c.oid = o.object)))
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
 * 1e-18; products of numerics are exact.
 */
CREATE VIEW dpobj.ledger WITH (security_barrier) AS
SELECT e.id,
       e.at,
       e.event,
       CASE WHEN e.event = 'charged' THEN e.id ELSE e.release END AS release,
       CASE WHEN pg_catalog.parse_ident(e.relation_name) OPERATOR(pg_catalog.=) ARRAY[n.nspname::text, c.relname::text]
            THEN c.oid::regclass END AS relation,
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
  LEFT JOIN pg_catalog.pg_class c ON c.oid = e.relation
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE e.role_identity IN (SELECT id FROM dpobj.identity_roles WHERE role_name = session_user)
    OR dpobj.sees_all();
REVOKE ALL ON TABLE dpobj.ledger FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.ledger TO PUBLIC;

COMMENT ON VIEW dpobj.ledger IS 'privacy ledger: the events of the session''s own role; all events for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.ledger.id IS 'ledger id';
COMMENT ON COLUMN dpobj.ledger.at IS 'when the event was written';
COMMENT ON COLUMN dpobj.ledger.event IS 'charged, released, failed, protect, unprotect, set_budget, raise_budget, drop_budget or confirm_epoch; charged alone means: may have been released';
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
 * One row per protected table, which is known by its identity: a rename keeps the
 * protection, and so do DROP and CREATE under the same name, and a restore.
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
    CONSTRAINT protection_adjacency_known CHECK (adjacency IN ('replace', 'add_remove')),
    CONSTRAINT protection_person_bounded CHECK ((person IS NULL) = (max_rows_per_person IS NULL)),
    CONSTRAINT protection_rows_valid CHECK (max_rows_per_person > 0),
    CONSTRAINT protection_n_valid CHECK (n > 0)
);
REVOKE ALL ON TABLE dpobj.protections FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.protections', '');

CREATE TRIGGER protection_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.protections
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.protect and dpobj.unprotect.');
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

CREATE VIEW dpobj.protected AS
SELECT c.oid::regclass AS relation,
       CASE WHEN c.oid IS NULL THEN t.relation_name
            ELSE pg_catalog.format('%I.%I', n.nspname, c.relname) END AS relation_name,
       p.at,
       p.encoders,
       p.adjacency,
       p.person,
       p.max_rows_per_person,
       p.n,
       p.ignore_rls
  FROM dpobj.protections p
  JOIN dpobj.identity_tables t ON t.id = p.relation
  LEFT JOIN pg_catalog.pg_class c ON c.oid = t.relation
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace;
REVOKE ALL ON TABLE dpobj.protected FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.protected TO PUBLIC;

COMMENT ON VIEW dpobj.protected IS 'relations that analysts may be given a budget for, and how their columns become features';
COMMENT ON COLUMN dpobj.protected.relation IS 'the table; null when there is none by that OID or name any more';
COMMENT ON COLUMN dpobj.protected.relation_name IS 'schema-qualified, quoted name; of a table that is gone the last one';
COMMENT ON COLUMN dpobj.protected.at IS 'when it was declared';
COMMENT ON COLUMN dpobj.protected.encoders IS 'how each column becomes features';
COMMENT ON COLUMN dpobj.protected.adjacency IS 'which tables are neighbours: replace or add_remove';
COMMENT ON COLUMN dpobj.protected.person IS 'column that says whose row it is';
COMMENT ON COLUMN dpobj.protected.max_rows_per_person IS 'rows that one person contributes at most';
COMMENT ON COLUMN dpobj.protected.n IS 'declared number of rows';
COMMENT ON COLUMN dpobj.protected.ignore_rls IS 'may rows be read that row-level security would hide?';

CREATE FUNCTION dpobj.protect(relation regclass, encoders jsonb, adjacency text DEFAULT 'replace',
    person text DEFAULT NULL, max_rows_per_person integer DEFAULT NULL, n bigint DEFAULT NULL,
    ignore_rls boolean DEFAULT false) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_protect';
COMMENT ON FUNCTION dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean) IS
  'declares how the columns of a table become features, and who its neighbours are; for administrators';

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

CREATE FUNCTION dpobj.scan_digest(relation regclass, label text, features text[] DEFAULT NULL,
    filter jsonb DEFAULT NULL, with_digest boolean DEFAULT true, person_key bytea DEFAULT NULL,
    OUT "rows" bigint, OUT neutral bigint, OUT distinct_rows bigint, OUT digest bytea) RETURNS record
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_scan_digest';
COMMENT ON FUNCTION dpobj.scan_digest(regclass, text, text[], jsonb, boolean, bytea) IS
  'internal, for tests and superusers only: what a scan of a protected relation reads';

CREATE FUNCTION dpobj.scan_rows(relation regclass, label text, features text[] DEFAULT NULL,
    filter jsonb DEFAULT NULL, person_key bytea DEFAULT NULL,
    OUT x integer[], OUT positive bigint, OUT negative bigint) RETURNS SETOF record
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_scan_rows';
COMMENT ON FUNCTION dpobj.scan_rows(regclass, text, text[], jsonb, bytea) IS
  'internal, for tests and superusers only: the rows of a protected relation that would enter a training';
-- Budgets

/*
 * One cap per table and role, or per table over all roles (role null), in the
 * units of the ledger, rounded down.  Costs are added up by one accountant, fixed when the
 * budget is made (PRIVACY.md 0.1 C5), and held under cost_limit; deltas that it does not
 * cover, under reserve_units.
 *
 * cost_spent, delta_spent and releases_spent are sums over the ledger.  The charge worker
 * adds to them in the transaction that writes the charge, under a lock on this row, so that they
 * are what dpobj.budget_sums says.  Whatever else could change that sum sets all three to null,
 * and the next charge adds up the ledger anew: no change of a budget resets what was spent.
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
COMMENT ON TABLE dpobj.budget_rows IS 'privacy budgets; written by dpobj.set_budget and dpobj.drop_budget only';
COMMENT ON SEQUENCE dpobj.budget_rows_id_seq IS 'numbers of budgets';
COMMENT ON INDEX dpobj.budget_rows_key IS 'one budget per table and role, one per table over all roles';
COMMENT ON COLUMN dpobj.budget_rows.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_rows.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_rows.role IS 'identity of the role or group; null: all roles together';
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

-- A role that may write every table may not write these.
CREATE TRIGGER budget_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.budget_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.set_budget and dpobj.drop_budget.');
CREATE TRIGGER identity_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.identities
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.set_budget and dpobj.drop_budget.');
CREATE TRIGGER lineage_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.lineage
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.set_budget and dpobj.drop_budget.');
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
 * Whose charges count for a table: those made on it, on a descendant, or on an ancestor of one of
 * these.  Functions, because a query that holds a recursion makes room for its result each time,
 * in milliseconds, even where it is not asked; and most tables have no relatives.
 */
CREATE FUNCTION dpobj.relatives(id bigint) RETURNS bigint[]
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH RECURSIVE
      down(id) AS (SELECT $1 UNION
                   SELECT l.descendant FROM dpobj.lineage l JOIN down ON l.ancestor = down.id),
      up(id) AS (SELECT id FROM down UNION
                 SELECT l.ancestor FROM dpobj.lineage l JOIN up ON l.descendant = up.id)
    SELECT array_agg(id) FROM up
  $$;
COMMENT ON FUNCTION dpobj.relatives(bigint) IS
  'internal: identities of a table, its descendants and all ancestors of these, by what was charged';

-- Has a table rows of another one now? It may be another parent of a child.
CREATE FUNCTION dpobj.shares_rows(id bigint, other bigint) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH RECURSIVE
      down(object) AS (SELECT i.object FROM dpobj.identities i WHERE i.id = $1 UNION
                       SELECT h.inhrelid FROM pg_inherits h JOIN down d ON h.inhparent = d.object),
      up(object) AS (SELECT object FROM down UNION
                     SELECT h.inhparent FROM pg_inherits h JOIN up u ON h.inhrelid = u.object)
    SELECT EXISTS (SELECT FROM up JOIN dpobj.identities i ON i.object = up.object
                   WHERE i.id = $2 AND i.origin = dpobj.origin())
  $$;
COMMENT ON FUNCTION dpobj.shares_rows(bigint, bigint) IS
  'internal: are two tables, by their identities, parents of one table now, or one of the other?';

CREATE VIEW dpobj.families AS
SELECT i.id,
       CASE WHEN EXISTS (SELECT FROM dpobj.lineage l WHERE l.ancestor = i.id)
              OR EXISTS (SELECT FROM dpobj.lineage l WHERE l.descendant = i.id)
            THEN dpobj.relatives(i.id)
            ELSE ARRAY[i.id] END AS members
  FROM dpobj.identities i
 WHERE i.kind = 'table';
REVOKE ALL ON TABLE dpobj.families FROM PUBLIC;
COMMENT ON VIEW dpobj.families IS 'tables whose charges and budgets concern each other: a charge on one reads rows of the other';
COMMENT ON COLUMN dpobj.families.id IS 'identity of a table';
COMMENT ON COLUMN dpobj.families.members IS 'identities of the tables whose charges count for it, its own among them';

-- What the ledger says each budget has spent: the definition that running sums must equal.
CREATE VIEW dpobj.budget_sums AS
SELECT b.id,
       u.adjacency,
       s.cost,
       s.delta,
       s.releases
  FROM dpobj.budget_rows b
 CROSS JOIN LATERAL
       (SELECT coalesce((SELECT p.adjacency FROM dpobj.protections p WHERE p.relation = b.relation),
                        'replace') AS adjacency,
               pg_catalog.array_position(dpobj.rdp_orders(), b.rdp_order) AS place,
               (SELECT f.members FROM dpobj.families f WHERE f.id = b.relation) AS members) u
 CROSS JOIN LATERAL
       (SELECT coalesce(pg_catalog.sum(dpobj.cost_under(c.cost, u.adjacency, b.accountant, u.place)), 0) AS cost,
               coalesce(pg_catalog.sum(dpobj.delta_under(c.cost, u.adjacency, b.accountant)), 0) AS delta,
               pg_catalog.count(*) AS releases
          FROM dpobj.ledger_events e
         CROSS JOIN LATERAL
               (SELECT ROW(e.adjacency, e.epsilon_nano, e.delta_units, e.rho_pico, e.rho_delta, e.rdp_pico,
                           e.rdp_delta, e.rdp_replaced)::dpobj.charge_cost AS cost) c
         WHERE e.event = 'charged'
           AND e.relation_identity = ANY (u.members)
           AND (b.role IS NULL OR b.role = ANY (e.payers))) s;
REVOKE ALL ON TABLE dpobj.budget_sums FROM PUBLIC;
COMMENT ON VIEW dpobj.budget_sums IS 'what was spent of each budget, summed over the ledger';
COMMENT ON COLUMN dpobj.budget_sums.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_sums.adjacency IS 'under which costs are added up: the protected table''s, else replace';
COMMENT ON COLUMN dpobj.budget_sums.cost IS 'sum of costs, in the units of cost_limit';
COMMENT ON COLUMN dpobj.budget_sums.delta IS 'sum of deltas in units of 1e-18';
COMMENT ON COLUMN dpobj.budget_sums.releases IS 'number of charges';

-- The same for the charge worker and the views, by the running sums where there are any.
CREATE VIEW dpobj.budget_state AS
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
REVOKE ALL ON TABLE dpobj.budget_state FROM PUBLIC;
COMMENT ON VIEW dpobj.budget_state IS 'budgets and what was spent of them, in units of the ledger';
COMMENT ON COLUMN dpobj.budget_state.id IS 'number of the budget';
COMMENT ON COLUMN dpobj.budget_state.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.budget_state.role IS 'identity of the role or group; null: all roles together';
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

CREATE FUNCTION dpobj.cost_text(accountant text, rdp_order integer, spent numeric, asked numeric,
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
COMMENT ON FUNCTION dpobj.cost_text(text, integer, numeric, numeric, numeric) IS
  'internal: a sum of costs and what is left, in words';

CREATE FUNCTION dpobj.budget_exceeded(tables bigint[], payers bigint[], cost dpobj.charge_cost) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('The budget of %s on table %s has %s.',
             CASE WHEN b.role IS NULL THEN 'all roles' ELSE format('role "%s"', r.name) END, t.name,
             CASE
               WHEN NOT fits.cost THEN
                 dpobj.cost_text(b.accountant, b.rdp_order, b.cost_spent, asked.cost, b.cost_limit)
               WHEN NOT fits.delta THEN format('%s: %s spent, %s asked, %s left of %s',
                 CASE b.accountant WHEN 'basic' THEN 'delta' ELSE 'delta reserved for releases' END,
                 trim_scale(b.delta_spent * 0.000000000000000001), trim_scale(asked.delta * 0.000000000000000001),
                 trim_scale(greatest(b.reserve_units - b.delta_spent, 0) * 0.000000000000000001),
                 trim_scale(b.reserve_units * 0.000000000000000001))
               ELSE format('releases: %s spent, 1 asked, %s left of %s', b.releases,
                 greatest(b.max_releases - b.releases, 0), b.max_releases)
             END)
      FROM dpobj.budget_state b
      JOIN dpobj.identities t ON t.id = b.relation
      LEFT JOIN dpobj.identities r ON r.id = b.role
     CROSS JOIN LATERAL
           (SELECT dpobj.cost_under($3, b.adjacency, b.accountant,
                     array_position(dpobj.rdp_orders(), b.rdp_order)) AS cost,
                   dpobj.delta_under($3, b.adjacency, b.accountant) AS delta) asked
     CROSS JOIN LATERAL
           (SELECT b.cost_spent + asked.cost <= b.cost_limit AS cost,
                   b.delta_spent + asked.delta <= b.reserve_units AS delta,
                   coalesce(b.releases < b.max_releases, true) AS releases) fits
     WHERE b.relation = ANY ($1) AND (b.role IS NULL OR b.role = ANY ($2))
       AND (fits.cost AND fits.delta AND fits.releases) IS NOT TRUE
     ORDER BY b.relation, b.role
     LIMIT 1
  $$;
COMMENT ON FUNCTION dpobj.budget_exceeded(bigint[], bigint[], dpobj.charge_cost) IS
  'internal: of the budgets that apply, the first that a cost does not fit into; null: it fits';

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
       pg_catalog.trim_scale(dpobj.largest_epsilon(b.accountant, b.rdp_order, b.cost_limit - b.cost_spent)
                             * 0.000000001) AS largest_epsilon,
       b.adjacency,
       b.id AS budget
  FROM dpobj.budget_state b
  JOIN dpobj.identity_tables t ON t.id = b.relation
  LEFT JOIN dpobj.identity_roles r ON r.id = b.role
 CROSS JOIN LATERAL
       (SELECT dpobj.composed_epsilon(b.accountant, b.rdp_order, b.cost_spent, b.delta_units - b.reserve_units)
                 AS epsilon_spent,
               CASE b.accountant WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one) c
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
COMMENT ON COLUMN dpobj.budgets.accountant IS 'what is added up: basic, epsilon; zcdp, rho; rdp, the Renyi divergence of order rdp_order';
COMMENT ON COLUMN dpobj.budgets.epsilon_limit IS 'cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.epsilon_spent IS 'what the charges cost together: epsilon at the cap of delta less what is reserved; null: nothing finite';
COMMENT ON COLUMN dpobj.budgets.epsilon_left IS 'what is left of the cap of epsilon';
COMMENT ON COLUMN dpobj.budgets.delta_limit IS 'cap of delta';
COMMENT ON COLUMN dpobj.budgets.delta_spent IS 'charged deltas, and what the conversion takes once anything is charged';
COMMENT ON COLUMN dpobj.budgets.delta_left IS 'what is left for deltas of releases';
COMMENT ON COLUMN dpobj.budgets.releases IS 'number of charges, from the ledger';
COMMENT ON COLUMN dpobj.budgets.max_releases IS 'cap of the number of charges; null: none';
COMMENT ON COLUMN dpobj.budgets.relation_name IS 'name of the table when a charge or a budget last touched it';
COMMENT ON COLUMN dpobj.budgets.role_name IS 'name of the role, also of one that is gone; null: all roles together';
COMMENT ON COLUMN dpobj.budgets.rdp_order IS 'rdp: order of the divergence, fixed when the budget was made';
COMMENT ON COLUMN dpobj.budgets.cost_limit IS 'cap of what is added up: of epsilon, rho or the divergence';
COMMENT ON COLUMN dpobj.budgets.cost_spent IS 'the sum so far';
COMMENT ON COLUMN dpobj.budgets.largest_epsilon IS 'the most that one more release with delta = 0 may cost';
COMMENT ON COLUMN dpobj.budgets.adjacency IS 'under which costs are added up: the protected table''s, else replace';
COMMENT ON COLUMN dpobj.budgets.budget IS 'number of the budget';

/*
 * How many more of the last release fit: the odometer of a budget.  The last one that dpobj.ledger
 * shows to the session's role; others' are nobody's business.
 */
CREATE VIEW dpobj.odometer WITH (security_barrier) AS
SELECT v.relation,
       v.role_name AS role,
       b.accountant,
       last.id AS release,
       last.mechanism,
       pg_catalog.trim_scale(last.epsilon_nano * 0.000000001) AS epsilon,
       pg_catalog.trim_scale(last.delta_units * 0.000000000000000001) AS delta,
       greatest(least(pg_catalog.div(b.cost_limit - b.cost_spent, nullif(k.cost, 0)),
                      pg_catalog.div(b.reserve_units - b.delta_spent, nullif(k.delta, 0)),
                      b.max_releases - b.releases), 0) AS more
  FROM dpobj.budget_state b
  JOIN dpobj.budgets v ON v.budget = b.id
 CROSS JOIN LATERAL
       (SELECT e.* FROM dpobj.ledger_events e
         WHERE e.event = 'charged'
           AND e.relation_identity = ANY ((SELECT f.members FROM dpobj.families f WHERE f.id = b.relation)::bigint[])
           AND (b.role IS NULL OR b.role = ANY (e.payers))
           AND (e.role_identity IN (SELECT id FROM dpobj.identity_roles WHERE role_name = session_user)
                OR dpobj.sees_all())
         ORDER BY e.id DESC LIMIT 1) last
 CROSS JOIN LATERAL
       (SELECT dpobj.cost_under(c.cost, b.adjacency, b.accountant,
                 pg_catalog.array_position(dpobj.rdp_orders(), b.rdp_order)) AS cost,
               dpobj.delta_under(c.cost, b.adjacency, b.accountant) AS delta
          FROM (SELECT ROW(last.adjacency, last.epsilon_nano, last.delta_units, last.rho_pico, last.rho_delta,
                           last.rdp_pico, last.rdp_delta, last.rdp_replaced)::dpobj.charge_cost AS cost) c) k;
REVOKE ALL ON TABLE dpobj.odometer FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.odometer TO PUBLIC;
COMMENT ON VIEW dpobj.odometer IS 'how many more releases like the last one of the session''s role fit into each budget that dpobj.budgets shows; of any role for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.odometer.relation IS 'the table; null when there is none by that OID or name any more';
COMMENT ON COLUMN dpobj.odometer.role IS 'role or group; null: all roles together';
COMMENT ON COLUMN dpobj.odometer.accountant IS 'what is added up';
COMMENT ON COLUMN dpobj.odometer.release IS 'ledger id of the last charge that counts for the budget and may be seen';
COMMENT ON COLUMN dpobj.odometer.mechanism IS 'its mechanism';
COMMENT ON COLUMN dpobj.odometer.epsilon IS 'its epsilon';
COMMENT ON COLUMN dpobj.odometer.delta IS 'its delta';
COMMENT ON COLUMN dpobj.odometer.more IS 'how many more of its kind fit; null: any number';

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

CREATE FUNCTION dpobj.budgets_applying(relation regclass, role regrole) RETURNS SETOF dpobj.budgets
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
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
        tables(relation) AS (SELECT budgets_applying.relation::oid UNION
                             SELECT h.inhparent FROM pg_inherits h JOIN tables t ON h.inhrelid = t.relation)
      SELECT b.*
      FROM dpobj.budgets b
      WHERE b.relation::oid IN (SELECT t.relation FROM tables t)
        AND (b.role_name IS NULL
             OR b.role IN (SELECT r.rolname FROM payers p JOIN pg_roles r ON r.oid = p.role));
  END
  $$;
COMMENT ON FUNCTION dpobj.budgets_applying(regclass, regrole) IS
  'the budgets that a release by a role from a table must fit into; null: the session''s role';

CREATE FUNCTION dpobj.remaining(relation regclass, role regrole DEFAULT NULL)
  RETURNS TABLE (epsilon numeric, delta numeric, releases bigint)
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT min(b.largest_epsilon), min(b.delta_left),
           min(CASE WHEN b.max_releases IS NOT NULL THEN greatest(b.max_releases - b.releases, 0) END)
      FROM dpobj.budgets_applying($1, $2) b
    HAVING count(*) > 0
  $$;
COMMENT ON FUNCTION dpobj.remaining(regclass, regrole) IS
  'the most that one more release of a role may cost on a table, by all budgets that apply; no row: no budget applies';

CREATE FUNCTION dpobj.calls_that_fit(relation regclass, cost dpobj.charge_cost) RETURNS numeric
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    SELECT min(greatest(least(div((b.cost_limit - b.cost_spent) / k.one, nullif(k.cost, 0)),
                              div(b.delta_left / 0.000000000000000001, nullif(k.delta, 0)),
                              b.max_releases - b.releases), 0))
      FROM dpobj.budgets_applying($1, NULL) b
     CROSS JOIN LATERAL
           (SELECT CASE b.accountant WHEN 'basic' THEN 0.000000001 ELSE 0.000000000001 END AS one,
                   dpobj.cost_under($2, b.adjacency, b.accountant,
                     array_position(dpobj.rdp_orders(), b.rdp_order)) AS cost,
                   dpobj.delta_under($2, b.adjacency, b.accountant) AS delta) k
  $$;
COMMENT ON FUNCTION dpobj.calls_that_fit(regclass, dpobj.charge_cost) IS
  'how many releases of that cost fit into the budgets of the session''s role; null: any number';
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
COMMENT ON COLUMN @extschema@.dp_model.kind IS 'halfspace, logistic or svm: each predicts positive if and only if the score is greater than 0; simplex: the score is the prediction';
COMMENT ON COLUMN @extschema@.dp_model.mechanism IS 'the mechanism that chose the weights';
COMMENT ON COLUMN @extschema@.dp_model.weights IS 'one weight for each feature, then the intercept if there is one';
COMMENT ON COLUMN @extschema@.dp_model.epsilon IS 'epsilon charged for this release';
COMMENT ON COLUMN @extschema@.dp_model.delta IS 'delta charged for this release; 0 under pure differential privacy';
COMMENT ON COLUMN @extschema@.dp_model.adjacency IS 'replace or add_remove: which data sets count as neighbours';
COMMENT ON COLUMN @extschema@.dp_model.guarantee IS 'exact, float, conditional (a limit was set) or unproven';
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
 * One row per model, written by the charge worker: the place
 * in the transaction of the charge, the model in that of the released event.  A release of
 * groups has a model, and a place, for each of its keys.  So a
 * model that was paid for can be read again, whatever became of the session.
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
    PRIMARY KEY (release, place),
    CONSTRAINT model_name_key UNIQUE (owner, name),
    CONSTRAINT model_released CHECK ((released IS NULL) = (model IS NULL))
);
REVOKE ALL ON TABLE dpobj.model_rows FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.model_rows', '');
CREATE TRIGGER model_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.model_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Models are written by the charge worker only.');
ALTER TABLE dpobj.model_rows ENABLE ALWAYS TRIGGER model_guard;
COMMENT ON TABLE dpobj.model_rows IS 'released models, and places for those that are being made; written by the charge worker only';
COMMENT ON INDEX dpobj.model_rows_pkey IS 'a release makes one model, or one for each key';
COMMENT ON INDEX dpobj.model_name_key IS 'a name is unique among the models of a role';
COMMENT ON TRIGGER model_guard ON dpobj.model_rows IS 'refuses changes by hand for everybody but superusers';
COMMENT ON COLUMN dpobj.model_rows.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_rows.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_rows.owner IS 'identity of the session user who was charged';
COMMENT ON COLUMN dpobj.model_rows.name IS 'name that the owner gave, followed by the key if there is one; null: none';
COMMENT ON COLUMN dpobj.model_rows.request_hash IS 'SHA-256 of the request of dpobj.train or dpobj.train_groups; null: an aggregate';
COMMENT ON COLUMN dpobj.model_rows.released IS 'when it was released';
COMMENT ON COLUMN dpobj.model_rows.model IS 'the model; null while there is none';
COMMENT ON COLUMN dpobj.model_rows.key IS 'key of the group that it is about; null: the whole table';

CREATE VIEW dpobj.models WITH (security_barrier) AS
SELECT m.name,
       m.model,
       CASE WHEN pg_catalog.parse_ident(e.relation_name) OPERATOR(pg_catalog.=) ARRAY[n.nspname::text, c.relname::text]
            THEN c.oid::regclass END AS relation,
       e.relation_name,
       coalesce(r.role_name, r.recorded_name) AS owner,
       m.released AS created,
       m.release,
       m.key
  FROM dpobj.model_rows m
  JOIN dpobj.ledger_events e ON e.id = m.release
  JOIN dpobj.identity_roles r ON r.id = m.owner
  LEFT JOIN pg_catalog.pg_class c ON c.oid = e.relation
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE m.model IS NOT NULL
   AND (r.role_name = current_user
        OR EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.rolname = current_user AND s.rolsuper));
REVOKE ALL ON TABLE dpobj.models FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.models TO PUBLIC;
COMMENT ON VIEW dpobj.models IS 'released models of the current role; all of them for superusers';
COMMENT ON COLUMN dpobj.models.name IS 'name given to dpobj.train, or to dpobj.train_groups and followed by the key; null: none';
COMMENT ON COLUMN dpobj.models.model IS 'the model';
COMMENT ON COLUMN dpobj.models.relation IS 'the table it was trained on; null when no table has the recorded OID and name any more';
COMMENT ON COLUMN dpobj.models.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.models.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.models.created IS 'when it was released';
COMMENT ON COLUMN dpobj.models.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.models.key IS 'key of the group that it is about; null: the whole table';

-- A value of type dp_model can be forged; the ledger cannot.  Of groups it holds the hash of all
-- models' hashes in the order of their keys.
CREATE FUNCTION dpobj.verify(model @extschema@.dp_model) RETURNS boolean
  LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT EXISTS (
      SELECT FROM dpobj.ledger_events e
      WHERE e.event = 'released' AND e.release = model.release
        AND (e.output_hash = dpobj.model_hash(model)
             OR (SELECT sha256(string_agg(h.hash, '' ORDER BY h.place)) = e.output_hash
                        AND bool_or(h.hash = dpobj.model_hash(model))
                 FROM (SELECT m.place, dpobj.model_hash(m.model) AS hash FROM dpobj.model_rows m
                       WHERE m.release = e.release AND m.key IS NOT NULL) h)))
  $$;
COMMENT ON FUNCTION dpobj.verify(@extschema@.dp_model) IS
  'was this very model released? compares its hash with the ledger';
-- The owner's door: aggregates

CREATE TYPE @extschema@.dp_rows;

CREATE FUNCTION dpobj.rows_in(cstring) RETURNS @extschema@.dp_rows
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_in';
COMMENT ON FUNCTION dpobj.rows_in(cstring) IS 'refuses: a dp_rows has no text form';

CREATE FUNCTION dpobj.rows_out(@extschema@.dp_rows) RETURNS cstring
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_out';
COMMENT ON FUNCTION dpobj.rows_out(@extschema@.dp_rows) IS 'refuses: showing a dp_rows would show rows';

CREATE TYPE @extschema@.dp_rows (
  INPUT = dpobj.rows_in,
  OUTPUT = dpobj.rows_out,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = double,
  STORAGE = extended
);
COMMENT ON TYPE @extschema@.dp_rows IS 'state of the training aggregates; not for use in queries';
REVOKE ALL ON TYPE @extschema@.dp_rows FROM PUBLIC;

CREATE FUNCTION dpobj.rows_combine(@extschema@.dp_rows, @extschema@.dp_rows) RETURNS @extschema@.dp_rows
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_combine';
COMMENT ON FUNCTION dpobj.rows_combine(@extschema@.dp_rows, @extschema@.dp_rows) IS 'adds up two partial training sets';

-- dp_halfspace, dp_logistic, dp_svm, dp_classifier (features, label, epsilon, delta [, options])
-- and dp_simplex, which has a target: one aggregate for each type of label and each way to write
-- epsilon and delta.
DO $body$
DECLARE
  home constant text := '@extschema@';
  method text;
  what text;
  labels text[];
  label text;
  cost text;
  options text;
  arguments text;
  combine text;
BEGIN
  FOR method, what, labels IN VALUES
    ('halfspace', 'private halfspace', ARRAY['boolean', 'integer', 'bigint']),
    ('logistic', 'private logistic regression', ARRAY['boolean', 'integer', 'bigint']),
    ('svm', 'private support vector machine', ARRAY['boolean', 'integer', 'bigint']),
    ('classifier', 'private halfspace or logistic regression, chosen from public parameters',
     ARRAY['boolean', 'integer', 'bigint']),
    ('simplex', 'private regression with weights on the simplex', ARRAY['float8'])
  LOOP
    -- The other states may be on disk, where no other process can combine them.
    combine := CASE WHEN method = 'halfspace' THEN 'COMBINEFUNC = dpobj.rows_combine,' ELSE '' END;
    EXECUTE format(
      $$CREATE FUNCTION dpobj.%1$s_final(%2$s.dp_rows) RETURNS %2$s.dp_model
        LANGUAGE C VOLATILE PARALLEL UNSAFE
        AS 'MODULE_PATHNAME', 'dpobj_%1$s_final'$$, method, home);
    EXECUTE format(
      $$COMMENT ON FUNCTION dpobj.%s_final(%s.dp_rows) IS 'charges, solves and releases: %s'$$, method, home, what);
    FOREACH label IN ARRAY labels LOOP
      FOREACH cost IN ARRAY ARRAY['float8, float8', 'numeric, numeric', 'numeric, integer'] LOOP
        FOREACH options IN ARRAY ARRAY['', ', jsonb'] LOOP
          arguments := format('float8[], %s, %s%s', label, cost, options);
          EXECUTE format(
            $$CREATE FUNCTION dpobj.%1$s_accumulate(%3$s.dp_rows, %2$s) RETURNS %3$s.dp_rows
              LANGUAGE C IMMUTABLE PARALLEL SAFE
              AS 'MODULE_PATHNAME', 'dpobj_%1$s_accumulate'$$, method, arguments, home);
          EXECUTE format(
            $$COMMENT ON FUNCTION dpobj.%s_accumulate(%s.dp_rows, %s) IS
              'adds one row to a training set'$$, method, home, arguments);
          EXECUTE format(
            $$CREATE AGGREGATE %4$s.dp_%1$s(%2$s) (
              SFUNC = dpobj.%1$s_accumulate,
              STYPE = %4$s.dp_rows,
              %3$s
              FINALFUNC = dpobj.%1$s_final,
              FINALFUNC_MODIFY = READ_WRITE,
              PARALLEL = SAFE)$$, method, arguments, combine, home);
          EXECUTE format(
            $$COMMENT ON AGGREGATE %s.dp_%s(%s) IS
              '%s: features, %s, epsilon, delta, options'$$, home, method, arguments, what,
            CASE label WHEN 'float8' THEN 'target' ELSE 'label' END);
          EXECUTE format('REVOKE ALL ON FUNCTION %s.dp_%s(%s) FROM PUBLIC', home, method, arguments);
        END LOOP;
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
      WHERE e.extname = 'dpobj' AND d.deptype = 'e' AND p.prokind IN ('a', 'w')
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', aggregate, role);
    END LOOP;
  END
  $$;
COMMENT ON FUNCTION dpobj.grant_trainer(regrole) IS
  'lets a trusted role call the training aggregates of the owner''s door';
-- The owner's door: private online learning, a window function

-- dp_ftrl(costs, epsilon, delta [, options]): one for each way to write epsilon and delta.
DO $body$
DECLARE
  home constant text := '@extschema@';
  cost text;
  options text;
  arguments text;
BEGIN
  FOREACH cost IN ARRAY ARRAY['float8, float8', 'numeric, numeric', 'numeric, integer'] LOOP
    FOREACH options IN ARRAY ARRAY['', ', jsonb'] LOOP
      arguments := format('float8[], %s%s', cost, options);
      EXECUTE format(
        $$CREATE FUNCTION %s.dp_ftrl(%s) RETURNS integer
          LANGUAGE C WINDOW VOLATILE PARALLEL UNSAFE
          AS 'MODULE_PATHNAME', 'dpobj_ftrl'$$, home, arguments);
      EXECUTE format(
        $$COMMENT ON FUNCTION %s.dp_ftrl(%s) IS
          'private online learning, a choice for each row: costs, epsilon, delta, options'$$, home, arguments);
      EXECUTE format('REVOKE ALL ON FUNCTION %s.dp_ftrl(%s) FROM PUBLIC', home, arguments);
    END LOOP;
  END LOOP;
END
$body$;
-- The analyst's door: training and evaluation without any privilege on the table

CREATE FUNCTION dpobj.train(relation regclass, label text, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'halfspace', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL, name text DEFAULT NULL) RETURNS @extschema@.dp_model
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_train';
COMMENT ON FUNCTION dpobj.train(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text) IS
  'trains a model on a protected table under a budget of the session''s role';

CREATE FUNCTION dpobj.evaluate(name text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL)
  RETURNS float8
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_evaluate';
COMMENT ON FUNCTION dpobj.evaluate(text, regclass, numeric, jsonb) IS
  'private estimate of the accuracy of a named model of one''s own on a protected table; null: too much noise';
-- Groups: a model for each key of a public list, in one release

CREATE TYPE @extschema@.dp_group AS (
  key text[],
  model @extschema@.dp_model
);
COMMENT ON TYPE @extschema@.dp_group IS 'a key of a public list and the model of the rows that have it';
COMMENT ON COLUMN @extschema@.dp_group.key IS 'the key: a text for each grouping column';
COMMENT ON COLUMN @extschema@.dp_group.model IS 'the model; epsilon and delta are those of the whole release';

CREATE FUNCTION dpobj.listed_keys(parameters jsonb, OUT place bigint, OUT key text[]) RETURNS SETOF record
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT k.place, ARRAY(SELECT p.part FROM jsonb_array_elements_text(k.key) WITH ORDINALITY p(part, number)
                          ORDER BY p.number)
    FROM jsonb_array_elements(parameters #> '{groups,keys}') WITH ORDINALITY k(key, place)
  $$;
COMMENT ON FUNCTION dpobj.listed_keys(jsonb) IS 'the keys among the parameters of a charge for groups';

CREATE VIEW dpobj.model_groups AS
SELECT m.release, pg_catalog.array_agg(ROW (m.key, m.model)::@extschema@.dp_group ORDER BY m.place) AS groups
  FROM dpobj.model_rows m
 WHERE m.model IS NOT NULL AND m.key IS NOT NULL
 GROUP BY m.release;
REVOKE ALL ON TABLE dpobj.model_groups FROM PUBLIC;
COMMENT ON VIEW dpobj.model_groups IS 'the models of releases that have one for each key';
COMMENT ON COLUMN dpobj.model_groups.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_groups.groups IS 'keys and models in the order of the list';

CREATE FUNCTION dpobj.train_groups(relation regclass, by text[], label text, epsilon numeric,
    features text[] DEFAULT NULL, delta numeric DEFAULT 0, method text DEFAULT 'halfspace',
    options jsonb DEFAULT '{}', filter jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS TABLE (key text[], model @extschema@.dp_model)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_train_groups';
COMMENT ON FUNCTION dpobj.train_groups(regclass, text[], text, numeric, text[], numeric, text, jsonb, jsonb, text) IS
  'trains a model for each combination of declared values on a protected table, for one charge';

-- dp_groups(key, features, label, epsilon, delta, options): the state is one training set for each key,
-- which may be on disk, so that there is nothing to combine.
CREATE FUNCTION dpobj.groups_final(internal) RETURNS @extschema@.dp_group[]
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_groups_final';
COMMENT ON FUNCTION dpobj.groups_final(internal) IS 'charges, solves and releases: a model for each key';

DO $body$
DECLARE
  home constant text := '@extschema@';
  key text;
  label text;
  cost text;
  arguments text;
BEGIN
  FOREACH key IN ARRAY ARRAY['text', 'text[]'] LOOP
    FOREACH label IN ARRAY ARRAY['boolean', 'integer', 'bigint'] LOOP
      FOREACH cost IN ARRAY ARRAY['float8, float8', 'numeric, numeric', 'numeric, integer'] LOOP
        arguments := format('%s, float8[], %s, %s, jsonb', key, label, cost);
        EXECUTE format(
          $$CREATE FUNCTION dpobj.groups_accumulate(internal, %s) RETURNS internal
            LANGUAGE C IMMUTABLE PARALLEL SAFE
            AS 'MODULE_PATHNAME', 'dpobj_groups_accumulate'$$, arguments);
        EXECUTE format(
          $$COMMENT ON FUNCTION dpobj.groups_accumulate(internal, %s) IS
            'adds one row to the training set of its group'$$, arguments);
        EXECUTE format(
          $$CREATE AGGREGATE %s.dp_groups(%s) (
            SFUNC = dpobj.groups_accumulate,
            STYPE = internal,
            FINALFUNC = dpobj.groups_final,
            FINALFUNC_MODIFY = READ_WRITE,
            PARALLEL = SAFE)$$, home, arguments);
        EXECUTE format(
          $$COMMENT ON AGGREGATE %s.dp_groups(%s) IS
            'a private model for each key of a list: key, features, label, epsilon, delta, options with "keys"'$$,
          home, arguments);
        EXECUTE format('REVOKE ALL ON FUNCTION %s.dp_groups(%s) FROM PUBLIC', home, arguments);
      END LOOP;
    END LOOP;
  END LOOP;
END
$body$;
-- Private evaluation and selection, at both doors

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

-- The analyst's door

CREATE FUNCTION dpobj.confusion(name text, relation regclass, epsilon numeric, filter jsonb DEFAULT NULL)
  RETURNS @extschema@.dp_confusion_table
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_confusion';
COMMENT ON FUNCTION dpobj.confusion(text, regclass, numeric, jsonb) IS
  'private confusion table of a named model of one''s own on a protected table';

CREATE FUNCTION dpobj.select(names text[], relation regclass, epsilon numeric, filter jsonb DEFAULT NULL)
  RETURNS text
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_select';
COMMENT ON FUNCTION dpobj.select(text[], regclass, numeric, jsonb) IS
  'private choice of a good one among named models of one''s own on a protected table; one charge, however many they are';

-- The owner's door: dp_accuracy and dp_confusion (model or its name, features, label, epsilon),
-- dp_select (models, features, label, epsilon); one for each type of label and of epsilon.

CREATE FUNCTION dpobj.evaluation_combine(bytea, bytea) RETURNS bytea
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_evaluation_combine';
COMMENT ON FUNCTION dpobj.evaluation_combine(bytea, bytea) IS 'adds up two partial evaluations';

CREATE FUNCTION dpobj.accuracy_final(bytea) RETURNS float8
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_accuracy_final';
COMMENT ON FUNCTION dpobj.accuracy_final(bytea) IS 'charges and releases: private accuracy of a model';

CREATE FUNCTION dpobj.confusion_final(bytea) RETURNS @extschema@.dp_confusion_table
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_confusion_final';
COMMENT ON FUNCTION dpobj.confusion_final(bytea) IS 'charges and releases: private confusion table of a model';

CREATE FUNCTION dpobj.select_final(bytea) RETURNS integer
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_select_final';
COMMENT ON FUNCTION dpobj.select_final(bytea) IS 'charges and releases: private choice among models';

DO $body$
DECLARE
  home constant text := '@extschema@';
  subject text;
  label text;
  epsilon text;
  arguments text;
  evaluation text;
  what text;
BEGIN
  FOREACH subject IN ARRAY ARRAY['text', home || '.dp_model', home || '.dp_model[]'] LOOP
    FOREACH label IN ARRAY ARRAY['boolean', 'integer', 'bigint'] LOOP
      FOREACH epsilon IN ARRAY ARRAY['float8', 'numeric'] LOOP
        arguments := format('%s, float8[], %s, %s', subject, label, epsilon);
        EXECUTE format(
          $$CREATE FUNCTION dpobj.evaluation_accumulate(bytea, %s) RETURNS bytea
            LANGUAGE C IMMUTABLE PARALLEL SAFE
            AS 'MODULE_PATHNAME', 'dpobj_evaluation_accumulate'$$, arguments);
        EXECUTE format(
          $$COMMENT ON FUNCTION dpobj.evaluation_accumulate(bytea, %s) IS
            'counts one row by predictions and label'$$, arguments);
        FOR evaluation, what IN
          SELECT * FROM (VALUES
            ('accuracy', 'private accuracy of a model; null: too much noise'),
            ('confusion', 'private confusion table of a model'),
            ('select', 'private choice of a good one among models: its number, from 1')) v(name, meaning)
          WHERE (name = 'select') = (subject = home || '.dp_model[]')
        LOOP
          EXECUTE format(
            $$CREATE AGGREGATE %3$s.dp_%1$s(%2$s) (
              SFUNC = dpobj.evaluation_accumulate,
              STYPE = bytea,
              COMBINEFUNC = dpobj.evaluation_combine,
              FINALFUNC = dpobj.%1$s_final,
              FINALFUNC_MODIFY = READ_WRITE,
              PARALLEL = SAFE)$$, evaluation, arguments, home);
          EXECUTE format(
            $$COMMENT ON AGGREGATE %s.dp_%s(%s) IS
              '%s: %s, features, label, epsilon'$$, home, evaluation, arguments, what,
            CASE subject WHEN 'text' THEN 'name' WHEN home || '.dp_model' THEN 'model' ELSE 'models' END);
          EXECUTE format('REVOKE ALL ON FUNCTION %s.dp_%s(%s) FROM PUBLIC', home, evaluation, arguments);
        END LOOP;
      END LOOP;
    END LOOP;
  END LOOP;
END
$body$;
-- What a call would cost: from public parameters, for everybody, without a charge

CREATE FUNCTION dpobj.price(relation regclass, epsilon numeric, features text[] DEFAULT NULL,
    delta numeric DEFAULT 0, method text DEFAULT 'halfspace', options jsonb DEFAULT '{}',
    label text DEFAULT NULL) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_price_relation';
COMMENT ON FUNCTION dpobj.price(regclass, numeric, text[], numeric, text, jsonb, text) IS
  'what dpobj.train on a protected table would cost, how far from the best model it may be, and how many such calls fit into the session''s budgets';

CREATE FUNCTION dpobj.price(method text, d integer, epsilon numeric, delta numeric DEFAULT 0,
    options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_price_dimension';
COMMENT ON FUNCTION dpobj.price(text, integer, numeric, numeric, jsonb) IS
  'what an aggregate on d features would cost, and how far from the best model it may be; of method accuracy, confusion or select with d models, how far from the truth';

-- plan is no overload of dpobj.price: a table's name in quotes would be taken for one
CREATE FUNCTION dpobj.price_plan(plan jsonb, delta numeric) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_price_plan';
COMMENT ON FUNCTION dpobj.price_plan(jsonb, numeric) IS
  'what a batch of releases costs together under each accountant, at a delta; plan: [{"method", "d", "epsilon", "delta", "options", "count"}, ...]';
-- What the ledger has of a table, composed by each accountant, and the report for auditors

CREATE FUNCTION dpobj.composed_charges(relation regclass, role regrole, accountant text, delta numeric,
    OUT releases bigint, OUT epsilon_nano bigint, OUT delta_units bigint, OUT rdp_order integer,
    OUT assumes text, OUT neighbours text, OUT weaker bigint)
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_composed_charges';
COMMENT ON FUNCTION dpobj.composed_charges(regclass, regrole, text, numeric) IS
  'internal: dpobj.recompute in units of the ledger';

CREATE FUNCTION dpobj.recompute(relation regclass, role regrole, accountant text, delta numeric DEFAULT NULL)
  RETURNS TABLE (accountant text, releases bigint, epsilon numeric, delta numeric, rdp_order integer, assumes text)
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT $3, c.releases, trim_scale(c.epsilon_nano * 0.000000001),
           trim_scale(c.delta_units * 0.000000000000000001), c.rdp_order,
           concat_ws('; ', c.assumes, c.neighbours,
             CASE WHEN c.weaker > 0 THEN format('releases with a guarantee that is not exact: %s', c.weaker) END)
      FROM dpobj.composed_charges($1, $2, $3, $4) c
  $$;
COMMENT ON FUNCTION dpobj.recompute(regclass, regrole, text, numeric) IS
  'what all charges of a table that a role has paid for, or with null all, guarantee together by an accountant: basic, zcdp, rdp, kov or pld; delta: null for 1e-6 and the sum of the releases'' own';

/*
 * The contents of a report.  Runs as the owner of dpobj's tables, from one snapshot; who may have
 * it is asked in dpobj.report (src/server/recompute.c).
 */
CREATE FUNCTION dpobj.report_contents(relation regclass, delta numeric) RETURNS jsonb
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off
  AS $$
    WITH
      here AS (SELECT t.id FROM dpobj.identity_tables t WHERE t.relation = $1),
      family AS (SELECT DISTINCT unnest(f.members) AS id FROM dpobj.families f WHERE f.id IN (SELECT id FROM here)),
      charges AS (
        SELECT e.id, e.mechanism, e.guarantee, e.epsilon_nano, e.delta_units, e.payers, e.relation_identity,
               coalesce(r.role_name, r.recorded_name) AS role, coalesce(x.event, 'open') AS ended
          FROM dpobj.ledger_events e
          JOIN dpobj.identity_roles r ON r.id = e.role_identity
          LEFT JOIN dpobj.ledger_events x ON x.release = e.id
         WHERE e.event = 'charged' AND e.relation_identity IN (SELECT id FROM family)),
      kinds AS (
        SELECT role, mechanism, guarantee, count(*) AS charged, count(*) FILTER (WHERE ended = 'released') AS released,
               count(*) FILTER (WHERE ended = 'failed') AS failed, count(*) FILTER (WHERE ended = 'open') AS open,
               trim_scale(sum(epsilon_nano) * 0.000000001) AS epsilon,
               trim_scale(sum(delta_units) * 0.000000000000000001) AS delta
          FROM charges
         GROUP BY role, mechanism, guarantee),
      labels AS (SELECT guarantee, count(*) AS releases FROM charges GROUP BY guarantee),
      events AS (
        SELECT e.id, e.at, e.event, e.role_name, e.relation_name, e.relation_identity, e.parameters
          FROM dpobj.ledger_events e
         WHERE e.event NOT IN ('charged', 'released', 'failed')
           AND (e.relation_identity IN (SELECT id FROM family) OR e.relation_identity IS NULL)),
      budgets AS (
        SELECT b.id, t.relation_name, b.role IS NULL AS all_roles, coalesce(r.role_name, r.recorded_name) AS role,
               b.accountant, b.rdp_order, s.adjacency, b.max_releases, s.releases,
               trim_scale(b.epsilon_nano * 0.000000001) AS epsilon_limit,
               trim_scale(dpobj.composed_epsilon(b.accountant, b.rdp_order, s.cost, b.delta_units - b.reserve_units)
                          * 0.000000001) AS epsilon_spent,
               trim_scale(b.delta_units * 0.000000000000000001) AS delta_limit,
               trim_scale(s.delta * 0.000000000000000001) AS delta_spent,
               trim_scale(b.reserve_units * 0.000000000000000001) AS delta_reserve,
               CASE WHEN b.cost_spent IS NOT NULL
                    THEN (b.cost_spent, b.delta_spent, b.releases_spent) = (s.cost, s.delta, s.releases) END AS sums_equal,
               s.cost <= b.cost_limit AND s.delta <= b.reserve_units AND s.releases <= coalesce(b.max_releases, s.releases)
                 AS within,
               -- those that its caps could have been made to suit
               (SELECT count(*) FROM charges c
                 WHERE (b.role IS NULL OR b.role = ANY (c.payers))
                   AND c.id < (SELECT max(e.id) FROM events e
                                WHERE e.event IN ('set_budget', 'raise_budget') AND e.relation_identity = b.relation
                                  AND CASE WHEN b.role IS NULL THEN e.parameters ->> 'role' IS NULL
                                           ELSE e.parameters ->> 'role' IN (r.role_name, r.recorded_name) END))
                 AS releases_before
          FROM dpobj.budget_rows b
          JOIN dpobj.budget_sums s ON s.id = b.id
          JOIN dpobj.identity_tables t ON t.id = b.relation
          LEFT JOIN dpobj.identity_roles r ON r.id = b.role
         WHERE b.relation IN (SELECT id FROM family)),
      composed AS MATERIALIZED (
        SELECT a.accountant, c.*
          FROM unnest('{basic,zcdp,rdp,pld}'::text[]) a(accountant)
         CROSS JOIN LATERAL dpobj.composed_charges($1, NULL, a.accountant, $2) c)
    SELECT jsonb_build_object(
      'relation', (SELECT format('%I.%I', n.nspname, k.relname) FROM pg_class k
                     JOIN pg_namespace n ON n.oid = k.relnamespace WHERE k.oid = $1),
      'at', statement_timestamp(),
      'version', (SELECT x.extversion FROM pg_extension x WHERE x.extname = 'dpobj'),
      'tables', (SELECT coalesce(jsonb_agg(i.name ORDER BY i.name), '[]')
                   FROM dpobj.identities i WHERE i.id IN (SELECT id FROM family)),
      'protection', (SELECT jsonb_build_object('adjacency', p.adjacency, 'person', p.person,
                              'max_rows_per_person', p.max_rows_per_person, 'since', p.at)
                       FROM dpobj.protections p WHERE p.relation IN (SELECT id FROM here)),
      'releases', (SELECT jsonb_build_object('charged', count(*),
                            'released', count(*) FILTER (WHERE ended = 'released'),
                            'failed', count(*) FILTER (WHERE ended = 'failed'),
                            'open', count(*) FILTER (WHERE ended = 'open')) FROM charges),
      'open', (SELECT coalesce(jsonb_agg(o.id ORDER BY o.id), '[]')
                 FROM (SELECT id FROM charges WHERE ended = 'open' ORDER BY id LIMIT 100) o),
      'failed', (SELECT coalesce(jsonb_agg(o.id ORDER BY o.id), '[]')
                   FROM (SELECT id FROM charges WHERE ended = 'failed' ORDER BY id LIMIT 100) o),
      'labels', (SELECT coalesce(jsonb_object_agg(l.guarantee, l.releases), '{}') FROM labels l),
      'kinds', (SELECT coalesce(jsonb_agg(to_jsonb(k) ORDER BY k.role, k.mechanism, k.guarantee), '[]') FROM kinds k),
      'budgets', (SELECT coalesce(jsonb_agg(to_jsonb(b) - 'id' ORDER BY b.relation_name, b.all_roles DESC, b.role), '[]')
                    FROM budgets b),
      'sums_equal', (SELECT coalesce(bool_and(b.sums_equal), true) FROM budgets b),
      'neighbours', (SELECT c.neighbours FROM composed c LIMIT 1),
      'composed', (SELECT jsonb_object_agg(c.accountant, jsonb_build_object(
                            'epsilon', trim_scale(c.epsilon_nano * 0.000000001),
                            'delta', trim_scale(c.delta_units * 0.000000000000000001),
                            'rdp_order', c.rdp_order, 'assumes', c.assumes)) FROM composed c),
      'events', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'at', e.at, 'event', e.event,
                          'by', e.role_name, 'table', e.relation_name, 'parameters', e.parameters) ORDER BY e.id), '[]')
                   FROM events e))
  $$;
COMMENT ON FUNCTION dpobj.report_contents(regclass, numeric) IS
  'internal: the contents of dpobj.report';

CREATE FUNCTION dpobj.report(relation regclass, delta numeric DEFAULT NULL) RETURNS jsonb
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_report';
COMMENT ON FUNCTION dpobj.report(regclass, numeric) IS
  'for superusers and dpobj_auditor: releases, budgets and administration of a table, and what its releases guarantee together; delta as for dpobj.recompute';

-- ---- in words ----

CREATE FUNCTION dpobj.report_lines(words text, indent integer) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(string_agg(repeat(' ', $2) || m.line[1], E'\n'), '')
      FROM regexp_matches(regexp_replace($1, '[[:cntrl:]]+', ' ', 'g'),
                          format('(\S.{0,%s}\S|\S)(?:\s+|$)', 98 - $2), 'g') m(line)
  $$;
COMMENT ON FUNCTION dpobj.report_lines(text, integer) IS
  'internal: a paragraph in lines of at most 100 columns';

CREATE FUNCTION dpobj.report_budget(budget jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT concat_ws(E'\n',
      dpobj.report_lines(format('%s on %s: epsilon %s, delta %s by %s%s%s',
        CASE WHEN ($1 -> 'all_roles')::boolean THEN 'all roles together' ELSE 'role ' || ($1 ->> 'role') END,
        $1 ->> 'relation_name', $1 ->> 'epsilon_limit', $1 ->> 'delta_limit', $1 ->> 'accountant',
        ' of order ' || ($1 ->> 'rdp_order'), ', at most ' || ($1 ->> 'max_releases') || ' releases'), 2),
      dpobj.report_lines(format('spent: epsilon %s and delta %s in %s releases; %s',
        coalesce($1 ->> 'epsilon_spent', 'beyond all bounds'), $1 ->> 'delta_spent', $1 ->> 'releases',
        CASE WHEN ($1 ->> 'sums_equal')::boolean THEN 'the running sums equal the ledger'
             WHEN $1 ->> 'sums_equal' IS NULL THEN 'the next charge adds up the ledger'
             ELSE 'THE RUNNING SUMS DIFFER FROM THE LEDGER' END), 4),
      dpobj.report_lines(CASE
        WHEN NOT ($1 ->> 'within')::boolean THEN
          'More has been spent than its caps allow, so it bounds nothing.'
        WHEN ($1 ->> 'releases_before')::bigint = 0 THEN
          'Its caps hold for all these releases, whatever was asked after which answer.'
        ELSE format('Its caps were last set or raised after %s of these releases: they hold, whatever was asked '
          'after which answer, if that decision did not depend on the answers.', $1 ->> 'releases_before') END, 4))
  $$;
COMMENT ON FUNCTION dpobj.report_budget(jsonb) IS
  'internal: a budget of a report, in words';

CREATE FUNCTION dpobj.report_event(event jsonb) RETURNS text
  LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj.report_lines(concat_ws(' ',
      to_char(($1 ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI'), $1 ->> 'event', 'by', $1 ->> 'by',
      CASE WHEN $1 ->> 'event' IN ('set_budget', 'raise_budget', 'drop_budget')
           THEN 'for ' || coalesce('role ' || (p ->> 'role'), 'all roles') END,
      CASE $1 ->> 'event'
        WHEN 'set_budget' THEN format('to epsilon %s, delta %s by %s', p ->> 'epsilon', p ->> 'delta', p ->> 'accountant')
        WHEN 'raise_budget' THEN format('by epsilon %s, delta %s: %s', p ->> 'epsilon_added', p ->> 'delta_added',
                                        p ->> 'reason')
        WHEN 'protect' THEN concat(p ->> 'adjacency', ', person ' || (p ->> 'person')) END), 2)
      FROM (SELECT $1 -> 'parameters' AS p) e
  $$;
COMMENT ON FUNCTION dpobj.report_event(jsonb) IS
  'internal: an administrative event of a report, in words';

CREATE FUNCTION dpobj.report_releases(report jsonb) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT string_agg(concat_ws(E'\n',
             CASE WHEN k.first THEN dpobj.report_lines('role ' || k.role, 2) END,
             format('    %-17s %-11s %8s %9s %7s %5s   %s', k.mechanism, k.guarantee, k.charged, k.released, k.failed, k.open,
                    CASE WHEN k.delta > 0 THEN format('%s, %s', k.epsilon, k.delta) ELSE k.epsilon::text END)),
             E'\n' ORDER BY k.place)
      FROM (SELECT x.*, x.place = min(x.place) OVER (PARTITION BY x.role) AS first
              FROM ROWS FROM (jsonb_to_recordset($1 -> 'kinds') AS (role text, mechanism text, guarantee text, charged bigint,
                                released bigint, failed bigint, open bigint, epsilon numeric, delta numeric))
                   WITH ORDINALITY x(role, mechanism, guarantee, charged, released, failed, open, epsilon, delta, place)) k
  $$;
COMMENT ON FUNCTION dpobj.report_releases(jsonb) IS
  'internal: the releases of a report, as a table for each role';

CREATE FUNCTION dpobj.report_text(relation regclass, delta numeric DEFAULT NULL) RETURNS text
  LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
  AS $$
    WITH r AS MATERIALIZED (SELECT dpobj.report($1, $2) AS j)
    SELECT concat_ws(E'\n',
      dpobj.report_lines('Privacy report of table ' || (r.j ->> 'relation'), 0),
      format('%s, dpobj %s', to_char((r.j ->> 'at')::timestamptz, 'YYYY-MM-DD HH24:MI:SS TZ'), r.j ->> 'version'),
      '', 'NEIGHBOURS',
      dpobj.report_lines(CASE
        WHEN r.j -> 'protection' = 'null' THEN 'The table is not protected.'
        WHEN r.j -> 'protection' -> 'person' = 'null' THEN
          format('The table is protected: adjacency %s.', r.j -> 'protection' ->> 'adjacency')
        ELSE
          format('The table is protected: adjacency %s, persons by column %s with at most %s rows each.',
                 r.j -> 'protection' ->> 'adjacency', r.j -> 'protection' ->> 'person',
                 r.j -> 'protection' ->> 'max_rows_per_person')
        END || coalesce(' What is composed below is for tables where ' || (r.j ->> 'neighbours') || '.',
                        ' Its releases are about neighbours of several kinds, so that they have no total.'), 2),
      CASE WHEN jsonb_array_length(r.j -> 'tables') > 1 THEN
        dpobj.report_lines('Releases from these tables count: '
          || (SELECT string_agg(t, ', ') FROM jsonb_array_elements_text(r.j -> 'tables') t) || '.', 2) END,
      '', 'COMPOSED GUARANTEE of all releases',
      (SELECT string_agg(concat_ws(E'\n',
                format('  %-6s ', a.name)
                  || coalesce('epsilon ' || (r.j -> 'composed' -> a.name ->> 'epsilon'), 'no epsilon')
                  || ' at delta ' || (r.j -> 'composed' -> a.name ->> 'delta')
                  || coalesce(' (order ' || (r.j -> 'composed' -> a.name ->> 'rdp_order') || ')', ''),
                dpobj.report_lines(r.j -> 'composed' -> a.name ->> 'assumes', 9)), E'\n' ORDER BY a.place)
         FROM unnest('{basic,zcdp,rdp,pld}'::text[]) WITH ORDINALITY a(name, place)),
      '', 'BUDGETS: what holds whatever the analysts choose',
      coalesce((SELECT string_agg(dpobj.report_budget(b), E'\n' ORDER BY place)
                  FROM jsonb_array_elements(r.j -> 'budgets') WITH ORDINALITY v(b, place)),
               '  none: what is composed above is for releases that were fixed before the first answer.'),
      '', format('RELEASES: %s charged, %s released, %s failed, %s without an end', r.j -> 'releases' ->> 'charged',
                 r.j -> 'releases' ->> 'released', r.j -> 'releases' ->> 'failed', r.j -> 'releases' ->> 'open'),
      CASE WHEN jsonb_array_length(r.j -> 'kinds') > 0 THEN
        format('    %-17s %-11s %8s %9s %7s %5s   %s', 'mechanism', 'guarantee', 'charged', 'released', 'failed', 'open',
               'sums: epsilon, delta') END,
      dpobj.report_releases(r.j),
      dpobj.report_lines('Without an end: '
        || (SELECT string_agg(o, ', ') FROM jsonb_array_elements_text(r.j -> 'open') o)
        || CASE WHEN (r.j -> 'releases' ->> 'open')::bigint > jsonb_array_length(r.j -> 'open') THEN ', ...' ELSE '' END
        || '. They may have been released, and count.', 2),
      dpobj.report_lines('Failed: '
        || (SELECT string_agg(o, ', ') FROM jsonb_array_elements_text(r.j -> 'failed') o)
        || CASE WHEN (r.j -> 'releases' ->> 'failed')::bigint > jsonb_array_length(r.j -> 'failed') THEN ', ...' ELSE '' END
        || '. They count too: a charge is never given back.', 2),
      '', 'ADMINISTRATION',
      coalesce((SELECT string_agg(dpobj.report_event(e), E'\n' ORDER BY place)
                  FROM jsonb_array_elements(r.j -> 'events') WITH ORDINALITY v(e, place)), '  none'),
      '', 'WHAT IT RESTS ON',
      dpobj.report_lines('Sums below the caps of a budget hold for analysts who choose each release after the last answer. rdp at '
        'its best order and pld hold for releases that were all fixed before the first answer, and for no others.', 2),
      dpobj.report_lines(format('Releases labelled float: %s. Doubles decide something in their draw, which the proof does not '
        'cover.', r.j -> 'labels' ->> 'float'), CASE WHEN r.j -> 'labels' ? 'float' THEN 2 END),
      dpobj.report_lines(format('Releases labelled conditional: %s. A limit on time or memory could have stopped them, at a '
        'moment that the rows have a say in; what that tells is not counted.', r.j -> 'labels' ->> 'conditional'),
        CASE WHEN r.j -> 'labels' ? 'conditional' THEN 2 END),
      dpobj.report_lines(format('Releases labelled unproven: %s. Their noise is as it was published; their epsilon is a claim, '
        'and so is every total above.', r.j -> 'labels' ->> 'unproven'),
        CASE WHEN r.j -> 'labels' ? 'unproven' THEN 2 END)) || E'\n'
      FROM r
  $$;
COMMENT ON FUNCTION dpobj.report_text(regclass, numeric) IS
  'dpobj.report for reading, in lines of 100 columns';
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA dpobj FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpobj.model_hash(@extschema@.dp_model), dpobj.verify(@extschema@.dp_model), dpobj.sees_all(),
  dpobj.origin(), dpobj.epoch(), dpobj.remaining(regclass, regrole),
  dpobj.budgets_applying(regclass, regrole), dpobj.calls_that_fit(regclass, dpobj.charge_cost),
  dpobj.relatives(bigint), dpobj.rdp_orders(), dpobj.cost_under(dpobj.charge_cost, text, text, integer),
  dpobj.delta_under(dpobj.charge_cost, text, text),
  dpobj.composed_epsilon(text, integer, numeric, bigint), dpobj.largest_epsilon(text, integer, numeric),
  dpobj.features(jsonb, anyelement), dpobj.protected_features(regclass, text[]),
  dpobj.train(regclass, text, numeric, text[], numeric, text, jsonb, jsonb, text),
  dpobj.train_groups(regclass, text[], text, numeric, text[], numeric, text, jsonb, jsonb, text),
  dpobj.evaluate(text, regclass, numeric, jsonb),
  dpobj.confusion(text, regclass, numeric, jsonb), dpobj.select(text[], regclass, numeric, jsonb),
  dpobj.price(regclass, numeric, text[], numeric, text, jsonb, text),
  dpobj.price(text, integer, numeric, numeric, jsonb), dpobj.price_plan(jsonb, numeric),
  dpobj.composed_charges(regclass, regrole, text, numeric), dpobj.recompute(regclass, regrole, text, numeric),
  dpobj.report(regclass, numeric), dpobj.report_text(regclass, numeric), dpobj.report_lines(text, integer),
  dpobj.report_budget(jsonb), dpobj.report_event(jsonb), dpobj.report_releases(jsonb) TO PUBLIC;
-- Not enough alone: who granted the membership is looked at in each call (src/server/admin.c).
GRANT EXECUTE ON FUNCTION dpobj.set_budget(regclass, regrole, numeric, numeric, text, bigint, integer,
    numeric),
  dpobj.raise_budget(regclass, regrole, numeric, numeric, text), dpobj.drop_budget(regclass, regrole), dpobj.confirm_epoch(),
  dpobj.protect(regclass, jsonb, text, text, integer, bigint, boolean),
  dpobj.unprotect(regclass) TO dpobj_admin;
-- What callers may ask of tables that they may not read

/*
 * In 0.1.0 these were SECURITY DEFINER: who dropped the extension while such a function waited for
 * a lock could have had it read tables of his own making as a superuser. In C they hold the
 * extension first.
 */
CREATE OR REPLACE FUNCTION dpobj.relatives(id bigint) RETURNS bigint[]
  LANGUAGE c STABLE STRICT COST 100 SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_relatives';

CREATE OR REPLACE FUNCTION dpobj.verify(model @extschema@.dp_model) RETURNS boolean
  LANGUAGE c STABLE STRICT COST 100 SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_verify';
-- Models in others' hands

-- Whom else a model is shown to.  In another server roles have other OIDs: there a name stands for its role.
CREATE TABLE dpobj.model_shares
(
    release bigint,
    place int,
    origin text,
    role oid,
    role_name text NOT NULL,
    PRIMARY KEY (release, place, origin, role)
);
REVOKE ALL ON TABLE dpobj.model_shares FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.model_shares', '');
CREATE TRIGGER share_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.model_shares
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.share and dpobj.unshare.');
ALTER TABLE dpobj.model_shares ENABLE ALWAYS TRIGGER share_guard;
COMMENT ON TABLE dpobj.model_shares IS 'models that their owners share; written by dpobj.share and dpobj.unshare';
COMMENT ON INDEX dpobj.model_shares_pkey IS 'a model is shared with a role once';
COMMENT ON TRIGGER share_guard ON dpobj.model_shares IS 'refuses changes by hand for everybody but superusers';
COMMENT ON COLUMN dpobj.model_shares.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_shares.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_shares.origin IS 'server and database in which the OID holds, as dpobj.origin() says it';
COMMENT ON COLUMN dpobj.model_shares.role IS 'OID of the role there';
COMMENT ON COLUMN dpobj.model_shares.role_name IS 'name that the role had when the model was shared last';

CREATE VIEW dpobj.model_readers AS
SELECT DISTINCT s.release, s.place, r.oid AS role, r.rolname AS role_name
  FROM dpobj.model_shares s
  JOIN pg_catalog.pg_roles r
    ON CASE WHEN s.origin = dpobj.origin() THEN r.oid = s.role ELSE r.rolname = s.role_name END;
REVOKE ALL ON TABLE dpobj.model_readers FROM PUBLIC;
COMMENT ON VIEW dpobj.model_readers IS 'roles that models are shared with now';
COMMENT ON COLUMN dpobj.model_readers.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_readers.place IS 'place of the key on its list, from 1; 1 for a model without a key';
COMMENT ON COLUMN dpobj.model_readers.role IS 'OID of the role';
COMMENT ON COLUMN dpobj.model_readers.role_name IS 'its name';

CREATE OR REPLACE VIEW dpobj.models WITH (security_barrier) AS
SELECT m.name,
       m.model,
       CASE WHEN pg_catalog.parse_ident(e.relation_name) OPERATOR(pg_catalog.=) ARRAY[n.nspname::text, c.relname::text]
            THEN c.oid::regclass END AS relation,
       e.relation_name,
       coalesce(r.role_name, r.recorded_name) AS owner,
       m.released AS created,
       m.release,
       m.key,
       CASE WHEN u.owns THEN ARRAY(SELECT s.role_name::text FROM dpobj.model_readers s
                                   WHERE s.release = m.release AND s.place = m.place ORDER BY 1) END AS shared_with
  FROM dpobj.model_rows m
  JOIN dpobj.ledger_events e ON e.id = m.release
  JOIN dpobj.identity_roles r ON r.id = m.owner
  LEFT JOIN pg_catalog.pg_class c ON c.oid = e.relation
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 CROSS JOIN LATERAL
       (SELECT coalesce(r.role_name = current_user, false)
               OR EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.rolname = current_user AND s.rolsuper) AS owns) u
 WHERE m.model IS NOT NULL
   AND (u.owns OR EXISTS (SELECT FROM dpobj.model_readers s WHERE s.release = m.release AND s.place = m.place
                          AND pg_catalog.pg_has_role(current_user, s.role, 'USAGE')));
COMMENT ON VIEW dpobj.models IS 'released models of the current role, and those that are shared with it; all of them for superusers';
COMMENT ON COLUMN dpobj.models.name IS 'name given to dpobj.train, or to dpobj.train_groups and followed by the key; null: none';
COMMENT ON COLUMN dpobj.models.model IS 'the model';
COMMENT ON COLUMN dpobj.models.relation IS 'the table it was trained on; null when no table has the recorded OID and name any more';
COMMENT ON COLUMN dpobj.models.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.models.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.models.created IS 'when it was released';
COMMENT ON COLUMN dpobj.models.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.models.key IS 'key of the group that it is about; null: the whole table';
COMMENT ON COLUMN dpobj.models.shared_with IS 'roles that its owner shares it with; null for these';

CREATE FUNCTION dpobj.share(name text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_share';
COMMENT ON FUNCTION dpobj.share(text, regrole) IS 'lets a role, with its members, read and use a named model of one''s own';
CREATE FUNCTION dpobj.unshare(name text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_unshare';
COMMENT ON FUNCTION dpobj.unshare(text, regrole) IS 'takes dpobj.share back';

GRANT EXECUTE ON FUNCTION dpobj.share(text, regrole), dpobj.unshare(text, regrole) TO PUBLIC;
-- Models in use: as JSON, on raw columns, as plain SQL, and as points

CREATE FUNCTION dpobj.model_to_json(model @extschema@.dp_model) RETURNS jsonb
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_to_json';
COMMENT ON FUNCTION dpobj.model_to_json(@extschema@.dp_model) IS 'a model as JSON, from which it comes back the same; behind the cast';
CREATE CAST (@extschema@.dp_model AS jsonb) WITH FUNCTION dpobj.model_to_json(@extschema@.dp_model) AS ASSIGNMENT;
COMMENT ON CAST (@extschema@.dp_model AS jsonb) IS 'a model as a JSON object';

CREATE FUNCTION dpobj.model_from_json(model jsonb) RETURNS @extschema@.dp_model
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_model_from_json';
COMMENT ON FUNCTION dpobj.model_from_json(jsonb) IS 'a model that was written as JSON; behind the cast';
CREATE CAST (jsonb AS @extschema@.dp_model) WITH FUNCTION dpobj.model_from_json(jsonb) AS ASSIGNMENT;
COMMENT ON CAST (jsonb AS @extschema@.dp_model) IS 'a model that was written as a JSON object';

-- Raw columns, found by name.  By the model's name: of the current role, or shared with it.

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

-- Points

CREATE FUNCTION dpobj.scorecard(model @extschema@.dp_model, OUT "position" integer, OUT feature text, OUT level text,
    OUT points integer, OUT weight float8) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL SAFE ROWS 50
  AS 'MODULE_PATHNAME', 'dpobj_scorecard';
COMMENT ON FUNCTION dpobj.scorecard(@extschema@.dp_model) IS
  'what each level of each feature adds to the score; points where all weights of a halfspace are integers';
CREATE FUNCTION dpobj.scorecard(name text, owner regrole DEFAULT NULL, OUT "position" integer, OUT feature text,
    OUT level text, OUT points integer, OUT weight float8) RETURNS SETOF record
  LANGUAGE C STABLE PARALLEL SAFE ROWS 50
  AS 'MODULE_PATHNAME', 'dpobj_scorecard';
COMMENT ON FUNCTION dpobj.scorecard(text, regrole) IS 'dpobj.scorecard of a named model';

CREATE VIEW dpobj.scorecards WITH (security_barrier) AS
SELECT m.name, m.owner, m.release, m.key, s."position", s.feature, s.level, s.points
  FROM dpobj.models m CROSS JOIN LATERAL dpobj.scorecard(m.model) s
 WHERE (m.model).kind = 'halfspace';
REVOKE ALL ON TABLE dpobj.scorecards FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.scorecards TO PUBLIC;
COMMENT ON VIEW dpobj.scorecards IS 'the halfspaces of dpobj.models as points: positive if the sum of those that apply is greater than the threshold';
COMMENT ON COLUMN dpobj.scorecards.name IS 'name of the model; null: none';
COMMENT ON COLUMN dpobj.scorecards.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.scorecards.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.scorecards.key IS 'key of the group that it is about; null: the whole table';
COMMENT ON COLUMN dpobj.scorecards."position" IS 'order of the rows of a model, from 1';
COMMENT ON COLUMN dpobj.scorecards.feature IS 'column or element of the array; (intercept) applies always, (threshold) is what the sum must exceed';
COMMENT ON COLUMN dpobj.scorecards.level IS 'value of the column, or the unit that the points are for';
COMMENT ON COLUMN dpobj.scorecards.points IS 'what it adds; null: no prediction, or no whole number';

GRANT EXECUTE ON FUNCTION dpobj.model_to_json(@extschema@.dp_model), dpobj.model_from_json(jsonb),
  dpobj.predict(text, record, regrole), dpobj.predict(@extschema@.dp_model, record), dpobj.score(text, record, regrole),
  dpobj.score(@extschema@.dp_model, record), dpobj.predict_proba(text, record, regrole), dpobj.predict_proba(@extschema@.dp_model, record),
  dpobj.predict_sql(text, text, regrole), dpobj.predict_sql(@extschema@.dp_model, text), dpobj.scorecard(@extschema@.dp_model),
  dpobj.scorecard(text, regrole) TO PUBLIC;
-- Jobs: training in the background

/*
 * One row per job.  dpobj.submit writes it in the caller's transaction; from then on it is
 * the worker's.  No reg* types: a dump is restored where other OIDs hold, and what was queued
 * or running there is over.
 */
CREATE TABLE dpobj.job_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    state text NOT NULL DEFAULT 'queued',
    submitted timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    started timestamptz,
    finished timestamptz,
    origin text NOT NULL DEFAULT dpobj.origin(),
    role oid NOT NULL,
    role_name text NOT NULL,
    relation oid NOT NULL,
    relation_name text NOT NULL,
    label text NOT NULL,
    epsilon numeric NOT NULL,
    features text[],
    delta numeric NOT NULL,
    method text NOT NULL,
    options jsonb,
    filter jsonb,
    request_hash bytea NOT NULL,
    release bigint,
    sqlstate text,
    reason text,
    CONSTRAINT job_state_known CHECK (state IN ('queued', 'running', 'released', 'failed', 'cancelled')),
    CONSTRAINT job_released_what CHECK (state <> 'released' OR release IS NOT NULL),
    CONSTRAINT job_hash_is_sha256 CHECK (pg_catalog.octet_length(request_hash) = 32),
    CONSTRAINT job_reason_has_code CHECK ((sqlstate IS NULL) = (reason IS NULL))
);
CREATE INDEX job_rows_open_idx ON dpobj.job_rows (id) WHERE state IN ('queued', 'running');
CREATE INDEX job_rows_name_idx ON dpobj.job_rows (role, name);
REVOKE ALL ON TABLE dpobj.job_rows FROM PUBLIC;
REVOKE ALL ON SEQUENCE dpobj.job_rows_id_seq FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.job_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.job_rows_id_seq', '');
CREATE TRIGGER job_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.job_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.submit and dpobj.cancel.');
ALTER TABLE dpobj.job_rows ENABLE ALWAYS TRIGGER job_guard;
COMMENT ON TABLE dpobj.job_rows IS 'jobs: what was asked for and what became of it';
COMMENT ON SEQUENCE dpobj.job_rows_id_seq IS 'numbers of jobs';
COMMENT ON INDEX dpobj.job_rows_pkey IS 'number of a job';
COMMENT ON INDEX dpobj.job_rows_open_idx IS 'jobs that have not ended';
COMMENT ON INDEX dpobj.job_rows_name_idx IS 'the jobs of a role by their names';
COMMENT ON TRIGGER job_guard ON dpobj.job_rows IS 'refuses changes but for dpobj''s own functions and superusers';
COMMENT ON COLUMN dpobj.job_rows.id IS 'number of the job';
COMMENT ON COLUMN dpobj.job_rows.name IS 'name of the job and of its model';
COMMENT ON COLUMN dpobj.job_rows.state IS 'queued, running, released, failed or cancelled; running without a worker: failed';
COMMENT ON COLUMN dpobj.job_rows.submitted IS 'when it was submitted';
COMMENT ON COLUMN dpobj.job_rows.started IS 'when a worker took it; of one that is queued again, when it was';
COMMENT ON COLUMN dpobj.job_rows.finished IS 'when it ended, with the precision of dpobj.release_tick; null for one whose worker died';
COMMENT ON COLUMN dpobj.job_rows.origin IS 'server and database where the OIDs hold, as dpobj.origin() says it';
COMMENT ON COLUMN dpobj.job_rows.role IS 'the session user who submitted it';
COMMENT ON COLUMN dpobj.job_rows.role_name IS 'name that he had then';
COMMENT ON COLUMN dpobj.job_rows.relation IS 'the table';
COMMENT ON COLUMN dpobj.job_rows.relation_name IS 'schema-qualified, quoted name that the table had then';
COMMENT ON COLUMN dpobj.job_rows.label IS 'as for dpobj.train, like the next six';
COMMENT ON COLUMN dpobj.job_rows.epsilon IS 'as it was written';
COMMENT ON COLUMN dpobj.job_rows.features IS 'columns; null: all that are declared';
COMMENT ON COLUMN dpobj.job_rows.delta IS 'as it was written';
COMMENT ON COLUMN dpobj.job_rows.method IS 'method';
COMMENT ON COLUMN dpobj.job_rows.options IS 'options';
COMMENT ON COLUMN dpobj.job_rows.filter IS 'filter';
COMMENT ON COLUMN dpobj.job_rows.request_hash IS 'SHA-256 of the request, the same as that of dpobj.train';
COMMENT ON COLUMN dpobj.job_rows.release IS 'id of the charge in dpobj.ledger; of a job that found its model there already, of that model';
COMMENT ON COLUMN dpobj.job_rows.sqlstate IS 'of the error that it ended in';
COMMENT ON COLUMN dpobj.job_rows.reason IS 'what the error said to the public';

CREATE FUNCTION dpobj.submit(name text, relation regclass, features text[], label text, epsilon numeric,
    delta numeric DEFAULT 0, method text DEFAULT 'halfspace', options jsonb DEFAULT '{}',
    filter jsonb DEFAULT NULL) RETURNS bigint
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_submit';
COMMENT ON FUNCTION dpobj.submit(text, regclass, text[], text, numeric, numeric, text, jsonb, jsonb) IS
  'queues dpobj.train to run in the background once the transaction has committed; returns the job''s number';

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

CREATE FUNCTION dpobj.job_list(OUT id bigint, OUT name text, OUT state text, OUT submitted timestamptz,
    OUT started timestamptz, OUT finished timestamptz, OUT phase text, OUT model @extschema@.dp_model,
    OUT relation regclass, OUT relation_name text, OUT submitter text, OUT release bigint,
    OUT sqlstate text, OUT reason text, OUT rows_scanned bigint, OUT rows_total bigint,
    OUT nodes bigint, OUT attempts bigint, OUT gap float8) RETURNS SETOF record
  LANGUAGE C VOLATILE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_job_list';
COMMENT ON FUNCTION dpobj.job_list() IS
  'the jobs that the current role may see, as they are now: dpobj.jobs and dpobj.progress show them';

CREATE VIEW dpobj.jobs WITH (security_barrier) AS
SELECT id, name, state, submitted, started, finished, phase, model, relation, relation_name, submitter,
       release, sqlstate, reason
  FROM dpobj.job_list();
REVOKE ALL ON TABLE dpobj.jobs FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.jobs TO PUBLIC;
COMMENT ON VIEW dpobj.jobs IS 'jobs of the current role; all of them for superusers, dpobj_admin and dpobj_auditor';
COMMENT ON COLUMN dpobj.jobs.id IS 'number that dpobj.submit returned';
COMMENT ON COLUMN dpobj.jobs.name IS 'name of the job and of its model';
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
COMMENT ON COLUMN dpobj.jobs.reason IS 'why it failed, as far as that is public';

CREATE VIEW dpobj.progress WITH (security_barrier) AS
SELECT id AS job, name, relation_name, submitter, phase, rows_scanned, rows_total,
       nodes, attempts, gap,
       date_trunc('second', clock_timestamp() - submitted) AS age
  FROM dpobj.job_list()
 WHERE phase IS NOT NULL;
REVOKE ALL ON TABLE dpobj.progress FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.progress TO PUBLIC;
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

-- What a job reads is later than its charge.
COMMENT ON COLUMN dpobj.ledger_events.snapshot IS
  'snapshot that the release read, as pg_current_snapshot() writes it; of a job, that of its charge, just before it read';

GRANT EXECUTE ON FUNCTION dpobj.submit(text, regclass, text[], text, numeric, numeric, text, jsonb, jsonb),
  dpobj.cancel(bigint), dpobj.wait(bigint, interval), dpobj.job_list() TO PUBLIC;
-- Schedules: trainings that pg_cron starts

/*
 * One row per schedule.  Its role is known by OID where that holds, elsewhere by name: one
 * that comes later under the name of a role that has gone has none of its schedules.  Its
 * table is known by its identity.  pg_cron has a row of its own, in the database of
 * cron.database_name, whose command is all that it knows of dpobj.
 */
CREATE TABLE dpobj.schedule_rows
(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner oid NOT NULL,
    owner_name text NOT NULL,
    origin text NOT NULL DEFAULT dpobj.origin(),
    name text NOT NULL,
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    cron text NOT NULL,
    relation bigint NOT NULL,
    label text NOT NULL,
    epsilon numeric NOT NULL,
    features text[],
    delta numeric NOT NULL,
    method text NOT NULL,
    options jsonb,
    filter jsonb,
    allowance numeric,
    period interval,
    CONSTRAINT schedule_name_key UNIQUE (origin, owner, name),
    CONSTRAINT schedule_allowance_has_period CHECK (allowance IS NULL OR period IS NOT NULL)
);

/*
 * How the runs ended, as they say of themselves; what was charged and released says the
 * ledger, whatever became of a run's transaction.
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
REVOKE ALL ON TABLE dpobj.schedule_rows, dpobj.schedule_run_rows FROM PUBLIC;
REVOKE ALL ON SEQUENCE dpobj.schedule_rows_id_seq FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('dpobj.schedule_rows', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.schedule_rows_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('dpobj.schedule_run_rows', '');

CREATE TRIGGER schedule_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.schedule_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Use dpobj.schedule and dpobj.unschedule.');
CREATE TRIGGER schedule_run_guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpobj.schedule_run_rows
    FOR EACH STATEMENT EXECUTE FUNCTION dpobj.refuse_change('Runs of schedules write it.');
ALTER TABLE dpobj.schedule_rows ENABLE ALWAYS TRIGGER schedule_guard;
ALTER TABLE dpobj.schedule_run_rows ENABLE ALWAYS TRIGGER schedule_run_guard;
COMMENT ON TRIGGER schedule_guard ON dpobj.schedule_rows IS 'refuses changes but for dpobj''s own functions and superusers';
COMMENT ON TRIGGER schedule_run_guard ON dpobj.schedule_run_rows IS 'refuses changes but for dpobj''s own functions and superusers';

COMMENT ON TABLE dpobj.schedule_rows IS 'schedules, written by dpobj.schedule and dpobj.unschedule only';
COMMENT ON SEQUENCE dpobj.schedule_rows_id_seq IS 'numbers of schedules';
COMMENT ON INDEX dpobj.schedule_rows_pkey IS 'number of a schedule';
COMMENT ON INDEX dpobj.schedule_name_key IS 'a name is unique among the schedules of a role';
COMMENT ON COLUMN dpobj.schedule_rows.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_rows.owner IS 'OID of the role whose schedule it is, where origin says';
COMMENT ON COLUMN dpobj.schedule_rows.owner_name IS 'name that the role had then';
COMMENT ON COLUMN dpobj.schedule_rows.origin IS 'where the OID holds, as dpobj.origin() says it';
COMMENT ON COLUMN dpobj.schedule_rows.name IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedule_rows.at IS 'when it was made or changed';
COMMENT ON COLUMN dpobj.schedule_rows.cron IS 'when it runs: five fields of crontab(5)';
COMMENT ON COLUMN dpobj.schedule_rows.relation IS 'identity of the table';
COMMENT ON COLUMN dpobj.schedule_rows.label IS 'label, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.epsilon IS 'epsilon of one run';
COMMENT ON COLUMN dpobj.schedule_rows.features IS 'features, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.delta IS 'delta of one run';
COMMENT ON COLUMN dpobj.schedule_rows.method IS 'method, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.options IS 'options, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.filter IS 'filter, as for dpobj.train';
COMMENT ON COLUMN dpobj.schedule_rows.allowance IS 'epsilon that its runs may cost together in a period; null: no limit but the budgets''';
COMMENT ON COLUMN dpobj.schedule_rows.period IS 'period of the allowance';
COMMENT ON TABLE dpobj.schedule_run_rows IS 'the last thousand runs of each schedule, as they ended';
COMMENT ON INDEX dpobj.schedule_run_rows_pkey IS 'a scheduled time has one run, however often it is tried';
COMMENT ON COLUMN dpobj.schedule_run_rows.schedule IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_run_rows.scheduled IS 'scheduled time';
COMMENT ON COLUMN dpobj.schedule_run_rows.started IS 'when the run was started';
COMMENT ON COLUMN dpobj.schedule_run_rows.finished IS 'when it ended';
COMMENT ON COLUMN dpobj.schedule_run_rows.state IS 'released, skipped or failed';
COMMENT ON COLUMN dpobj.schedule_run_rows.sqlstate IS 'SQLSTATE that the caller of dpobj.train would have got; null: none';
COMMENT ON COLUMN dpobj.schedule_run_rows.message IS 'its message and detail; never about a row';

-- ---- times and pg_cron ----

CREATE FUNCTION dpobj.cron_time(cron text, at timestamp, following boolean DEFAULT false) RETURNS timestamp
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_time';
COMMENT ON FUNCTION dpobj.cron_time(text, timestamp, boolean) IS
  'the last time up to a given one that a cron schedule names, or the first one that follows it; on pg_cron''s clock';

CREATE FUNCTION dpobj.cron_database() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_database';
COMMENT ON FUNCTION dpobj.cron_database() IS
  'the database that pg_cron has its jobs in; null: the server has not loaded pg_cron';

CREATE FUNCTION dpobj.cron_timezone() RETURNS text
  LANGUAGE C STABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_cron_timezone';
COMMENT ON FUNCTION dpobj.cron_timezone() IS
  'the time zone of pg_cron''s schedules; null: GMT, as always before pg_cron 1.5';

CREATE FUNCTION dpobj.schedule_time(cron text, at timestamptz, following boolean DEFAULT false) RETURNS timestamptz
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT dpobj.cron_time($1, $2 AT TIME ZONE z.zone, $3) AT TIME ZONE z.zone
      FROM (SELECT coalesce(dpobj.cron_timezone(), 'GMT') AS zone) z
  $$;
COMMENT ON FUNCTION dpobj.schedule_time(text, timestamptz, boolean) IS
  'the last scheduled time up to a given one, or the first one that follows it';

CREATE FUNCTION dpobj.schedule_model(name text, scheduled timestamptz) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT $1 || to_char($2 AT TIME ZONE 'GMT', ' YYYY-MM-DD HH24:MI') $$;
COMMENT ON FUNCTION dpobj.schedule_model(text, timestamptz) IS
  'name of the model of a scheduled time: the schedule''s, and the time in GMT';

-- Computed, not cast: a model may have any name, and none may raise an error here.  Digits are
-- 0 to 9: what else \d matches is the locale's, and no number.
CREATE FUNCTION dpobj.schedule_of_model(model text, OUT name text, OUT scheduled timestamptz) RETURNS record
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT p.name, p.scheduled
      FROM (SELECT m[1] AS name,
                   (timestamp '2000-01-01' + make_interval(months => 12 * (m[2]::integer - 2000) + m[3]::integer - 1,
                      days => m[4]::integer - 1, hours => m[5]::integer, mins => m[6]::integer)) AT TIME ZONE 'GMT'
                     AS scheduled
              FROM regexp_match($1, '^(.+) ([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9]{2}):([0-9]{2})$') m) p
     WHERE dpobj.schedule_model(p.name, p.scheduled) = $1
  $$;
COMMENT ON FUNCTION dpobj.schedule_of_model(text) IS
  'the other way round; nulls for the name of a model that no schedule can have made';

CREATE FUNCTION dpobj.cron_command(name text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT format('CALL dpobj.run_schedule(%L)', $1) $$;
COMMENT ON FUNCTION dpobj.cron_command(text) IS
  'what pg_cron runs for a schedule of that name';

-- A job's name is of type name, and unique for a role in all databases.  A database with a blank
-- is quoted, whatever quote_all_identifiers says: "a b" and "c" are not what "a" and "b c" are.
CREATE FUNCTION dpobj.cron_jobname(name text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN octet_length(j.name) < 64 THEN j.name ELSE 'dpobj ' || md5(j.name) END
      FROM (SELECT format('dpobj %s %s', CASE WHEN d.name ~ '[ "]' THEN '"' || replace(d.name, '"', '""') || '"'
                                         ELSE d.name END, $1) AS name
              FROM current_database() d(name)) j
  $$;
COMMENT ON FUNCTION dpobj.cron_jobname(text) IS
  'name of pg_cron''s job for a schedule of that name';

CREATE FUNCTION dpobj.cron_statement(name text, cron text, role text) RETURNS text
  LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT format('SELECT cron.schedule_in_database(%L, %L, %L, %L, %L);', dpobj.cron_jobname($1), $2,
                  dpobj.cron_command($1), current_database(), $3)
  $$;
COMMENT ON FUNCTION dpobj.cron_statement(text, text, text) IS
  'what a superuser runs in the database of pg_cron, so that it knows a schedule';

/*
 * Runs as its caller, who sees in cron.job what row-level security lets him see.  The
 * extension is asked for by name, because anybody might have made a schema cron.
 */
CREATE FUNCTION dpobj.cron_is_here() RETURNS boolean
  LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT coalesce(dpobj.cron_database() = current_database(), false)
       AND EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron')
       AND EXISTS (SELECT FROM pg_namespace n
                   WHERE n.nspname = 'cron' AND has_schema_privilege(n.oid, 'USAGE'))
  $$;
COMMENT ON FUNCTION dpobj.cron_is_here() IS
  'has this database pg_cron''s jobs, and may the caller use them?';

CREATE FUNCTION dpobj.cron_job(name text, role text) RETURNS bigint
  LANGUAGE plpgsql STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    job bigint;
  BEGIN
    IF dpobj.cron_is_here() THEN
      EXECUTE 'SELECT j.jobid FROM cron.job j WHERE j.command = $1 AND j.username = $2'
              ' AND j.database = current_database() ORDER BY j.jobid LIMIT 1'
        INTO job USING dpobj.cron_command($1), $2;
    END IF;
    RETURN job;
  END
  $$;
COMMENT ON FUNCTION dpobj.cron_job(text, text) IS
  'pg_cron''s job for a role''s schedule; null: there is none that the caller may see from here';

-- ---- views ----

CREATE FUNCTION dpobj.administers() RETURNS boolean
  LANGUAGE C STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_administers';
COMMENT ON FUNCTION dpobj.administers() IS
  'may the caller administer? superusers and those to whom a superuser granted dpobj_admin';

CREATE VIEW dpobj.schedule_owners AS
SELECT s.id,
       r.oid AS role,
       r.rolname AS role_name
  FROM dpobj.schedule_rows s
  LEFT JOIN pg_catalog.pg_roles r
    ON CASE WHEN s.origin = dpobj.origin() THEN r.oid = s.owner ELSE r.rolname = s.owner_name END;
REVOKE ALL ON TABLE dpobj.schedule_owners FROM PUBLIC;
COMMENT ON VIEW dpobj.schedule_owners IS 'whose schedules they are now';
COMMENT ON COLUMN dpobj.schedule_owners.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_owners.role IS 'OID of the role; null when it has gone';
COMMENT ON COLUMN dpobj.schedule_owners.role_name IS 'its name now';

-- What runs have been charged: models of the role under names that a schedule gives.
CREATE VIEW dpobj.schedule_charges AS
SELECT s.id,
       p.scheduled,
       m.name AS model,
       m.release,
       c.epsilon_nano,
       c.delta_units,
       c.at AS charged,
       e.at AS ended,
       CASE WHEN m.model IS NOT NULL THEN 'released' ELSE coalesce(e.event, 'charged') END AS state
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
  JOIN dpobj.identity_roles r ON r.role = o.role
  JOIN dpobj.model_rows m ON m.owner = r.id AND m.key IS NULL AND pg_catalog.left(m.name, -17) = s.name
 CROSS JOIN LATERAL dpobj.schedule_of_model(m.name) p
  JOIN dpobj.ledger_events c ON c.id = m.release
  LEFT JOIN dpobj.ledger_events e ON e.release = m.release
 WHERE p.name = s.name;
REVOKE ALL ON TABLE dpobj.schedule_charges FROM PUBLIC;
COMMENT ON VIEW dpobj.schedule_charges IS 'charges of runs, by the ledger and the names of models';
COMMENT ON COLUMN dpobj.schedule_charges.id IS 'number of the schedule';
COMMENT ON COLUMN dpobj.schedule_charges.scheduled IS 'scheduled time';
COMMENT ON COLUMN dpobj.schedule_charges.model IS 'name of the model, or of what was to be one';
COMMENT ON COLUMN dpobj.schedule_charges.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.schedule_charges.epsilon_nano IS 'charged epsilon in units of 1e-9';
COMMENT ON COLUMN dpobj.schedule_charges.delta_units IS 'charged delta in units of 1e-18';
COMMENT ON COLUMN dpobj.schedule_charges.charged IS 'when it was charged';
COMMENT ON COLUMN dpobj.schedule_charges.ended IS 'when it was released or failed; null: it has no end';
COMMENT ON COLUMN dpobj.schedule_charges.state IS 'released, failed or charged: may have been released';

CREATE VIEW dpobj.schedules WITH (security_barrier) AS
SELECT s.name,
       o.role_name::text AS owner,
       s.cron,
       c.oid::regclass AS relation,
       CASE WHEN c.oid IS NULL THEN t.relation_name
            ELSE pg_catalog.format('%I.%I', n.nspname, c.relname) END AS relation_name,
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
       dpobj.schedule_time(s.cron, pg_catalog.statement_timestamp(), true) AS next_run,
       dpobj.schedule_model(s.name, dpobj.schedule_time(s.cron, pg_catalog.statement_timestamp(), true)) AS next_model,
       (SELECT h.model FROM dpobj.schedule_charges h
         WHERE h.id = s.id AND h.state = 'released' ORDER BY h.scheduled DESC LIMIT 1) AS latest_model,
       dpobj.cron_job(s.name, o.role_name) AS job,
       dpobj.cron_statement(s.name, s.cron, o.role_name) AS cron_statement
  FROM dpobj.schedule_rows s
  JOIN dpobj.schedule_owners o ON o.id = s.id
  LEFT JOIN dpobj.identity_tables t ON t.id = s.relation
  LEFT JOIN pg_catalog.pg_class c ON c.oid = t.relation
  LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE o.role_name = session_user
    OR (SELECT dpobj.sees_all())
    OR (SELECT dpobj.administers());
REVOKE ALL ON TABLE dpobj.schedules FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.schedules TO PUBLIC;
COMMENT ON VIEW dpobj.schedules IS 'schedules of the role that logged in, whatever SET ROLE says; all of them for administrators and dpobj_auditor';
COMMENT ON COLUMN dpobj.schedules.name IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedules.owner IS 'the role that it runs as and that is charged; null when it has gone';
COMMENT ON COLUMN dpobj.schedules.cron IS 'when it runs, on pg_cron''s clock';
COMMENT ON COLUMN dpobj.schedules.relation IS 'the table; null when there is none by that OID or name any more';
COMMENT ON COLUMN dpobj.schedules.relation_name IS 'schema-qualified, quoted name; of a table that is gone the last one';
COMMENT ON COLUMN dpobj.schedules.label IS 'label';
COMMENT ON COLUMN dpobj.schedules.epsilon IS 'epsilon of one run';
COMMENT ON COLUMN dpobj.schedules.features IS 'features; null: all that are declared';
COMMENT ON COLUMN dpobj.schedules.delta IS 'delta of one run';
COMMENT ON COLUMN dpobj.schedules.method IS 'method';
COMMENT ON COLUMN dpobj.schedules.options IS 'options';
COMMENT ON COLUMN dpobj.schedules.filter IS 'filter';
COMMENT ON COLUMN dpobj.schedules.allowance IS 'epsilon that its runs may cost together in a period; null: no limit but the budgets''';
COMMENT ON COLUMN dpobj.schedules.period IS 'period of the allowance';
COMMENT ON COLUMN dpobj.schedules.at IS 'when it was made or changed';
COMMENT ON COLUMN dpobj.schedules.next_run IS 'next scheduled time';
COMMENT ON COLUMN dpobj.schedules.next_model IS 'name that the model of that run will have';
COMMENT ON COLUMN dpobj.schedules.latest_model IS 'name of the model of the last run that released one; null: none has';
COMMENT ON COLUMN dpobj.schedules.job IS 'pg_cron''s job; null: it has none, or not in this database, or you may not see it';
COMMENT ON COLUMN dpobj.schedules.cron_statement IS 'where there is no job, what a superuser runs in the database of pg_cron';

CREATE VIEW dpobj.schedule_runs WITH (security_barrier) AS
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
    OR (SELECT dpobj.sees_all())
    OR (SELECT dpobj.administers());
REVOKE ALL ON TABLE dpobj.schedule_runs FROM PUBLIC;
GRANT SELECT ON TABLE dpobj.schedule_runs TO PUBLIC;
COMMENT ON VIEW dpobj.schedule_runs IS 'runs of the schedules of the role that logged in, whatever SET ROLE says; all of them for administrators and dpobj_auditor';
COMMENT ON COLUMN dpobj.schedule_runs.schedule IS 'name of the schedule';
COMMENT ON COLUMN dpobj.schedule_runs.owner IS 'role whose schedule it is; null when it has gone';
COMMENT ON COLUMN dpobj.schedule_runs.scheduled IS 'scheduled time; a run that was late or repeated has the last one before it began';
COMMENT ON COLUMN dpobj.schedule_runs.state IS 'released; skipped: budget or allowance is used up, nothing was charged; failed; charged: the run ended without a word and may have released';
COMMENT ON COLUMN dpobj.schedule_runs.model IS 'name of the model in dpobj.models';
COMMENT ON COLUMN dpobj.schedule_runs.release IS 'id of the charge in dpobj.ledger; null: nothing was charged';
COMMENT ON COLUMN dpobj.schedule_runs.epsilon IS 'charged epsilon';
COMMENT ON COLUMN dpobj.schedule_runs.delta IS 'charged delta';
COMMENT ON COLUMN dpobj.schedule_runs.started IS 'when the run was started';
COMMENT ON COLUMN dpobj.schedule_runs.finished IS 'when it ended; null: it has no end';
COMMENT ON COLUMN dpobj.schedule_runs.sqlstate IS 'SQLSTATE of why it was skipped or failed';
COMMENT ON COLUMN dpobj.schedule_runs.message IS 'why, in the words that the caller of dpobj.train would have got';

-- ---- runs ----

CREATE FUNCTION dpobj.schedule_enter() RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_schedule_enter';
COMMENT ON FUNCTION dpobj.schedule_enter() IS
  'internal: waits for the other releases of the session''s role; they wait until the end of the transaction';

CREATE FUNCTION dpobj.schedule_record(name text, scheduled timestamptz, started timestamptz, state text,
    sqlstate text, message text) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_record';
COMMENT ON FUNCTION dpobj.schedule_record(text, timestamptz, timestamptz, text, text, text) IS
  'internal: writes how a run of one''s own ended';

/*
 * One scheduled time is charged once, whatever happened to the run: a release that
 * failed, or whose end is unknown, is not tried again before the next one.
 */
CREATE FUNCTION dpobj.schedule_attempt(name text, OUT outcome text, OUT code text, OUT message text) RETURNS record
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    began constant timestamptz := clock_timestamp();
    zone constant text := coalesce(dpobj.cron_timezone(), 'GMT');
    due timestamptz;
    asked record;
    had record;
    spent numeric;
    detail text;
  BEGIN
    PERFORM dpobj.schedule_enter();
    SELECT s.cron, s.relation, s.relation_name, s.label, s.epsilon, s.features, s.delta, s.method, s.options, s.filter,
           s.allowance, s.period
      INTO asked FROM dpobj.schedules s WHERE s.owner = session_user AND s.name = $1;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'there is no schedule "%" of role "%"', $1, session_user
        USING ERRCODE = 'undefined_object', HINT = 'See dpobj.schedules. If pg_cron asked, remove its job.';
    END IF;
    due := dpobj.schedule_time(asked.cron, statement_timestamp());
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
      PERFORM dpobj.train(asked.relation, asked.label, asked.epsilon, asked.features, asked.delta, asked.method,
                          asked.options, asked.filter, dpobj.schedule_model($1, due));
      outcome := 'released';
    EXCEPTION
      WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
        outcome := CASE code WHEN 'UB001' THEN 'skipped' ELSE 'failed' END;
        message := concat_ws(E'\n', message, nullif(detail, ''));
    END;
    PERFORM dpobj.schedule_record($1, due, began, outcome, code, message);
  END
  $$;
COMMENT ON FUNCTION dpobj.schedule_attempt(text) IS
  'internal: one run of a schedule of one''s own, which raises no error where it can tell how it ended';

/*
 * The record is committed before a failure is reported to pg_cron.  The first COMMIT
 * refuses a transaction block, where the record could be lost, before anything is
 * charged; it lets the run see what was committed while it waited, too.
 * A procedure that commits cannot have a search_path of its own, so names are qualified.
 */
CREATE PROCEDURE dpobj.run_schedule(name text)
  LANGUAGE plpgsql
  AS $$
  DECLARE
    run record;
  BEGIN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SELECT a.outcome, a.code, a.message INTO run FROM dpobj.schedule_attempt($1) a;
    COMMIT;
    IF run.outcome OPERATOR(pg_catalog.=) 'failed' THEN
      RAISE EXCEPTION USING ERRCODE = run.code, MESSAGE = run.message;
    END IF;
  END
  $$;
COMMENT ON PROCEDURE dpobj.run_schedule(text) IS
  'runs a schedule of one''s own for its last scheduled time, once; what pg_cron calls';

-- ---- making and removing ----

CREATE FUNCTION dpobj.schedule_put(name text, cron text, relation regclass, label text, epsilon numeric,
    features text[], delta numeric, method text, options jsonb, filter jsonb, allowance numeric, period interval)
  RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_put';
COMMENT ON FUNCTION dpobj.schedule_put(text, text, regclass, text, numeric, text[], numeric, text, jsonb, jsonb, numeric, interval) IS
  'internal: makes or changes a schedule of one''s own, which pg_cron does not know yet';

CREATE FUNCTION dpobj.schedule_remove(name text, role regrole) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_schedule_remove';
COMMENT ON FUNCTION dpobj.schedule_remove(text, regrole) IS
  'internal: removes a schedule, which pg_cron may still know';

CREATE FUNCTION dpobj.schedule(name text, cron text, relation regclass, label text, epsilon numeric,
    features text[] DEFAULT NULL, delta numeric DEFAULT 0, method text DEFAULT 'halfspace',
    options jsonb DEFAULT '{}', filter jsonb DEFAULT NULL, allowance numeric DEFAULT NULL,
    period interval DEFAULT '1 month') RETURNS bigint
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    database constant text := dpobj.cron_database();
    job bigint;
    jobname text;
  BEGIN
    PERFORM dpobj.schedule_put($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
    -- What is wrong with the request is said now, not at night.
    IF has_function_privilege('dpobj.price(regclass, numeric, text[], numeric, text, jsonb, text)', 'EXECUTE') THEN
      PERFORM dpobj.price($3, $5, $6, $7, $8, $9, $4);
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
              HINT = 'A superuser can run there: ' || dpobj.cron_statement($1, $2, session_user);
      RETURN NULL;
    ELSIF NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron') THEN
      RAISE EXCEPTION 'extension "pg_cron" is not installed'
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'A superuser can run CREATE EXTENSION pg_cron.';
    ELSIF NOT dpobj.cron_is_here() THEN
      RAISE EXCEPTION 'permission denied for schema cron'
        USING ERRCODE = 'insufficient_privilege',
              HINT = format('A superuser can run GRANT USAGE ON SCHEMA cron TO %I.', session_user);
    END IF;
    -- A job of it that has another name, from an older version or after a restore, keeps that: one is enough.
    job := dpobj.cron_job($1, session_user);
    IF job IS NOT NULL THEN
      EXECUTE 'SELECT j.jobname FROM cron.job j WHERE j.jobid = $1' INTO jobname USING job;
    END IF;
    EXECUTE format('SELECT cron.schedule(%L, %L, %L)', coalesce(jobname, dpobj.cron_jobname($1)), $2, dpobj.cron_command($1))
      INTO job;
    RETURN job;
  END
  $$;
COMMENT ON FUNCTION dpobj.schedule(text, text, regclass, text, numeric, text[], numeric, text, jsonb, jsonb, numeric, interval) IS
  'has pg_cron train a model on a protected table at the times that cron names; answers with the number of its job. The same name again changes a schedule';

CREATE FUNCTION dpobj.unschedule(name text, role regrole DEFAULT NULL) RETURNS void
  LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $$
  DECLARE
    owner constant text := coalesce((SELECT r.rolname FROM pg_roles r WHERE r.oid = $2), session_user);
    job constant bigint := dpobj.cron_job($1, owner);
  BEGIN
    PERFORM dpobj.schedule_remove($1, $2);
    IF job IS NOT NULL THEN
      EXECUTE 'SELECT cron.unschedule($1)' USING job;
    ELSIF owner <> session_user OR NOT dpobj.cron_is_here() THEN
      RAISE NOTICE 'pg_cron may still know schedule "%"', $1
        USING DETAIL = 'Each start of it will fail.',
              HINT = format('A superuser can run in the database of pg_cron: SELECT cron.unschedule(jobid) FROM cron.job '
                            'WHERE command = %L AND username = %L AND database = %L;', dpobj.cron_command($1), owner,
                            current_database());
    END IF;
  END
  $$;
COMMENT ON FUNCTION dpobj.unschedule(text, regrole) IS
  'removes a schedule and pg_cron''s job; of another role''s for administrators. Models and charges stay';

-- Each acts for the session user alone, and as him.
GRANT EXECUTE ON ROUTINE dpobj.schedule(text, text, regclass, text, numeric, text[], numeric, text, jsonb, jsonb, numeric, interval),
  dpobj.unschedule(text, regrole), dpobj.run_schedule(text), dpobj.schedule_attempt(text), dpobj.schedule_enter(),
  dpobj.schedule_put(text, text, regclass, text, numeric, text[], numeric, text, jsonb, jsonb, numeric, interval),
  dpobj.schedule_remove(text, regrole), dpobj.schedule_record(text, timestamptz, timestamptz, text, text, text),
  dpobj.cron_time(text, timestamp, boolean), dpobj.schedule_time(text, timestamptz, boolean),
  dpobj.schedule_model(text, timestamptz), dpobj.schedule_of_model(text), dpobj.cron_database(), dpobj.cron_timezone(),
  dpobj.cron_command(text), dpobj.cron_jobname(text), dpobj.cron_statement(text, text, text), dpobj.cron_is_here(),
  dpobj.cron_job(text, text), dpobj.administers() TO PUBLIC;
-- Privileges that nobody was given

/*
 * When all functions are there: 0.1.0 took its functions from PUBLIC, and what came after it
 * grants for itself, which leaves a list of privileges at each function. One without a list is
 * new and for nobody. What administrators have granted and revoked stays as it is.
 */
DO $body$
DECLARE
  withheld regprocedure;
BEGIN
  FOR withheld IN
    SELECT p.oid FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid
    WHERE d.classid = 'pg_proc'::regclass
          AND d.refclassid = 'pg_extension'::regclass
          AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
          AND p.pronamespace = 'dpobj'::regnamespace
          AND d.deptype = 'e' AND p.proacl IS NULL
  LOOP
    EXECUTE format('REVOKE ALL ON ROUTINE %s FROM PUBLIC', withheld);
  END LOOP;
END
$body$;
-- Others' functions with our names

/*
 * What users call is looked up in the extension's schema, among others: a function of our name
 * whose arguments fit better would be called instead.
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
