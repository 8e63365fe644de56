-- Ledger: an append-only table of events, and the view that people read

/*
 * One row per event, written by the charge worker only.  The 'charged' row alone has the cost, so
 * that a sum over the table counts it once; the end of the release is a second row, which names the
 * charge in "release".  A charge without an end runs, or its end is being written, or the server
 * stopped in between: then the first charge at the analyst's door after the start ends it.  No column has a reg* type, because a restore has other OIDs.
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
    reason text,
    CONSTRAINT ledger_event_known CHECK (event IN
        ('charged', 'released', 'failed', 'protect', 'unprotect', 'set_budget', 'raise_budget',
         'drop_budget', 'limit_budget', 'confirm_epoch', 'mark_part', 'unmark_part', 'read_part', 'remember_server',
         'reset_failures', 'maintenance', 'population')),
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
         AND pg_catalog.cardinality(rdp_pico) = pg_catalog.cardinality(dpobj_internal.rdp_orders())
         AND (adjacency = 'replace') = (rdp_replaced IS NULL)
         AND pg_catalog.cardinality(coalesce(rdp_replaced, rdp_pico))
             = pg_catalog.cardinality(dpobj_internal.rdp_orders())
         AND pg_catalog.array_position(rdp_replaced, NULL) IS NULL) IS TRUE),
    CONSTRAINT ledger_door_known CHECK (door IN ('owner', 'analyst')),
    CONSTRAINT ledger_cost_charged_once CHECK (event = 'charged' OR
        (epsilon_nano IS NULL AND delta_units IS NULL)),
    CONSTRAINT ledger_end_of_a_charge CHECK ((event IN ('released', 'failed')) = (release IS NOT NULL)),
    CONSTRAINT ledger_reason_of_a_failure CHECK (reason IS NULL OR
        (event = 'failed' AND reason IN ('cancel', 'stop', 'error'))),
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

CREATE OR REPLACE FUNCTION dpobj_internal.ledger_refuse_change() RETURNS trigger
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
COMMENT ON COLUMN dpobj.ledger_events.rdp_pico IS 'charged: Renyi divergences of the orders dpobj_internal.rdp_orders() in units of 1e-12, rounded up';
COMMENT ON COLUMN dpobj.ledger_events.rdp_delta IS 'charged: probability in units of 1e-18 with which they do not hold';
COMMENT ON COLUMN dpobj.ledger_events.rdp_replaced IS 'charged under add_remove: the divergences where one row goes and one comes';
COMMENT ON COLUMN dpobj.ledger_events.parameters IS 'public parameters of the mechanism or of the administration';
COMMENT ON COLUMN dpobj.ledger_events.output_hash IS 'released: SHA-256 of the released model';
COMMENT ON COLUMN dpobj.ledger_events.epoch IS 'where and in which life of the server the event was written, as dpobj_internal.epoch() says it';
COMMENT ON COLUMN dpobj.ledger_events.reason IS 'failed: cancel, stop (of the server) or error (not of the release); null: the release itself failed, which counts at the analyst''s door';
COMMENT ON COLUMN dpobj.ledger_events.relation_identity IS 'identity of the table';
COMMENT ON COLUMN dpobj.ledger_events.role_identity IS 'identity of the session user';
COMMENT ON COLUMN dpobj.ledger_events.door IS 'charged: owner, an aggregate in a query; analyst, dpobj.train and its kin';
COMMENT ON COLUMN dpobj.ledger_events.person IS 'charged: column whose values are the persons that neighbours differ in; null: neighbours differ in a row';
COMMENT ON COLUMN dpobj.ledger_events.payers IS 'charged: identities of the session user and of the groups that he was a member of then; reset_failures: of the role whose failures count no longer, null for all';

-- The role that an identity stands for now, found as the charge worker finds it: by OID, else the
-- last one that had the name.
CREATE OR REPLACE VIEW dpobj.identity_roles AS
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
