CREATE OR REPLACE VIEW strandline_analytics.translations AS
  select t.kind, t.thing as item_id, t.language, t.text, t.model, t.translated_at
  from strandline.translations t
  where t.text is not null;

COMMENT ON VIEW strandline_analytics.translations IS 'Translations of texts by a language model (`LLM_BASE_URL`), for topics with a language. The original is in its own view.';
COMMENT ON COLUMN strandline_analytics.translations.kind IS 'What is translated: post (its text), title or snippet (of a link), or claim (a statement of an answer).';
COMMENT ON COLUMN strandline_analytics.translations.item_id IS 'Key of the post, link or claim.';
COMMENT ON COLUMN strandline_analytics.translations.language IS 'Language tag of the translation, such as en.';
COMMENT ON COLUMN strandline_analytics.translations.text IS 'The translation. Of an original of more than 1,000 characters, that of its beginning.';
COMMENT ON COLUMN strandline_analytics.translations.model IS 'The language model that translated it.';
COMMENT ON COLUMN strandline_analytics.translations.translated_at IS 'When it was translated (UTC).';
