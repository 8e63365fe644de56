-- dpobj: from version 0.1.0 to 0.2.0, put together from src/sql/upgrade and the files of
-- src/sql that 0.1.0 did not have
\echo Use "ALTER EXTENSION dpobj UPDATE TO '0.2.0'" to load this file. \quit

