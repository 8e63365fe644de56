-- The state of the training aggregates

CREATE TYPE @extschema@.dp_rows;

CREATE OR REPLACE FUNCTION dpobj_internal.rows_in(cstring) RETURNS @extschema@.dp_rows
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_in';
COMMENT ON FUNCTION dpobj_internal.rows_in(cstring) IS 'refuses: a dp_rows has no text form';

CREATE OR REPLACE FUNCTION dpobj_internal.rows_out(@extschema@.dp_rows) RETURNS cstring
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_out';
COMMENT ON FUNCTION dpobj_internal.rows_out(@extschema@.dp_rows) IS 'refuses: showing a dp_rows would show rows';

CREATE TYPE @extschema@.dp_rows (
  INPUT = dpobj_internal.rows_in,
  OUTPUT = dpobj_internal.rows_out,
  INTERNALLENGTH = VARIABLE,
  ALIGNMENT = double,
  STORAGE = extended
);
COMMENT ON TYPE @extschema@.dp_rows IS 'state of the training aggregates; not for use in queries';

CREATE OR REPLACE FUNCTION dpobj_internal.rows_combine(@extschema@.dp_rows, @extschema@.dp_rows) RETURNS @extschema@.dp_rows
  LANGUAGE C IMMUTABLE PARALLEL SAFE
  AS 'MODULE_PATHNAME', 'dpobj_rows_combine';
COMMENT ON FUNCTION dpobj_internal.rows_combine(@extschema@.dp_rows, @extschema@.dp_rows) IS 'adds up two partial training sets';
