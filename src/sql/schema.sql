-- dpobj: the full script, put together from src/sql
\echo Use "CREATE EXTENSION dpobj" to load this file. \quit

CREATE SCHEMA dpobj;
COMMENT ON SCHEMA dpobj IS 'ledger, administration and the analyst''s door of dpobj';
GRANT USAGE ON SCHEMA dpobj TO PUBLIC;
