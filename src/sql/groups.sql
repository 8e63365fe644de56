-- Groups: a model for each key of a public list, in one release

CREATE TYPE @extschema@.dp_group AS (
  key text[],
  model @extschema@.dp_model
);
COMMENT ON TYPE @extschema@.dp_group IS 'a key of a public list and the model of the rows that have it';
COMMENT ON COLUMN @extschema@.dp_group.key IS 'the key: a text for each grouping column';
COMMENT ON COLUMN @extschema@.dp_group.model IS 'the model; epsilon and delta are those of the whole release';

CREATE FUNCTION dpobj.listed_keys(parameters jsonb, OUT place bigint, OUT key text[]) RETURNS SETOF record
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT k.place, ARRAY(SELECT p.part FROM jsonb_array_elements_text(k.key) WITH ORDINALITY p(part, number)
                          ORDER BY p.number)
    FROM jsonb_array_elements(parameters #> '{groups,keys}') WITH ORDINALITY k(key, place)
  $$;
COMMENT ON FUNCTION dpobj.listed_keys(jsonb) IS 'the keys among the parameters of a charge for groups';

CREATE VIEW dpobj.model_groups AS
SELECT m.release, pg_catalog.array_agg(ROW (m.key, m.model)::@extschema@.dp_group ORDER BY m.place) AS groups
  FROM dpobj.model_rows m
 WHERE m.model IS NOT NULL AND m.key IS NOT NULL
 GROUP BY m.release;
COMMENT ON VIEW dpobj.model_groups IS 'the models of releases that have one for each key';
COMMENT ON COLUMN dpobj.model_groups.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_groups.groups IS 'keys and models in the order of the list';

-- dp_groups(key, features, label, epsilon, delta, options): the state is one training set for each key,
-- which may be on disk, so that there is nothing to combine.
CREATE FUNCTION dpobj.groups_final(internal) RETURNS @extschema@.dp_group[]
  LANGUAGE C VOLATILE PARALLEL UNSAFE
  AS 'MODULE_PATHNAME', 'dpobj_groups_final';
COMMENT ON FUNCTION dpobj.groups_final(internal) IS 'charges, solves and releases: a model for each key';

DO $body$
DECLARE
  home constant text := '@extschema@';
  key text;
  label text;
  cost text;
  arguments text;
BEGIN
  FOREACH key IN ARRAY ARRAY['text', 'text[]'] LOOP
    FOREACH label IN ARRAY ARRAY['boolean', 'integer', 'bigint'] LOOP
      FOREACH cost IN ARRAY ARRAY['float8, float8', 'numeric, numeric', 'numeric, integer'] LOOP
        arguments := format('%s, float8[], %s, %s, jsonb', key, label, cost);
        EXECUTE format(
          $$CREATE FUNCTION dpobj.groups_accumulate(internal, %s) RETURNS internal
            LANGUAGE C IMMUTABLE PARALLEL SAFE
            AS 'MODULE_PATHNAME', 'dpobj_groups_accumulate'$$, arguments);
        EXECUTE format(
          $$COMMENT ON FUNCTION dpobj.groups_accumulate(internal, %s) IS
            'adds one row to the training set of its group'$$, arguments);
        EXECUTE format(
          $$CREATE AGGREGATE %s.dp_groups(%s) (
            SFUNC = dpobj.groups_accumulate,
            STYPE = internal,
            FINALFUNC = dpobj.groups_final,
            FINALFUNC_MODIFY = READ_WRITE,
            PARALLEL = SAFE)$$, home, arguments);
        EXECUTE format(
          $$COMMENT ON AGGREGATE %s.dp_groups(%s) IS
            'a private model for each key of a list: key, features, label, epsilon, delta, options with "keys"'$$,
          home, arguments);
      END LOOP;
    END LOOP;
  END LOOP;
END
$body$;
