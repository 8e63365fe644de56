-- Calls with the types that drivers send (argument_types.sql)

/*
 * Drivers send a number as double precision and options as json or text, which PostgreSQL does not
 * turn into numeric and jsonb by itself.  So what people call takes these types, and calls a function
 * of the same name in dpobj_internal, which takes numeric and jsonb and which nobody else may call.
 * A number means the decimal that it shows: 0.1 is 0.1.
 */
DO $body$
DECLARE
  made record;
BEGIN
  FOR made IN
    SELECT p.oid::regprocedure AS name, p.proname, p.provolatile, p.proparallel, p.proisstrict, p.prorows, p.proretset,
           pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
           pg_get_function_identity_arguments(p.oid) AS identity, obj_description(p.oid, 'pg_proc') AS comment,
           (SELECT string_agg(DISTINCT ', ' || a.grantee::regrole, '') FROM aclexplode(p.proacl) a
             WHERE a.grantee NOT IN (0, p.proowner)) AS others
      FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
     WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
       AND d.refobjid = (SELECT e.oid FROM pg_extension e WHERE e.extname = 'dpobj')
       AND p.pronamespace = 'dpobj'::regnamespace AND p.prokind = 'f'
       AND ARRAY['numeric', 'jsonb']::regtype[] && (p.proargtypes::oid[])::regtype[]
       AND 'anyelement'::regtype <> ALL (p.proargtypes)
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC%s', made.name, made.others);
    EXECUTE format('ALTER FUNCTION %s SET SCHEMA dpobj_internal', made.name);
    EXECUTE format('COMMENT ON FUNCTION %s IS %L', made.name, format('internal: dpobj.%s()', made.proname));
    EXECUTE format('CREATE FUNCTION dpobj.%I(%s) RETURNS %s LANGUAGE C %s %s PARALLEL %s %s AS ''MODULE_PATHNAME'', ''dpobj_public_form''',
      made.proname,
      regexp_replace(regexp_replace(made.arguments, E'(?<!::)\\mnumeric\\M', 'double precision', 'g'),
                     E'(?<!::)\\mjsonb\\M', 'dpobj.json_argument', 'g'),
      made.result,
      CASE made.provolatile WHEN 'i' THEN 'IMMUTABLE' WHEN 's' THEN 'STABLE' ELSE 'VOLATILE' END,
      CASE WHEN made.proisstrict THEN 'STRICT' ELSE '' END,
      CASE made.proparallel WHEN 's' THEN 'SAFE' WHEN 'r' THEN 'RESTRICTED' ELSE 'UNSAFE' END,
      CASE WHEN made.proretset THEN format('ROWS %s', made.prorows) ELSE '' END);
    EXECUTE format('COMMENT ON FUNCTION dpobj.%I(%s) IS %L', made.proname,
      regexp_replace(regexp_replace(made.identity, E'\\mnumeric\\M', 'double precision', 'g'), E'\\mjsonb\\M', 'dpobj.json_argument', 'g'),
      made.comment);
  END LOOP;
END
$body$;
