\set ECHO none
-- What the files of sql share, which begin with \i tests/answers.sql: psql runs at the top of the tree.

-- An answer is its rows. Where the names of columns are the point, a statement ends in \g (tuples_only=off).
\pset format unaligned
\pset footer off
\pset tuples_only on

-- What a statement answers, or its error: SQLSTATE, message, detail and hint.
CREATE OR REPLACE FUNCTION answer_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text; detail text; hint text;
BEGIN
  EXECUTE statement INTO answer;
  RETURN answer;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN concat_ws(E'\n', SQLSTATE || ': ' || SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;

-- The answers to a statement with each of the items in place of its %.
CREATE OR REPLACE FUNCTION answers(statement text, VARIADIC items text[]) RETURNS TABLE (item text, answer text) LANGUAGE sql AS $$
  SELECT item, replace(answer_of(replace(statement, '%', item)), E'\n', ' | ') FROM unnest(items) item
$$;

-- Roles that may log in, whose releases wait for no tick, and who see no notice unless a test asks for them.
CREATE OR REPLACE PROCEDURE login_roles(VARIADIC names text[]) LANGUAGE plpgsql AS $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY names LOOP
    EXECUTE format('CREATE ROLE %1$I LOGIN; ALTER ROLE %1$I SET dpobj.release_tick = 0; ALTER ROLE %1$I SET client_min_messages = warning', name);
  END LOOP;
END $$;
\set ECHO all
