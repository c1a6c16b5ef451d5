-- Null is unknown: no response said it. An empty list is known to be empty.

ALTER TABLE strandline.posts
  ALTER COLUMN hashtags DROP NOT NULL,
  ALTER COLUMN mentions DROP NOT NULL,
  ALTER COLUMN urls DROP NOT NULL,
  ALTER COLUMN media DROP NOT NULL,
  ALTER COLUMN entities DROP NOT NULL;
