\set echo_before :ECHO
\set ECHO none
-- scan_digest() and scan_rows(), for superusers: what a scan of a protected table reads. psql runs at the top of the tree.
\set scan_module `bash tests/scan/module.sh`
CREATE OR REPLACE FUNCTION scan_digest(relation regclass, label text, features text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
  with_digest boolean DEFAULT true, person_key bytea DEFAULT NULL, OUT "rows" bigint, OUT neutral bigint, OUT distinct_rows bigint, OUT digest bytea)
  RETURNS record LANGUAGE C AS :'scan_module';
CREATE OR REPLACE FUNCTION scan_rows(relation regclass, label text, features text[] DEFAULT NULL, filter jsonb DEFAULT NULL,
  person_key bytea DEFAULT NULL, OUT x integer[], OUT positive bigint, OUT negative bigint)
  RETURNS SETOF record LANGUAGE C AS :'scan_module';
REVOKE ALL ON FUNCTION scan_digest, scan_rows FROM PUBLIC;
\set ECHO :echo_before
