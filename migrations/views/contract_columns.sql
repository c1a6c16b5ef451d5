CREATE OR REPLACE VIEW strandline_analytics.contract_columns AS
  select c.relname::text as view, a.attnum::integer as position, a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
    col_description(c.oid, a.attnum) as meaning, obj_description(c.oid, 'pg_class') as view_meaning
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'strandline_analytics'::regnamespace and c.relkind = 'v';

COMMENT ON VIEW strandline_analytics.contract_columns IS 'Every column of every view of this contract, with its meaning.';
COMMENT ON COLUMN strandline_analytics.contract_columns.view IS 'Name of the view.';
COMMENT ON COLUMN strandline_analytics.contract_columns.position IS 'Position of the column in the view, from 1.';
COMMENT ON COLUMN strandline_analytics.contract_columns.name IS 'Name of the column.';
COMMENT ON COLUMN strandline_analytics.contract_columns.type IS 'Postgres type of the column.';
COMMENT ON COLUMN strandline_analytics.contract_columns.meaning IS 'Content and unit, and what a missing value means where there may be none.';
COMMENT ON COLUMN strandline_analytics.contract_columns.view_meaning IS 'What one row of the view is.';
