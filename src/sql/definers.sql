-- What callers may ask of tables that they may not read

/*
 * In 0.1.0 these were SECURITY DEFINER: who dropped the extension while such a function waited for
 * a lock could have had it read tables of his own making as a superuser. In C they hold the
 * extension first.
 */
CREATE OR REPLACE FUNCTION dpobj.relatives(id bigint) RETURNS bigint[]
  LANGUAGE c STABLE STRICT COST 100 SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_relatives';

CREATE OR REPLACE FUNCTION dpobj.verify(model @extschema@.dp_model) RETURNS boolean
  LANGUAGE c STABLE STRICT COST 100 SET search_path = pg_catalog, pg_temp
  AS 'MODULE_PATHNAME', 'dpobj_verify';
