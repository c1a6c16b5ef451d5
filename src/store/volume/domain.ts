/** The domain of an address, as figures, filters and the reason of a spike name it. */

/** The domain of the URL in a column `a`, without `www.`; null if it is not a web address. */
export const DOMAIN_BY_PATTERN = String.raw`lower(substring(a FROM '^https?://(?:[^/?#@]*@)?(?:www\.)?([^/?#:]+)'))`;
/** The same for most addresses, whose third part is a bare host, at a tenth of the cost of the regular expression. */
export const DOMAIN_SQL = `CASE WHEN translate(split_part(a, '/', 3), '?#@:', '') = split_part(a, '/', 3) AND (starts_with(a, 'https://') OR starts_with(a, 'http://'))
  THEN lower(CASE WHEN starts_with(a, 'http://www.') OR starts_with(a, 'https://www.') THEN coalesce(nullif(substr(split_part(a, '/', 3), 5), ''), 'www.')
    ELSE nullif(split_part(a, '/', 3), '') END)
  ELSE ${DOMAIN_BY_PATTERN} END`;
