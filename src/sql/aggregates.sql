-- The owner's door: aggregates and a window function, each with and without options

/*
 * A label is a boolean or an integer, which is checked before a row is looked at.  epsilon and
 * delta are the shortest decimals that read back as the same float8 (src/server/base/decimal.h).
 */
CREATE OR REPLACE FUNCTION dpobj_internal.counts_combine(bytea, bytea) RETURNS bytea
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_evaluation_combine';
COMMENT ON FUNCTION dpobj_internal.counts_combine(bytea, bytea) IS 'adds up two partial vectors of counts';

DO $body$
DECLARE
  home constant text := '@extschema@';
  rows constant text := 'features float8[], label anyelement, epsilon float8';
  looks constant text[] := ARRAY['epsilon float8', 'value float8, low float8, high float8, epsilon float8',
    'value float8, bins float8[], epsilon float8', 'value text, levels text[], epsilon float8',
    'value float8, quantiles float8[], low float8, high float8, epsilon float8'];
  made record;
BEGIN
  FOR made IN
    SELECT * FROM (VALUES
      ('train', home || '.dp_rows', home || '.dp_model', 'train', 'charges, solves and releases: a model'),
      ('groups', 'internal', home || '.dp_group[]', 'groups', 'charges, solves and releases: a model for each key'),
      ('accuracy', 'bytea', 'float8', 'accuracy', 'charges and releases: private accuracy of a model'),
      ('confusion', 'bytea', home || '.dp_confusion_table', 'confusion', 'charges and releases: private confusion table of a model'),
      ('class_confusion', 'bytea', 'bigint[]', 'class_confusion', 'charges and releases: private confusion table of a model of several classes'),
      ('select', 'bytea', 'integer', 'select', 'charges and releases: private choice among models'),
      ('look', 'bytea', home || '.dp_look', 'look', 'charges and releases: a private count or sum'),
      ('average', 'bytea', home || '.dp_average', 'look', 'charges and releases: a private average'),
      ('quantiles', 'bytea', home || '.dp_quantile[]', 'look', 'charges and releases: private quantiles'),
      ('histogram', 'bytea', home || '.dp_bin[]', 'look', 'charges and releases: a private histogram'))
      v(name, state, result, source, what)
  LOOP
    EXECUTE format(
      $$CREATE OR REPLACE FUNCTION dpobj_internal.%s_final(%s) RETURNS %s
        LANGUAGE C VOLATILE PARALLEL UNSAFE
        AS 'MODULE_PATHNAME', 'dpobj_%s_final'$$, made.name, made.state, made.result, made.source);
    EXECUTE format('COMMENT ON FUNCTION dpobj_internal.%s_final(%s) IS %L', made.name, made.state, made.what);
  END LOOP;

  FOR made IN
    SELECT * FROM (VALUES
      ('train', home || '.dp_rows', rows || ', delta float8', 'adds one row to a training set'),
      ('train', home || '.dp_rows', rows || ', delta float8, options jsonb', 'adds one row to a training set'),
      ('groups', 'internal', 'key text, ' || rows || ', delta float8, options jsonb', 'adds one row to the training set of its group'),
      ('groups', 'internal', 'key text[], ' || rows || ', delta float8, options jsonb', 'adds one row to the training set of its group'),
      ('evaluation', 'bytea', 'name text, ' || rows, 'counts one row by predictions and label'),
      ('evaluation', 'bytea', 'model ' || home || '.dp_model, ' || rows, 'counts one row by predictions and label'),
      ('evaluation', 'bytea', 'models ' || home || '.dp_model[], ' || rows, 'counts one row by predictions and label'))
      v(family, state, arguments, what)
     UNION ALL
    SELECT 'look', 'bytea', look || options, 'adds one row to a look'
      FROM unnest(looks) look, unnest(ARRAY['', ', options jsonb']) options
  LOOP
    EXECUTE format(
      $$CREATE OR REPLACE FUNCTION dpobj_internal.%1$s_accumulate(state %2$s, %3$s) RETURNS %2$s
        LANGUAGE C IMMUTABLE PARALLEL SAFE
        AS 'MODULE_PATHNAME', 'dpobj_%1$s_accumulate'$$, made.family, made.state, made.arguments);
    EXECUTE format('COMMENT ON FUNCTION dpobj_internal.%s_accumulate(state %s, %s) IS %L',
                   made.family, made.state, made.arguments, made.what);
  END LOOP;

  FOR made IN
    WITH trainers(name, label, what) AS (VALUES
      ('halfspace', 'label anyelement', 'private halfspace'),
      ('logistic', 'label anyelement', 'private logistic regression'),
      ('svm', 'label anyelement', 'private support vector machine'),
      ('classifier', 'label anyelement', 'private halfspace or logistic regression, chosen from public parameters'),
      ('softmax', 'label anyelement', 'private softmax regression: a class of those that options name as "classes"'),
      ('one_vs_rest', 'label anyelement', 'private halfspaces, one for each class of those that options name as "classes"'),
      ('simplex', 'target float8', 'private regression with weights on the simplex'),
      ('linear', 'target float8', 'private linear regression'))
    SELECT name, format('features float8[], %s, epsilon float8, delta float8%s', label, options) AS arguments,
           'train' AS family, home || '.dp_rows' AS state, 'train' AS final, 'rows_combine' AS combine, what
      FROM trainers, unnest(ARRAY['', ', options jsonb']) options
     WHERE name NOT IN ('softmax', 'one_vs_rest') OR options <> ''
     UNION ALL
    SELECT 'groups', format('%s, %s, delta float8, options jsonb', key, rows), 'groups', 'internal', 'groups', NULL,
           'a private model for each key of a list, which options name as "keys"'
      FROM unnest(ARRAY['key text', 'key text[]']) key
     UNION ALL
    SELECT name, format('%s, %s', subject, rows), 'evaluation', 'bytea', name, 'counts_combine', what
      FROM (VALUES
        ('accuracy', 'name text', 'private accuracy of a model; null: too much noise'),
        ('accuracy', 'model ' || home || '.dp_model', 'private accuracy of a model; null: too much noise'),
        ('confusion', 'name text', 'private confusion table of a model'),
        ('confusion', 'model ' || home || '.dp_model', 'private confusion table of a model'),
        ('class_confusion', 'name text', 'private confusion table of a model of several classes: a row for each predicted class, an element for each class of the label'),
        ('class_confusion', 'model ' || home || '.dp_model', 'private confusion table of a model of several classes: a row for each predicted class, an element for each class of the label'),
        ('select', 'models ' || home || '.dp_model[]', 'private choice of a good one among models: its number, from 1'))
        v(name, subject, what)
     UNION ALL
    SELECT name, looks[place] || options, 'look', 'bytea', final, 'counts_combine', what
      FROM (VALUES
        ('count', 1, 'look', 'private number of rows'),
        ('sum', 2, 'look', 'private sum of values, clipped to public bounds'),
        ('avg', 2, 'average', 'private average of values, clipped to public bounds'),
        ('histogram', 3, 'histogram', 'private number of rows in each bin'),
        ('histogram', 4, 'histogram', 'private number of rows with each level'),
        ('quantiles', 5, 'quantiles', 'private quantiles of values, clipped to public bounds'))
        v(name, place, final, what), unnest(ARRAY['', ', options jsonb']) options
  LOOP
    EXECUTE format(
      $$CREATE OR REPLACE AGGREGATE %s.dp_%s(%s) (
        SFUNC = dpobj_internal.%s_accumulate,
        STYPE = %s,
        %s
        FINALFUNC = dpobj_internal.%s_final,
        FINALFUNC_MODIFY = READ_WRITE,
        PARALLEL = SAFE)$$, home, made.name, made.arguments, made.family, made.state,
      'COMBINEFUNC = dpobj_internal.' || made.combine || ',', made.final);
    EXECUTE format('COMMENT ON AGGREGATE %s.dp_%s(%s) IS %L', home, made.name, made.arguments, made.what);
  END LOOP;
END
$body$;

CREATE OR REPLACE FUNCTION @extschema@.dp_ftrl(costs float8[], epsilon float8, delta float8) RETURNS integer
  LANGUAGE C WINDOW VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_ftrl';
COMMENT ON FUNCTION @extschema@.dp_ftrl(float8[], float8, float8) IS
  'private online learning, a choice for each row';

CREATE OR REPLACE FUNCTION @extschema@.dp_ftrl(costs float8[], epsilon float8, delta float8, options jsonb) RETURNS integer
  LANGUAGE C WINDOW VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_ftrl';
COMMENT ON FUNCTION @extschema@.dp_ftrl(float8[], float8, float8, jsonb) IS
  'private online learning, a choice for each row';
