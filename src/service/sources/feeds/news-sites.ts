/**
 * The starting list: feeds of news sites by language (ISO 639-1), each published by the site for readers of feeds. It is
 * data to edit: FEEDS selects languages, leaves out hosts and adds feeds. A site that retires its feed is reported like
 * any other.
 */
export const NEWS_SITES = {
  ar: ['https://feeds.bbci.co.uk/arabic/rss.xml', 'https://www.france24.com/ar/rss'],
  de: [
    'https://www.tagesschau.de/index~rss2.xml',
    'https://rss.dw.com/rdf/rss-de-all',
    'https://newsfeed.zeit.de/index',
    'https://www.spiegel.de/schlagzeilen/index.rss',
    'https://www.heise.de/rss/heise-atom.xml',
  ],
  en: [
    'https://feeds.bbci.co.uk/news/world/rss.xml',
    'https://www.theguardian.com/world/rss',
    'https://www.aljazeera.com/xml/rss/all.xml',
    'https://rss.dw.com/rdf/rss-en-all',
    'https://feeds.npr.org/1001/rss.xml',
    'https://www.france24.com/en/rss',
  ],
  es: [
    'https://feeds.bbci.co.uk/mundo/rss.xml',
    'https://feeds.elpais.com/mrss-s/pages/ep/site/elpais.com/portada',
    'https://www.france24.com/es/rss',
  ],
  fr: ['https://www.lemonde.fr/rss/une.xml', 'https://www.france24.com/fr/rss', 'https://www.rfi.fr/fr/rss'],
  it: ['https://www.ansa.it/sito/ansait_rss.xml'],
  nl: ['https://feeds.nos.nl/nosnieuwsalgemeen'],
  pt: ['https://feeds.bbci.co.uk/portuguese/rss.xml', 'https://g1.globo.com/rss/g1/'],
  ru: ['https://feeds.bbci.co.uk/russian/rss.xml', 'https://meduza.io/rss/all'],
  uk: ['https://feeds.bbci.co.uk/ukrainian/rss.xml'],
  zh: ['https://feeds.bbci.co.uk/zhongwen/simp/rss.xml'],
} as const satisfies Record<string, readonly string[]>;
