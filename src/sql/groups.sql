-- Groups: a model for each key of a public list, in one release

CREATE TYPE @extschema@.dp_group AS (
  key text[],
  model @extschema@.dp_model
);
COMMENT ON TYPE @extschema@.dp_group IS 'a key of a public list and the model of the rows that have it';
COMMENT ON COLUMN @extschema@.dp_group.key IS 'the key: a text for each grouping column';
COMMENT ON COLUMN @extschema@.dp_group.model IS 'the model; epsilon and delta are those of the whole release';

CREATE OR REPLACE FUNCTION dpobj_internal.listed_keys(parameters jsonb, OUT place bigint, OUT key text[]) RETURNS SETOF record
  LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
  AS $$
    SELECT k.place, ARRAY(SELECT p.part FROM jsonb_array_elements_text(k.key) WITH ORDINALITY p(part, number)
                          ORDER BY p.number)
    FROM jsonb_array_elements(parameters #> '{groups,keys}') WITH ORDINALITY k(key, place)
  $$;
COMMENT ON FUNCTION dpobj_internal.listed_keys(jsonb) IS 'the keys among the parameters of a charge for groups';

CREATE OR REPLACE VIEW dpobj.model_groups AS
SELECT m.release, pg_catalog.array_agg(ROW (m.key, m.model)::@extschema@.dp_group ORDER BY m.place) AS groups
  FROM dpobj.model_rows m
 WHERE m.model IS NOT NULL AND m.key IS NOT NULL
 GROUP BY m.release;
COMMENT ON VIEW dpobj.model_groups IS 'the models of releases that have one for each key';
COMMENT ON COLUMN dpobj.model_groups.release IS 'id of the charge in the ledger';
COMMENT ON COLUMN dpobj.model_groups.groups IS 'keys and models in the order of the list';
