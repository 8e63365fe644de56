-- dpobj: from version 0.2.0 to 0.3.0, put together from src/sql/upgrade and the files of
-- src/sql that are new or have changed since 0.2.0
\echo Use "ALTER EXTENSION dpobj UPDATE TO '0.3.0'" to load this file. \quit

-- As in schema.sql.
SET LOCAL search_path = pg_catalog, pg_temp;
