/** The arts. */
import type { Topic } from '../topic.ts';

export const filmWeek: Topic = {
  slug: 'film-week',
  name: 'Film week',
  subject: 'the Karstheim film week',
  phrases: ['film week', 'karstheim film'],
  postsPerDay: 140,
  documentsPerDay: 8,
  daily: { share: 0.5, topHour: 20 },
  languages: { en: 0.5, fr: 0.3, de: 0.2 },
  hashtags: ['FilmWeek', 'Premiere'],
  places: ['the Palace cinema', 'the open-air screen', 'the jury table'],
  who: ['director Mirel Aubry', 'the audience', 'the projectionist'],
  things: ['the silent comedy', 'the three-hour documentary', 'the closing film', 'a lost reel'],
  sentences: {
    en: [
      '{thing} got {n} minutes of applause at {place}.',
      '{who} walked out of {thing}. I stayed and I was right.',
      'Queue at {place} since {hour}:00 for {thing}.',
      '{who} found {thing} in an attic.',
      '{thing} is {n} minutes too long and I loved it.',
    ],
    fr: ['{n} minutes d’applaudissements, mérités.', 'Le jury a quitté la salle à {hour} h.'],
    de: ['{n} Minuten Applaus für den Stummfilm.'],
  },
};

export const museumTheft: Topic = {
  slug: 'museum-theft',
  name: 'Museum theft',
  subject: 'the theft at the Brandt museum',
  phrases: ['museum theft', 'brandt museum'],
  postsPerDay: 100,
  documentsPerDay: 7,
  daily: { share: 0.35, topHour: 12 },
  languages: { en: 0.55, fr: 0.25, nl: 0.2 },
  hashtags: ['BrandtMuseum', 'StolenArt'],
  places: ['room 6', 'the loading dock', 'the glass roof'],
  who: ['the police', 'the night guard', 'an anonymous caller'],
  things: ['the small blue landscape', 'the alarm log', 'the getaway bicycle', 'the empty frame'],
  sentences: {
    en: [
      '{who} found {thing} near {place}.',
      '{thing} was missing for {n} hours before anyone saw.',
      '{who} says {thing} is worth {n} million crowns.',
      'How do you carry {thing} out of {place} by bicycle?',
      'Press conference at {hour}:00 at {place}.',
    ],
    fr: ['Le tableau a disparu en {n} minutes.', 'La police parle à {hour} h.'],
    nl: ['Het schilderij is al {n} uur weg.', 'De politie zoekt een fiets.'],
  },
};

export const folkChoir: Topic = {
  slug: 'folk-choir',
  name: 'Folk choir',
  subject: 'the folk choir of Lenn',
  phrases: ['folk choir', 'choir festival'],
  postsPerDay: 24,
  documentsPerDay: 3,
  daily: { share: 0.4, topHour: 19 },
  languages: { en: 0.5, es: 0.25, ar: 0.25 },
  hashtags: ['FolkChoir', 'SingTogether'],
  places: ['the chapel', 'the market stage', 'rehearsal room 2'],
  who: ['the altos', 'conductor Amara Vela', 'the bus driver'],
  things: ['the old harbour song', 'a wrong entry', 'the encore'],
  sentences: {
    en: [
      '{who} began {thing} without the conductor, {place} joined in.',
      '{thing} at {place} at {hour}:00, free entry.',
      '{n} voices at {place}, goose bumps.',
    ],
    es: ['{n} voces en la plaza, piel de gallina.', 'Ensayo a las {hour}.'],
    ar: ['غنّت الجوقة {n} أغنية في الساحة.', 'الحفلة تبدأ الساعة {hour}.'],
  },
};

export const radioDrama: Topic = {
  slug: 'radio-drama',
  name: 'Radio drama',
  subject: 'the radio drama “Low Tide”',
  phrases: ['radio drama', 'low tide drama'],
  postsPerDay: 8,
  documentsPerDay: 2,
  daily: { share: 0.4, topHour: 21 },
  languages: { en: 0.8, de: 0.2 },
  hashtags: ['LowTideRadio'],
  places: ['studio 2', 'episode nine', 'the archive'],
  who: ['the sound maker', 'the narrator', 'Jonas Ekstad'],
  things: ['the creaking door', 'the last scene', 'a bowl of gravel'],
  sentences: {
    en: [
      '{who} made {thing} with {n} spoons.',
      '{thing} in {place} broke me.',
      '{place} goes out at {hour}:00, no spoilers.',
    ],
    de: ['Folge neun läuft um {hour} Uhr.', 'Die Geräusche sind großartig.'],
  },
};
