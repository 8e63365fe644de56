-- dpobj: the full script, put together from src/sql
\echo Use "CREATE EXTENSION dpobj" to load this file. \quit

/*
 * By default the server looks names up in the extension's schema, where other roles may have made an
 * operator or a function that fits better than pg_catalog's: the scripts would call it as a
 * superuser, or keep it in a view.  So the scripts look up nothing there, and name the schema
 * wherever they mean it.
 */
SET LOCAL search_path = pg_catalog, pg_temp;

-- As in upgrade/head.sql: a new installation finds none.
SET LOCAL dpobj_script.found = '[]';
SET LOCAL dpobj_script.privileges = '{}';

CREATE SCHEMA dpobj;
COMMENT ON SCHEMA dpobj IS 'ledger, administration and the analyst''s door of dpobj';

CREATE SCHEMA dpobj_internal;
COMMENT ON SCHEMA dpobj_internal IS 'what the extension''s own functions and views call';
