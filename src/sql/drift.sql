-- Drift: how the shares of a column's bins have changed from one kept histogram to another

-- The noise has at least this epsilon, because a charge is rounded up.
CREATE OR REPLACE VIEW dpobj.kept_histograms AS
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
       (SELECT pg_catalog.jsonb_agg(r.bin - '{value,low,high,confidence}'::text[] ORDER BY r.place) AS bins
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
COMMENT ON COLUMN dpobj.kept_histograms.owns IS 'is it the reader''s own, or is the reader a superuser?';

CREATE OR REPLACE FUNCTION dpobj.drift(before text, after text, confidence float8 DEFAULT 0.95)
  RETURNS TABLE (key text[], bin text, share_before float8, share_after float8, difference float8, low float8, high float8, confidence float8)
  LANGUAGE C STABLE PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_drift';
COMMENT ON FUNCTION dpobj.drift(text, text, float8) IS
  'how the share of each bin has changed between two kept histograms of one''s own, of the same table, column, by and filter; free, with the interval of the noise alone';

CREATE OR REPLACE FUNCTION dpobj_internal.drift_total(before dpobj.kept_histograms, after dpobj.kept_histograms, confidence float8,
    OUT value float8, OUT low float8, OUT high float8) RETURNS record
  LANGUAGE C STABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_drift_total';
COMMENT ON FUNCTION dpobj_internal.drift_total(dpobj.kept_histograms, dpobj.kept_histograms, float8) IS
  'internal: the total variation distance of two histograms of the same bins';

CREATE OR REPLACE VIEW dpobj.drifts_seen AS
SELECT h.name,
       (h.first).name AS first,
       h.relation_name,
       h."column",
       t.value,
       t.low,
       t.high,
       h.confidence,
       h.owner,
       h.created,
       h.epsilon,
       h.release
  FROM (SELECT k.*, k AS this,
               pg_catalog.first_value(k) OVER (PARTITION BY k.owner, k.asked ORDER BY k.release) AS first,
               0.95::float8 AS confidence
          FROM dpobj.kept_histograms k
         WHERE k.owns OR dpobj_internal.reader_sees_all()) h
 CROSS JOIN LATERAL dpobj_internal.drift_total(h.first, h.this, h.confidence) t
 WHERE h.release <> (h.first).release;
COMMENT ON VIEW dpobj.drifts_seen IS 'dpobj.drifts of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_drifts() RETURNS SETOF dpobj.drifts_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_drifts() IS 'internal: dpobj.drifts_seen for the reader';
CREATE OR REPLACE VIEW dpobj.drifts AS SELECT * FROM dpobj_internal.see_drifts();
COMMENT ON VIEW dpobj.drifts IS 'how far each kept histogram of the current role is from the first one of the same table, column, by and filter, free to read; those of all roles for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.drifts.name IS 'name of the histogram in dpobj.answers; null: none';
COMMENT ON COLUMN dpobj.drifts.first IS 'name of the first one';
COMMENT ON COLUMN dpobj.drifts.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.drifts."column" IS 'the column';
COMMENT ON COLUMN dpobj.drifts.value IS 'total variation distance: half the sum of the sizes of the differences of shares, from 0 to 1; noise makes it larger; null: the noise left no rows';
COMMENT ON COLUMN dpobj.drifts.low IS 'the truth on these rows is not below it, but for a chance of 1 - confidence for both ends: the noise alone; 0 where the noise may explain all';
COMMENT ON COLUMN dpobj.drifts.high IS 'nor above it';
COMMENT ON COLUMN dpobj.drifts.confidence IS 'how sure the interval is';
COMMENT ON COLUMN dpobj.drifts.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.drifts.created IS 'when it was released';
COMMENT ON COLUMN dpobj.drifts.epsilon IS 'what it cost; the comparison costs nothing';
COMMENT ON COLUMN dpobj.drifts.release IS 'id of the charge in dpobj.ledger';
