-- Bands of a text are other numbers in each topic, so that a look-up by bands finds the texts of one topic.
UPDATE strandline.story_candidates SET bands = ARRAY(
  SELECT band # topic_id::integer FROM unnest(bands) WITH ORDINALITY b(band, n) ORDER BY n
) WHERE bands IS NOT NULL;
