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
    last bigint NOT NULL,
    CONSTRAINT charge_counted CHECK (times > 0)
);
CREATE INDEX charge_counts_key ON dpobj.charge_counts (relation_identity, block, epsilon_nano);
COMMENT ON TABLE dpobj.charge_counts IS 'how many charges of a kind the ledger has; not dumped: a restore counts anew';
COMMENT ON SEQUENCE dpobj.charge_counts_id_seq IS 'numbers of the rows';
COMMENT ON INDEX dpobj.charge_counts_pkey IS 'number of the row';
COMMENT ON INDEX dpobj.charge_counts_key IS 'finds the charges of a table, and those of a kind';
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
COMMENT ON COLUMN dpobj.charge_counts.last IS 'ledger id of the last of them';

-- The same counts from the ledger, which charge_counts must equal.
CREATE OR REPLACE VIEW dpobj.charge_kinds AS
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
       pg_catalog.count(*) AS times,
       pg_catalog.max(e.id) AS last
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

CREATE OR REPLACE FUNCTION dpobj_internal.count_charges() RETURNS trigger
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
    rdp_replaced, times, last)
SELECT * FROM dpobj.charge_kinds;

-- The report's page adds these up over time without reading the ledger's rows.
CREATE INDEX ledger_events_spending_idx ON dpobj.ledger_events (relation_identity, id)
    INCLUDE (at, epsilon_nano, payers) WHERE event = 'charged';
COMMENT ON INDEX dpobj.ledger_events_spending_idx IS 'what a table has spent';
CREATE INDEX ledger_events_administration_idx ON dpobj.ledger_events (relation_identity)
    WHERE event NOT IN ('charged', 'released', 'failed');
COMMENT ON INDEX dpobj.ledger_events_administration_idx IS 'events of administration';
-- The report looks for charges without an end.
CREATE INDEX ledger_events_end_idx ON dpobj.ledger_events (relation_identity, release) WHERE release IS NOT NULL;
COMMENT ON INDEX dpobj.ledger_events_end_idx IS 'which releases from a table have ended';
-- People read the ledger's last events, and those of a release (names.sql); and the ratings of a model (model_facts.sql).
CREATE INDEX ledger_events_role_idx ON dpobj.ledger_events (role_identity, id);
COMMENT ON INDEX dpobj.ledger_events_role_idx IS 'the events of a role';
CREATE INDEX ledger_events_of_release_idx ON dpobj.ledger_events ((CASE WHEN event = 'charged' THEN id ELSE release END));
COMMENT ON INDEX dpobj.ledger_events_of_release_idx IS 'the events of a release';
CREATE INDEX ledger_events_rating_idx ON dpobj.ledger_events ((parameters ->> 'model'), id)
    WHERE event = 'charged' AND parameters ? 'model';
COMMENT ON INDEX dpobj.ledger_events_rating_idx IS 'the ratings of a model';
CREATE INDEX ledger_events_part_idx ON dpobj.ledger_events (id) WHERE event IN ('mark_part', 'unmark_part', 'read_part');
COMMENT ON INDEX dpobj.ledger_events_part_idx IS 'what other servers may read and have read';
