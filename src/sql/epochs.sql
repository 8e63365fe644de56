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

/*
 * The first charge at the analyst's door after a start writes its time, and ends the charges before
 * it that have no end.  An unlogged table could not tell up to which charge this was done.
 */
CREATE TABLE dpobj.server_start
(
    only_row boolean PRIMARY KEY DEFAULT true,
    at timestamptz NOT NULL DEFAULT pg_catalog.pg_postmaster_start_time(),
    settled bigint NOT NULL DEFAULT 0,
    CONSTRAINT only_one_row CHECK (only_row)
);
-- Why earlier charges have no end is unknown, so ends are written from now on.
INSERT INTO dpobj.server_start (settled) SELECT coalesce(max(id), 0) FROM dpobj.ledger_events;
COMMENT ON TABLE dpobj.server_start IS 'the last start of the server after which charges without an end were ended';
COMMENT ON INDEX dpobj.server_start_pkey IS 'one row';
COMMENT ON COLUMN dpobj.server_start.only_row IS 'true';
COMMENT ON COLUMN dpobj.server_start.at IS 'when the server was started';
COMMENT ON COLUMN dpobj.server_start.settled IS 'ledger id up to which each charge has an end, or is older than version 0.3.0';

-- This server remembers the epoch of each server that a table is shared with (src/server/ledger/epoch.c).
CREATE INDEX ledger_events_servers_idx ON dpobj.ledger_events (event, id)
    WHERE event IN ('confirm_epoch', 'remember_server');
COMMENT ON INDEX dpobj.ledger_events_servers_idx IS 'the epochs of other servers since the last confirmation';
