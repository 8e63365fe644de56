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
        END LOOP;
      END LOOP;
    END LOOP;
  END LOOP;
END
$body$;
