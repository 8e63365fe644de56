-- Private evaluation and selection: the analyst's door, and what both doors return

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
