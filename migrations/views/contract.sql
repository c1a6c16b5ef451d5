-- `migrate` replaces `:simulated` by true in the database of the sandbox, and by false in any other.
--
-- `migrate` applies the files of this folder only if this version is higher than the database's. Raise it with every change of
-- a view, even one that leaves columns and comments unchanged.
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.70';

CREATE OR REPLACE VIEW strandline_analytics.contract AS
  select v.major || '.' || v.minor as version, v.major, v.minor
  from (
    select split_part(d.version, '.', 1)::integer as major, split_part(d.version, '.', 2)::integer as minor
    from (select substring(obj_description('strandline_analytics'::regnamespace, 'pg_namespace') from '\d+\.\d+$') as version) d
  ) v;

COMMENT ON VIEW strandline_analytics.contract IS 'Version of this contract. One row.';
COMMENT ON COLUMN strandline_analytics.contract.version IS 'major.minor, such as 1.1. Compare the two numbers, not the text.';
COMMENT ON COLUMN strandline_analytics.contract.major IS 'Number that increases when a column is removed or changes name, position, type or meaning: review your queries.';
COMMENT ON COLUMN strandline_analytics.contract.minor IS 'Number that increases when views or columns are added or documented more precisely: existing queries keep working.';
