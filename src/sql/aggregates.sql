-- The owner's door: aggregates

CREATE TYPE @extschema@.dp_rows;

CREATE FUNCTION dpobj.rows_in(cstring) RETURNS @extschema@.dp_rows
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_in';
COMMENT ON FUNCTION dpobj.rows_in(cstring) IS 'refuses: a dp_rows has no text form';

CREATE FUNCTION dpobj.rows_out(@extschema@.dp_rows) RETURNS cstring
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_out';
COMMENT ON FUNCTION dpobj.rows_out(@extschema@.dp_rows) IS 'refuses: showing a dp_rows would show rows';

CREATE TYPE @extschema@.dp_rows (
  INPUT = dpobj.rows_in,
  OUTPUT = dpobj.rows_out,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = double,
  STORAGE = extended
);
COMMENT ON TYPE @extschema@.dp_rows IS 'state of the training aggregates; not for use in queries';

CREATE FUNCTION dpobj.rows_combine(@extschema@.dp_rows, @extschema@.dp_rows) RETURNS @extschema@.dp_rows
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_combine';
COMMENT ON FUNCTION dpobj.rows_combine(@extschema@.dp_rows, @extschema@.dp_rows) IS 'adds up two partial training sets';

-- dp_halfspace, dp_logistic, dp_svm, dp_classifier (features, label, epsilon, delta [, options])
-- and dp_simplex, which has a target: one aggregate for each type of label and each way to write
-- epsilon and delta.
DO $body$
DECLARE
  home constant text := '@extschema@';
  method text;
  what text;
  labels text[];
  label text;
  cost text;
  options text;
  arguments text;
  combine text;
BEGIN
  FOR method, what, labels IN VALUES
    ('halfspace', 'private halfspace', ARRAY['boolean', 'integer', 'bigint']),
    ('logistic', 'private logistic regression', ARRAY['boolean', 'integer', 'bigint']),
    ('svm', 'private support vector machine', ARRAY['boolean', 'integer', 'bigint']),
    ('classifier', 'private halfspace or logistic regression, chosen from public parameters',
     ARRAY['boolean', 'integer', 'bigint']),
    ('simplex', 'private regression with weights on the simplex', ARRAY['float8'])
  LOOP
    -- The other states may be on disk, where no other process can combine them.
    combine := CASE WHEN method = 'halfspace' THEN 'COMBINEFUNC = dpobj.rows_combine,' ELSE '' END;
    EXECUTE format(
      $$CREATE FUNCTION dpobj.%1$s_final(%2$s.dp_rows) RETURNS %2$s.dp_model
        LANGUAGE C VOLATILE PARALLEL UNSAFE
        AS 'MODULE_PATHNAME', 'dpobj_%1$s_final'$$, method, home);
    EXECUTE format(
      $$COMMENT ON FUNCTION dpobj.%s_final(%s.dp_rows) IS 'charges, solves and releases: %s'$$, method, home, what);
    FOREACH label IN ARRAY labels LOOP
      FOREACH cost IN ARRAY ARRAY['float8, float8', 'numeric, numeric', 'numeric, integer'] LOOP
        FOREACH options IN ARRAY ARRAY['', ', jsonb'] LOOP
          arguments := format('float8[], %s, %s%s', label, cost, options);
          EXECUTE format(
            $$CREATE FUNCTION dpobj.%1$s_accumulate(%3$s.dp_rows, %2$s) RETURNS %3$s.dp_rows
              LANGUAGE C IMMUTABLE PARALLEL SAFE
              AS 'MODULE_PATHNAME', 'dpobj_%1$s_accumulate'$$, method, arguments, home);
          EXECUTE format(
            $$COMMENT ON FUNCTION dpobj.%s_accumulate(%s.dp_rows, %s) IS
              'adds one row to a training set'$$, method, home, arguments);
          EXECUTE format(
            $$CREATE AGGREGATE %4$s.dp_%1$s(%2$s) (
              SFUNC = dpobj.%1$s_accumulate,
              STYPE = %4$s.dp_rows,
              %3$s
              FINALFUNC = dpobj.%1$s_final,
              FINALFUNC_MODIFY = READ_WRITE,
              PARALLEL = SAFE)$$, method, arguments, combine, home);
          EXECUTE format(
            $$COMMENT ON AGGREGATE %s.dp_%s(%s) IS
              '%s: features, %s, epsilon, delta, options'$$, home, method, arguments, what,
            CASE label WHEN 'float8' THEN 'target' ELSE 'label' END);
        END LOOP;
      END LOOP;
    END LOOP;
  END LOOP;
END
$body$;
