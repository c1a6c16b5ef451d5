-- The database of the sandbox, where simulated data is. A copy of the other while that is still empty: with the same
-- functions that a reader may not call. It runs after docker/roles.sql, which creates the role.

CREATE DATABASE strandline_sandbox TEMPLATE strandline OWNER strandline_sandbox;
REVOKE ALL ON DATABASE strandline_sandbox FROM PUBLIC;
