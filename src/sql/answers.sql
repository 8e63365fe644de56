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
  RETURNS TABLE (predicted text, label text, rows bigint, error float8, confidence float8)
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_confusion_rows';
COMMENT ON FUNCTION dpobj.confusion(text, regclass, numeric, jsonb, jsonb, text) IS
  'private number of rows of a protected table for each prediction of a named model of one''s own and each label; but for a chance of 1 - confidence no number is off by more than error';

CREATE OR REPLACE FUNCTION dpobj.select(models text[], relation regclass, epsilon numeric, filter jsonb DEFAULT NULL,
    options jsonb DEFAULT NULL, name text DEFAULT NULL)
  RETURNS text
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_select';
COMMENT ON FUNCTION dpobj.select(text[], regclass, numeric, jsonb, jsonb, text) IS
  'private choice of a good one among named models of one''s own on a protected table; one charge, however many they are';

-- In 0.3.0 the key "confidence" was "level", which another column has now, and a confusion of two classes one row.
CREATE OR REPLACE FUNCTION dpobj_internal.answer_of_0_3(answer jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT CASE WHEN $1 -> 0 ? 'true_positives'
                THEN (SELECT jsonb_agg(jsonb_build_object('predicted', v.predicted, 'label', v.label, 'rows', $1 -> 0 -> v.key,
                                                          'error', $1 -> 0 -> 'error', 'confidence', $1 -> 0 -> 'level'))
                        FROM (VALUES ('positive', 'positive', 'true_positives'), ('positive', 'negative', 'false_positives'),
                                     ('negative', 'positive', 'false_negatives'), ('negative', 'negative', 'true_negatives')) v(predicted, label, key))
                WHEN ($1 -> 0 ? 'level' AND NOT $1 -> 0 ? 'confidence') IS NOT TRUE THEN $1
                ELSE (SELECT jsonb_agg(r.row - 'level' || jsonb_build_object('confidence', r.row -> 'level') ORDER BY r.place)
                        FROM jsonb_array_elements($1) WITH ORDINALITY r(row, place)) END
  $$;
COMMENT ON FUNCTION dpobj_internal.answer_of_0_3(jsonb) IS 'internal: a kept answer as this version writes it';

-- Of all roles: views on it choose whose their readers may see.
CREATE OR REPLACE VIEW dpobj.kept_answers AS
SELECT m.name,
       coalesce(e.parameters ->> 'evaluation', e.parameters ->> 'look') AS kind,
       CASE WHEN dpobj_internal.table_named(e.relation_name) = e.relation THEN e.relation::regclass END AS relation,
       e.relation_name,
       dpobj_internal.answer_of_0_3(m.answer) AS answer,
       coalesce(r.role_name, r.recorded_name) AS owner,
       m.released AS created,
       m.release,
       e.parameters,
       m.comment,
       coalesce(r.role = dpobj_internal.reader(), false)
         OR EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.oid = dpobj_internal.reader() AND s.rolsuper) AS owns,
       (m.answer -> 0 ->> 'value')::float8 AS value,
       CASE WHEN m.answer -> 0 ? 'value' THEN (m.answer -> 0 ->> 'low')::float8 END AS low,
       CASE WHEN m.answer -> 0 ? 'value' THEN (m.answer -> 0 ->> 'high')::float8 END AS high,
       CASE WHEN m.answer -> 0 ? 'value' THEN (m.answer -> 0 ->> 'sample_low')::float8 END AS sample_low,
       CASE WHEN m.answer -> 0 ? 'value' THEN (m.answer -> 0 ->> 'sample_high')::float8 END AS sample_high,
       coalesce(m.answer -> 0 ->> 'confidence', m.answer -> 0 ->> 'level')::float8 AS confidence,
       (e.parameters ->> 'holdout')::numeric AS holdout
  FROM dpobj.model_rows m
  JOIN dpobj.ledger_events e ON e.id = m.release
  JOIN dpobj.identity_roles r ON r.id = m.owner
 WHERE m.answer IS NOT NULL
   AND e.event = 'charged'; -- as all are: it is said for an index
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
COMMENT ON COLUMN dpobj.kept_answers.owns IS 'is it the reader''s own, or is the reader a superuser?';
COMMENT ON COLUMN dpobj.kept_answers.value IS 'of an evaluation, as the following: accuracy, R-squared or AUC';
COMMENT ON COLUMN dpobj.kept_answers.low IS 'lower end for the noise alone';
COMMENT ON COLUMN dpobj.kept_answers.high IS 'upper end for the noise alone';
COMMENT ON COLUMN dpobj.kept_answers.sample_low IS 'lower end for noise and chance of the sample';
COMMENT ON COLUMN dpobj.kept_answers.sample_high IS 'upper end for noise and chance of the sample';
COMMENT ON COLUMN dpobj.kept_answers.confidence IS 'how sure the intervals are';
COMMENT ON COLUMN dpobj.kept_answers.holdout IS 'share of the rows that were held out';

CREATE OR REPLACE VIEW dpobj.answers_seen AS
SELECT k.name, k.kind, k.relation, k.relation_name, k.answer, k.owner, k.created, k.release, k.parameters, k.comment
  FROM dpobj.kept_answers k
 WHERE k.owns;
COMMENT ON VIEW dpobj.answers_seen IS 'dpobj.answers of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_answers() RETURNS SETOF dpobj.answers_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_answers() IS 'internal: dpobj.answers_seen for the reader';
CREATE OR REPLACE VIEW dpobj.answers AS SELECT * FROM dpobj_internal.see_answers();
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

CREATE OR REPLACE VIEW dpobj.evaluations_seen AS
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
       a.value,
       a.low,
       a.high,
       a.sample_low,
       a.sample_high,
       a.confidence,
       a.answer,
       a.relation_name,
       a.owner,
       a.created,
       a.release,
       a.holdout
  FROM dpobj.kept_answers a
 WHERE a.parameters ?| '{model,models}'
   AND (a.owns OR dpobj_internal.reader_sees_all());
COMMENT ON VIEW dpobj.evaluations_seen IS 'dpobj.evaluations of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_evaluations() RETURNS SETOF dpobj.evaluations_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_evaluations() IS 'internal: dpobj.evaluations_seen for the reader';
CREATE OR REPLACE VIEW dpobj.evaluations AS SELECT * FROM dpobj_internal.see_evaluations();
COMMENT ON VIEW dpobj.evaluations IS 'released evaluations of the current role''s models; all of them for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.evaluations.name IS 'name given to the call, or to dpobj.rename; null: none';
COMMENT ON COLUMN dpobj.evaluations.kind IS 'accuracy, confusion, select, residuals, auc or calibration';
COMMENT ON COLUMN dpobj.evaluations.models IS 'names of the models now; null for one that was deleted';
COMMENT ON COLUMN dpobj.evaluations.value IS 'accuracy, R-squared or AUC; null: the noise left none, or the kind has no such number';
COMMENT ON COLUMN dpobj.evaluations.low IS 'the truth on these rows is not below it, but for a chance of 1 - confidence for both ends: the noise alone';
COMMENT ON COLUMN dpobj.evaluations.high IS 'nor above it';
COMMENT ON COLUMN dpobj.evaluations.sample_low IS 'lower end of the interval for the population, if the rows are an independent sample of it. It allows for noise and for chance of the sample, with about this confidence, of R-squared with at least this confidence. Null if the kind has no such interval';
COMMENT ON COLUMN dpobj.evaluations.sample_high IS 'upper end of that interval';
COMMENT ON COLUMN dpobj.evaluations.confidence IS 'how sure the intervals are';
COMMENT ON COLUMN dpobj.evaluations.answer IS 'what the call has returned: an array with an object for each row';
COMMENT ON COLUMN dpobj.evaluations.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.evaluations.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.evaluations.created IS 'when it was released';
COMMENT ON COLUMN dpobj.evaluations.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.evaluations.holdout IS 'share of the rows that were held out, which alone were read; null: all rows were';

CREATE OR REPLACE VIEW dpobj.model_history_seen AS
SELECT m.model,
       e.kind,
       e.relation_name,
       e.value,
       e.low,
       e.high,
       e.confidence,
       e.owner,
       e.created,
       pg_catalog.trim_scale(l.epsilon_nano * 0.000000001) AS epsilon,
       e.release,
       e.holdout
  FROM dpobj.evaluations_seen e
  JOIN dpobj.ledger_events l ON l.id = e.release,
       pg_catalog.unnest(e.models) m(model);
COMMENT ON VIEW dpobj.model_history_seen IS 'dpobj.model_history of the role dpobj_internal.reader()';
CREATE OR REPLACE FUNCTION dpobj_internal.see_model_history() RETURNS SETOF dpobj.model_history_seen
  LANGUAGE C STABLE PARALLEL RESTRICTED
  AS 'MODULE_PATHNAME', 'dpobj_see';
COMMENT ON FUNCTION dpobj_internal.see_model_history() IS 'internal: dpobj.model_history_seen for the reader';
CREATE OR REPLACE VIEW dpobj.model_history AS SELECT * FROM dpobj_internal.see_model_history();
COMMENT ON VIEW dpobj.model_history IS 'each rating of each of the current role''s models, free to read; those of all roles for superusers and dpobj_auditor';
COMMENT ON COLUMN dpobj.model_history.model IS 'name of the model; null for one that was deleted or has none';
COMMENT ON COLUMN dpobj.model_history.kind IS 'accuracy, confusion, select, residuals, auc or calibration';
COMMENT ON COLUMN dpobj.model_history.relation_name IS 'name that the table had then';
COMMENT ON COLUMN dpobj.model_history.value IS 'accuracy, R-squared or AUC; null: the noise left none, or the kind has no such number';
COMMENT ON COLUMN dpobj.model_history.low IS 'the truth on these rows is not below it, but for a chance of 1 - confidence for both ends: the noise alone';
COMMENT ON COLUMN dpobj.model_history.high IS 'nor above it';
COMMENT ON COLUMN dpobj.model_history.confidence IS 'how sure the interval is';
COMMENT ON COLUMN dpobj.model_history.owner IS 'the session user who was charged';
COMMENT ON COLUMN dpobj.model_history.created IS 'when it was released';
COMMENT ON COLUMN dpobj.model_history.epsilon IS 'what it cost; a choice among several models cost this once';
COMMENT ON COLUMN dpobj.model_history.release IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.model_history.holdout IS 'share of the rows that were held out, which alone were read; null: all rows were';

-- What each charge of the current role has come to; dpobj.answer() reads it.
CREATE OR REPLACE VIEW dpobj.charge_answers WITH (security_barrier) AS
SELECT c.id AS charge,
       e.event AS state,
       CASE WHEN e.event = 'failed' THEN coalesce(e.reason, 'failure') END AS reason,
       m.name,
       m.key,
       m.model,
       dpobj_internal.answer_of_0_3(m.answer) AS answer,
       m.place
  FROM dpobj.ledger_events c
  LEFT JOIN dpobj.ledger_events e ON e.release = c.id
  LEFT JOIN dpobj.model_rows m ON m.release = c.id AND m.released IS NOT NULL
 WHERE c.event = 'charged'
   AND (EXISTS (SELECT FROM dpobj.identity_roles r WHERE r.id = c.role_identity AND r.role = dpobj_internal.reader())
        OR EXISTS (SELECT FROM pg_catalog.pg_roles s WHERE s.oid = dpobj_internal.reader() AND s.rolsuper));
COMMENT ON VIEW dpobj.charge_answers IS 'what the charges of the current role have come to; all of them for superusers';
COMMENT ON COLUMN dpobj.charge_answers.charge IS 'id of the charge in dpobj.ledger';
COMMENT ON COLUMN dpobj.charge_answers.state IS 'released or failed; null: it has no end yet';
COMMENT ON COLUMN dpobj.charge_answers.reason IS 'failed: failure, cancel, stop (of the server) or error';
COMMENT ON COLUMN dpobj.charge_answers.name IS 'name of the model or answer now; null: none';
COMMENT ON COLUMN dpobj.charge_answers.key IS 'key of the group that the model is about; null: the whole table';
COMMENT ON COLUMN dpobj.charge_answers.model IS 'the model; null: there is none, or it was deleted';
COMMENT ON COLUMN dpobj.charge_answers.answer IS 'answer of a look or an evaluation: an array with an object for each row; null: none is kept';
COMMENT ON COLUMN dpobj.charge_answers.place IS 'place of the key on its list';

CREATE OR REPLACE FUNCTION dpobj_internal.charge_state(charge bigint) RETURNS text
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_charge_state';
COMMENT ON FUNCTION dpobj_internal.charge_state(bigint) IS
  'running: a session holds the release; writing: its end waits to be written; null: neither';

-- The state is asked for first: an end that is written meanwhile is then in the view.
CREATE OR REPLACE FUNCTION dpobj.answer(charge bigint)
  RETURNS TABLE (state text, reason text, name text, key text[], model @extschema@.dp_model, answer jsonb)
  LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
  AS $body$
#variable_conflict use_column
DECLARE
  now constant text := dpobj_internal.charge_state(charge);
BEGIN
  RETURN QUERY
  SELECT coalesce(c.state, now, 'unknown'), c.reason, c.name, c.key, c.model, c.answer
    FROM dpobj.charge_answers c WHERE c.charge = answer.charge ORDER BY c.place;
  IF NOT FOUND THEN
    RAISE undefined_object USING MESSAGE = format('charge %s does not exist', charge),
      DETAIL = 'Each role has its own charges.';
  END IF;
END
$body$;
COMMENT ON FUNCTION dpobj.answer(bigint) IS
  'what a charge of one''s own has come to: running, writing, released with the model or answer, failed with the reason, or unknown after a stop of the server; free';
