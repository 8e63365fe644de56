-- Writes the last charges of bench/ledger.sql again, with their ends, models and answers, until there are so many events.
SET client_min_messages = warning;
CREATE TEMP TABLE charge AS
  SELECT row_number() OVER (ORDER BY id) AS number, e.* FROM dpobj.ledger_events e
   WHERE event = 'charged' AND id < (SELECT min(release) + 1000 FROM dpobj.ledger_events WHERE event = 'released');
SELECT count(*) / 2 AS missing, max(id) AS before FROM dpobj.ledger_events \gset
SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
 WHERE attrelid = 'charge'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('id', 'number', 'at') \gset
CREATE TEMP TABLE copies AS SELECT i, 1 + i % (SELECT count(*) FROM charge) AS number FROM generate_series(:missing, :events / 2) i;
SELECT format('INSERT INTO dpobj.ledger_events (at, %1$s) SELECT now() - (%2$s - i) * interval ''1 minute'', %1$s FROM copies JOIN charge USING (number) ORDER BY i',
              :'names', :events) \gexec
INSERT INTO dpobj.ledger_events (at, event, release, relation, relation_name, role, role_name, mechanism, mechanism_version,
                                 relation_identity, role_identity, output_hash)
SELECT e.at, 'released', e.id, e.relation, e.relation_name, e.role, e.role_name, e.mechanism, e.mechanism_version,
       e.relation_identity, e.role_identity, sha256('model')
  FROM dpobj.ledger_events e
 WHERE e.event = 'charged' AND e.id > :before;
INSERT INTO dpobj.model_rows (release, owner, released, model, answer)
SELECT e.id, m.owner, e.at, m.model, m.answer
  FROM (SELECT id, at, row_number() OVER (ORDER BY id) AS place FROM dpobj.ledger_events WHERE event = 'charged' AND id > :before) e
  JOIN (SELECT number, row_number() OVER (ORDER BY i) AS place FROM copies) p USING (place)
  JOIN charge c USING (number)
  JOIN dpobj.model_rows m ON m.release = c.id
 WHERE e.place % 20 = 0;
VACUUM ANALYZE;
