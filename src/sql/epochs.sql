-- Epochs

COMMENT ON FUNCTION dpobj.epoch() IS
  'system identifier, OID of the database, timeline and, of a server that was started from a base backup, a hash of its label: differs after a restore and a promotion';
COMMENT ON SEQUENCE dpobj.ledger_events_id_seq IS
  'ledger ids; gaps are normal: a refused event or a crash of the server leaves one, and after a restore they go on at the microseconds since 1970';
