/** The town. */
import type { Topic } from '../topic.ts';

export const libraryNights: Topic = {
  slug: 'library-nights',
  name: 'Library nights',
  subject: 'the library nights',
  phrases: ['library nights', 'library night'],
  postsPerDay: 18,
  documentsPerDay: 3,
  daily: { share: 0.5, topHour: 20 },
  languages: { en: 0.5, fr: 0.25, ar: 0.25 },
  hashtags: ['LibraryNights'],
  places: ['the reading room', 'shelf 820', 'the roof terrace'],
  who: ['the librarians', 'a boy with a torch', 'the poet Lene Okoye'],
  things: ['the ghost story', 'the last chapter', 'hot chocolate'],
  sentences: {
    en: [
      '{who} read {thing} to {n} children at {place}.',
      '{place} is open until {hour}:00 tonight.',
      'Returned a book after {n} years, {who} laughed.',
    ],
    fr: ['La bibliothèque reste ouverte jusqu’à {hour} h.', '{n} enfants et un silence parfait.'],
    ar: ['المكتبة مفتوحة حتى الساعة {hour}.', 'قرأنا {n} صفحة معًا.'],
  },
};
