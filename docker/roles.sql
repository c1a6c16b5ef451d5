-- The roles of docker-compose.yml, made once, when its Postgres sets the database up. None of them is a superuser:
--
--   strandline_owner   owns the database and its schemas: `strandline migrate` alone
--   strandline_app     reads and writes rows: worker, api, service; `migrate` grants it the tables (DATABASE_APP_ROLE)
--   strandline_reader  reads the views; `migrate` makes it, with the password in DATABASE_READER_URL
--   strandline_sandbox owns the database of the sandbox (docker/sandbox.sql) and works in it; it reaches no other
--
-- Passwords come from the addresses that the program connects with, so they stand in one place.

CREATE FUNCTION pg_temp.password_in(secret text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  found text := substring(pg_read_file('/run/secrets/' || secret) FROM '^postgres(?:ql)?://[^:@/]+:([^:@/%]+)@');
BEGIN
  IF found IS NULL THEN
    RAISE EXCEPTION 'The secret % is not postgres://role:password@host:port/database, or its password has other characters than docker-compose.yml makes', secret;
  END IF;
  RETURN found;
END $$;

DO $$
DECLARE
  function regprocedure;
BEGIN
  -- It may make the reader's role, and set its bound of temporary files, which otherwise only a superuser may.
  EXECUTE format('CREATE ROLE strandline_owner LOGIN CREATEROLE PASSWORD %L', pg_temp.password_in('database_owner_url'));
  EXECUTE format('CREATE ROLE strandline_app LOGIN PASSWORD %L', pg_temp.password_in('database_url'));
  EXECUTE format('CREATE ROLE strandline_sandbox LOGIN CREATEROLE PASSWORD %L', pg_temp.password_in('sandbox_database_url'));
  GRANT SET ON PARAMETER temp_file_limit TO strandline_owner, strandline_sandbox;

  EXECUTE format('ALTER DATABASE %I OWNER TO strandline_owner', current_database());
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO strandline_app', current_database());
  REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC;
  -- Those who make roles meet there.
  GRANT CONNECT ON DATABASE postgres TO strandline_owner, strandline_sandbox;

  -- What Postgres lets everybody call and a reader has no need of: docs/reference/databases.md.
  FOR function IN SELECT p.oid::regprocedure FROM pg_proc p
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f'
      AND p.proname ~ '^(pg_(try_)?advisory_|lo_|loread$|lowrite$|pg_logical_emit_message$)'
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', function);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO strandline_owner, strandline_app, strandline_sandbox', function);
  END LOOP;
END $$;
