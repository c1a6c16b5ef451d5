-- Which contract this is. `migrate` applies the files of this folder where this version is higher than the database's, so raise
-- it with every change of a view, also of one that leaves columns and comments as they were.
COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version 1.15';

CREATE OR REPLACE VIEW strandline_analytics.contract AS
  select v.major || '.' || v.minor as version, v.major, v.minor
  from (
    select split_part(d.version, '.', 1)::integer as major, split_part(d.version, '.', 2)::integer as minor
    from (select substring(obj_description('strandline_analytics'::regnamespace, 'pg_namespace') from '\d+\.\d+$') as version) d
  ) v;

COMMENT ON VIEW strandline_analytics.contract IS 'Version of this contract. One row.';
COMMENT ON COLUMN strandline_analytics.contract.version IS 'major.minor, as in 1.1; compare the two numbers and not the text.';
COMMENT ON COLUMN strandline_analytics.contract.major IS 'Number that rises when a column goes, or changes its name, place, type or meaning: queries must be looked through.';
COMMENT ON COLUMN strandline_analytics.contract.minor IS 'Number that rises when views or columns come, or say more precisely what they are: queries go on as they did.';
