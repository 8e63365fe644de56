-- Names and owners of tables, and the views that say which table is meant

/*
 * Citus hides its shards from queries that read pg_class: a view that joins it loses the charges of
 * a shard.  So views call these functions, which read the catalog without a query.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.table_name(relation oid) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_table_name';
COMMENT ON FUNCTION dpobj_internal.table_name(oid) IS
  'internal: schema-qualified, quoted name of a relation; null when there is none';

CREATE OR REPLACE FUNCTION dpobj_internal.table_named(name text) RETURNS oid
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_table_named';
COMMENT ON FUNCTION dpobj_internal.table_named(text) IS
  'internal: the table that has a schema-qualified, quoted name; null when there is none';

CREATE OR REPLACE FUNCTION dpobj_internal.table_owner(relation oid) RETURNS oid
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
 * A view that ends in _seen is planned anew for each scan of it (src/server/base/seen_query.c), and its reader
 * does not change meanwhile.  So these say that they are immutable: the planner puts their values in
 * their place, and sees that an index has a role's events in the order of id.
 */
CREATE OR REPLACE FUNCTION dpobj_internal.reader_sees_all() RETURNS boolean
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT dpobj_internal.sees_all() $$;
COMMENT ON FUNCTION dpobj_internal.reader_sees_all() IS 'internal: dpobj_internal.sees_all(), for views that end in _seen';

CREATE OR REPLACE FUNCTION dpobj_internal.reader_identity() RETURNS bigint
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT coalesce(max(i.id), 0) FROM dpobj.identity_roles i WHERE i.role = dpobj_internal.reader() $$;
COMMENT ON FUNCTION dpobj_internal.reader_identity() IS 'internal: the last identity of the reader, for views that end in _seen; 0: none';

CREATE OR REPLACE FUNCTION dpobj_internal.reader_has_several() RETURNS boolean
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$ SELECT count(*) > 1 FROM dpobj.identity_roles i WHERE i.role = dpobj_internal.reader() $$;
COMMENT ON FUNCTION dpobj_internal.reader_has_several() IS 'internal: has the reader several identities, for views that end in _seen?';

CREATE OR REPLACE FUNCTION dpobj_internal.reader_has_parts() RETURNS boolean
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT EXISTS (SELECT FROM dpobj.ledger_events e JOIN dpobj.identity_tables t ON t.id = e.relation_identity
                    WHERE e.event = 'mark_part' AND pg_has_role(dpobj_internal.reader(), dpobj_internal.table_owner(t.relation), 'USAGE'))
  $$;
COMMENT ON FUNCTION dpobj_internal.reader_has_parts() IS 'internal: has the reader tables that were parts of others, for views that end in _seen?';

/*
 * Roles see their own events, by OID or else by name; superusers and auditors see all.  After DROP
 * ROLE and CREATE ROLE a role may have several identities, of which the last has the new events.  A table is
 * shown as regclass only while its OID still has the name it was charged under.  The factors are
 * exactly 1e-9 and 1e-18; products of numerics are exact.
 */
CREATE OR REPLACE VIEW dpobj.ledger_seen AS
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
       pg_catalog.trim_scale(e.rdp_delta * 0.000000000000000001) AS rdp_delta,
       e.reason
  FROM dpobj.ledger_events e
 WHERE dpobj_internal.reader_sees_all()
    OR e.role_identity = dpobj_internal.reader_identity()
    OR dpobj_internal.reader_has_several()
       AND e.role_identity IN (SELECT i.id FROM dpobj.identity_roles i WHERE i.role = dpobj_internal.reader())
    OR dpobj_internal.reader_has_parts()
       AND e.event IN ('mark_part', 'unmark_part', 'read_part')
       AND e.relation_identity IN (SELECT t.id FROM dpobj.identity_tables t
                                    WHERE pg_catalog.pg_has_role(dpobj_internal.reader(), dpobj_internal.table_owner(t.relation), 'USAGE'));
COMMENT ON VIEW dpobj.ledger_seen IS 'dpobj.ledger of the role dpobj_internal.reader()';

CREATE OR REPLACE FUNCTION dpobj_internal.see_ledger() RETURNS SETOF dpobj.ledger_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_ledger() IS 'internal: dpobj.ledger_seen for the reader';
CREATE OR REPLACE VIEW dpobj.ledger AS SELECT * FROM dpobj_internal.see_ledger();
COMMENT ON VIEW dpobj.ledger IS 'privacy ledger: the events of the session''s own role, and of its tables what other servers may read and have read; all events for superusers and dpobj_auditor';
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
COMMENT ON COLUMN dpobj.ledger.rdp IS 'Renyi divergences of the orders dpobj_internal.rdp_orders(); null where none is known, empty except for charged events';
COMMENT ON COLUMN dpobj.ledger.rdp_delta IS 'probability with which they do not hold';
COMMENT ON COLUMN dpobj.ledger.reason IS 'failed: cancel, stop (of the server) or error (not of the release); null: the release itself failed, which counts at the analyst''s door';
