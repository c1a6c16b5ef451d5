-- One query language for find, lists, pages, rules and the API. A word without quotes now matches its inflected forms, too, and
-- `author:`, `#` and OR have a meaning. Filters from before matched words exactly as written: in quotes they still do.
UPDATE strandline.rules r SET filter = coalesce((
  SELECT string_agg(t.term[1] || CASE WHEN starts_with(t.term[2], '"') THEN t.term[2] ELSE '"' || t.term[2] || '"' END, ' ' ORDER BY t.n)
  FROM regexp_matches(
    translate(r.filter,
      U&'\201C\201D\201E\00AB\00BB\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000\FEFF',
      '"""""' || repeat(' ', 19)),
    '(-?)("[^"]*"|[^\s"]+)', 'g') WITH ORDINALITY t(term, n)
), '')
WHERE r.filter <> '';

-- The words of an item as they are written, for phrases: of its texts, its author, its hashtags, its site.
ALTER TABLE strandline.archive_documents ADD COLUMN exact tsvector NOT NULL DEFAULT '';
CREATE INDEX archive_documents_exact ON strandline.archive_documents USING gin (exact);
-- Indexes everything again; until then, documents are found by inflected words only.
UPDATE strandline.archive_progress SET discovery_id = 0;

DROP TRIGGER archive_change ON strandline.posts;
CREATE TRIGGER archive_change AFTER UPDATE OF text, hashtags ON strandline.posts
  FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text OR OLD.hashtags IS DISTINCT FROM NEW.hashtags)
  EXECUTE FUNCTION strandline.archive_change('post');

CREATE FUNCTION strandline.archive_author_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO strandline.archive_changes (kind, thing) SELECT 'post', id FROM strandline.posts WHERE author_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER archive_change AFTER UPDATE OF username, name ON strandline.authors
  FOR EACH ROW WHEN ((OLD.username, OLD.name) IS DISTINCT FROM (NEW.username, NEW.name))
  EXECUTE FUNCTION strandline.archive_author_change();
