-- Types of arguments; version 0.4.0 has them new, so its update runs this file, too

-- For arguments.sql.
CREATE TYPE dpobj.json_argument;
CREATE OR REPLACE FUNCTION dpobj_internal.json_argument_in(cstring) RETURNS dpobj.json_argument
  LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'jsonb_in';
CREATE OR REPLACE FUNCTION dpobj_internal.json_argument_out(dpobj.json_argument) RETURNS cstring
  LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'jsonb_out';
CREATE OR REPLACE FUNCTION dpobj_internal.json_argument_recv(internal) RETURNS dpobj.json_argument
  LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'jsonb_recv';
CREATE OR REPLACE FUNCTION dpobj_internal.json_argument_send(dpobj.json_argument) RETURNS bytea
  LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'jsonb_send';
CREATE TYPE dpobj.json_argument (INPUT = dpobj_internal.json_argument_in, OUTPUT = dpobj_internal.json_argument_out,
    RECEIVE = dpobj_internal.json_argument_recv, SEND = dpobj_internal.json_argument_send, LIKE = jsonb);
COMMENT ON TYPE dpobj.json_argument IS 'an argument that may be jsonb, json or text';
COMMENT ON FUNCTION dpobj_internal.json_argument_in(cstring) IS 'internal: input of dpobj.json_argument';
COMMENT ON FUNCTION dpobj_internal.json_argument_out(dpobj.json_argument) IS 'internal: output of dpobj.json_argument';
COMMENT ON FUNCTION dpobj_internal.json_argument_recv(internal) IS 'internal: binary input of dpobj.json_argument';
COMMENT ON FUNCTION dpobj_internal.json_argument_send(dpobj.json_argument) IS 'internal: binary output of dpobj.json_argument';
CREATE CAST (jsonb AS dpobj.json_argument) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (json AS dpobj.json_argument) WITH INOUT AS IMPLICIT;
CREATE CAST (text AS dpobj.json_argument) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS dpobj.json_argument) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (jsonb AS dpobj.json_argument) IS 'for arguments of dpobj''s functions';
COMMENT ON CAST (json AS dpobj.json_argument) IS 'for arguments of dpobj''s functions';
COMMENT ON CAST (text AS dpobj.json_argument) IS 'for arguments of dpobj''s functions';
COMMENT ON CAST (varchar AS dpobj.json_argument) IS 'for arguments of dpobj''s functions';

/*
 * What people call with a model takes the model, or the name of one of the current role or of one that
 * is shared with it.  A name is kept as a text, and a model as a row of dp_model, which is one that is
 * cast: a text is never read as a row.
 */
CREATE TYPE dpobj.model_argument;
CREATE OR REPLACE FUNCTION dpobj_internal.model_argument_in(cstring) RETURNS dpobj.model_argument
  LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textin';
CREATE OR REPLACE FUNCTION dpobj_internal.model_argument_out(dpobj.model_argument) RETURNS cstring
  LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpobj_model_argument_out';
CREATE OR REPLACE FUNCTION dpobj_internal.model_argument_recv(internal) RETURNS dpobj.model_argument
  LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'textrecv';
CREATE TYPE dpobj.model_argument (INPUT = dpobj_internal.model_argument_in, OUTPUT = dpobj_internal.model_argument_out,
    RECEIVE = dpobj_internal.model_argument_recv, LIKE = text);
CREATE OR REPLACE FUNCTION dpobj_internal.model_argument(model @extschema@.dp_model) RETURNS dpobj.model_argument
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'dpobj_model_argument';
COMMENT ON TYPE dpobj.model_argument IS 'an argument that may be a dp_model or the name of a model';
COMMENT ON FUNCTION dpobj_internal.model_argument_in(cstring) IS 'internal: input of dpobj.model_argument, a name';
COMMENT ON FUNCTION dpobj_internal.model_argument_out(dpobj.model_argument) IS 'internal: output of dpobj.model_argument';
COMMENT ON FUNCTION dpobj_internal.model_argument_recv(internal) IS 'internal: binary input of dpobj.model_argument, a name';
COMMENT ON FUNCTION dpobj_internal.model_argument(@extschema@.dp_model) IS 'internal: a dp_model as dpobj.model_argument; behind the cast';
CREATE CAST (@extschema@.dp_model AS dpobj.model_argument) WITH FUNCTION dpobj_internal.model_argument(@extschema@.dp_model) AS IMPLICIT;
CREATE CAST (text AS dpobj.model_argument) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (varchar AS dpobj.model_argument) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (name AS dpobj.model_argument) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (@extschema@.dp_model AS dpobj.model_argument) IS 'for arguments of dpobj''s functions';
COMMENT ON CAST (text AS dpobj.model_argument) IS 'for arguments of dpobj''s functions';
COMMENT ON CAST (varchar AS dpobj.model_argument) IS 'for arguments of dpobj''s functions';
COMMENT ON CAST (name AS dpobj.model_argument) IS 'for arguments of dpobj''s functions';
