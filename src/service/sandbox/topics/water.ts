/** Water: harbours, rivers and the coast. */
import type { Topic } from '../topic.ts';

export const harbourFestival: Topic = {
  slug: 'harbour-festival',
  name: 'Harbour festival',
  subject: 'the harbour festival',
  phrases: ['harbour festival', 'harbor festival'],
  postsPerDay: 2_600,
  documentsPerDay: 30,
  daily: { share: 0.2, topHour: 18 },
  languages: { en: 0.66, de: 0.14, nl: 0.12, es: 0.08 },
  hashtags: ['HarbourFestival', 'Quayside', 'TallShips', 'PortVellmar'],
  places: ['Pier 4', 'Fischgate quay', 'the old crane', 'Lantern Bridge', 'the ferry steps', 'North Mole'],
  who: ['the Saltwind Band', 'the pilots of Vellmar', 'the rope makers', 'Ida Thorsund', 'the lifeboat crew'],
  things: ['herring rolls', 'the lantern parade', 'the tug ballet', 'the tall ships', 'the night market'],
  sentences: {
    en: [
      'The queue for {thing} at {place} is about {n} minutes now.',
      '{who} just started playing at {place} and the whole quay is dancing.',
      'First time at {subject} and I did not expect {thing} to be this good.',
      'They moved {thing} to {place} because of the wind.',
      'Next show at {hour}:00, best seen from {place}.',
      'Lost a grey umbrella near {place}, somewhere between {thing} and the ferry.',
      'The organisers counted {n} thousand visitors at {subject} so far.',
      'Trams to {place} are full, walk along the water instead.',
      'Volunteers are looking for {n} more hands for {thing} this evening.',
      'Not a fan of the prices at {subject}, {n} crowns for a paper plate.',
      '{who} said this is the last year for {thing} at {place}.',
      'Rain over {place}, sunshine over {thing}. A normal day at {subject}.',
    ],
    de: [
      'Am Fischgate-Kai wartet man gerade {n} Minuten.',
      'Das Hafenfest ist dieses Jahr wirklich schön, vor allem am Wasser.',
      'Feuerwerk heute um {hour} Uhr, am besten von der Nordmole aus.',
      'Die Bahn zum Hafen ist voll, lieber zu Fuß gehen.',
    ],
    nl: [
      'Bij de oude kraan staat een rij van {n} minuten.',
      'Het havenfeest is dit jaar echt de moeite waard.',
      'Vuurwerk om {hour} uur, het mooist vanaf het water.',
    ],
    es: [
      'La cola en el muelle 4 es de unos {n} minutos.',
      'La fiesta del puerto está llena, pero merece la pena.',
      'Fuegos artificiales a las {hour}, se ven mejor desde el agua.',
    ],
  },
};

export const tidalPower: Topic = {
  slug: 'tidal-power',
  name: 'Tidal power',
  subject: 'tidal power',
  phrases: ['tidal power', 'tidal energy', 'tidal turbine'],
  postsPerDay: 120,
  documentsPerDay: 12,
  daily: { share: 0.4, topHour: 13 },
  languages: { en: 0.84, fr: 0.16 },
  hashtags: ['TidalPower', 'BlueEnergy'],
  places: ['the Skerry Sound', 'Lenn Bay', 'the Osk strait', 'the test site at Thorsund'],
  who: ['Kelp & Current Ltd', 'the harbour council', 'the fishing association', 'Ruan Ekstad'],
  things: ['the second turbine', 'the sea cable', 'the seabed survey', 'the feed-in tariff'],
  sentences: {
    en: [
      '{who} connects {thing} at {place} this week.',
      'One tide at {place} gave {n} megawatt hours, says {who}.',
      '{who} wants {thing} to be checked again before {subject} grows at {place}.',
      'Unlike wind, {subject} can be predicted {n} years ahead.',
      'Seals at {place} do not seem to mind {thing}.',
      'The bill for {thing} is {n} million crowns higher than planned.',
    ],
    fr: ['La deuxième hydrolienne tourne depuis {n} jours.', 'Le courant de la baie alimente {n} foyers.'],
  },
};

export const lighthouseRestoration: Topic = {
  slug: 'lighthouse-restoration',
  name: 'Lighthouse restoration',
  subject: 'the Osk lighthouse',
  phrases: ['lighthouse restoration', 'lighthouse'],
  postsPerDay: 3,
  documentsPerDay: 1,
  daily: { share: 0.3, topHour: 17 },
  languages: { en: 0.8, pt: 0.2 },
  hashtags: ['OskLight', 'Lighthouse'],
  places: ['the lamp room', 'Osk Point', 'the keeper’s garden'],
  who: ['the masons', 'the last keeper’s granddaughter', 'the friends of Osk Light'],
  things: ['the great lens', 'the iron stair', 'the fog horn', 'the north wall'],
  sentences: {
    en: [
      '{who} lifted {thing} into {place} today.',
      '{n} steps up, and {thing} is worth each of them.',
      '{subject} will shine again, {who} need {n} thousand crowns more.',
      'Found {n} old logbooks behind {thing} at {place}.',
    ],
    pt: ['O farol volta a brilhar, faltam {n} mil coroas.', 'Subi {n} degraus para ver a grande lente.'],
  },
};

export const ferryStrike: Topic = {
  slug: 'ferry-strike',
  name: 'Ferry strike',
  subject: 'the ferry strike',
  phrases: ['ferry strike', 'ferry walkout'],
  postsPerDay: 1_250,
  documentsPerDay: 18,
  daily: { share: 0.55, topHour: 7 },
  languages: { en: 0.62, nl: 0.22, de: 0.16 },
  hashtags: ['FerryStrike', 'Stranded'],
  places: ['the Lenn crossing', 'Osk Point', 'the ticket hall', 'berth 3'],
  who: ['the deckhands’ union', 'Blue Ensign Ferries', 'the island shopkeepers', 'Captain Marrow'],
  things: ['the night sailing', 'the relief boat', 'the wage offer', 'the timetable'],
  sentences: {
    en: [
      '{who} turned down {thing} after {n} minutes of talks.',
      'Day {n} of {subject} and {place} is still empty.',
      '{who} will speak at {place} at {hour}:00.',
      'Anyone driving from {place} to the bridge? {n} people here need a lift.',
      'Half of {thing} is cancelled until further notice, says {who}.',
      'I support {who}, but I would also like to get home.',
    ],
    nl: [
      'Al {n} uur geen veerboot, de rij staat tot aan het plein.',
      'De bond zegt nee tegen het nieuwe bod.',
    ],
    de: ['Seit {n} Stunden keine Fähre, die Insel wartet.', 'Die Gespräche gehen um {hour} Uhr weiter.'],
  },
};

export const reefNursery: Topic = {
  slug: 'reef-nursery',
  name: 'Reef nursery',
  subject: 'the Solau reef nursery',
  phrases: ['reef nursery', 'coral nursery'],
  postsPerDay: 20,
  documentsPerDay: 4,
  daily: { share: 0.3, topHour: 5 },
  languages: { en: 0.7, fr: 0.2, es: 0.1 },
  hashtags: ['ReefNursery', 'Coral'],
  places: ['Solau lagoon', 'frame 7', 'the shallow terrace'],
  who: ['the diving school', 'the reef keepers', 'Esme Aubry'],
  things: ['staghorn cuttings', 'a parrotfish', 'the rope ladder', 'the heat buoy'],
  sentences: {
    en: [
      '{who} planted {n} {thing} at {place} this morning.',
      'Water at {place} is {n} tenths of a degree above the mark, {who} are watching.',
      '{thing} at {place} survived the storm.',
      'Saw {thing} at {place} for the first time in {n} years.',
    ],
    fr: ['Les boutures tiennent depuis {n} jours.', 'L’eau est trop chaude de {n} dixièmes.'],
    es: ['Plantamos {n} fragmentos de coral hoy.', 'El vivero resistió la tormenta.'],
  },
};

export const riverOtters: Topic = {
  slug: 'river-otters',
  name: 'River otters',
  subject: 'the otters of the Vell',
  phrases: ['river otters', 'river otter'],
  postsPerDay: 9,
  documentsPerDay: 2,
  daily: { share: 0.3, topHour: 9 },
  languages: { en: 0.8, de: 0.2 },
  hashtags: ['Otters', 'RiverVell'],
  places: ['the mill weir', 'the reed bank', 'the footbridge'],
  who: ['the river wardens', 'a jogger', 'class 4b'],
  things: ['a mother with two cubs', 'fresh tracks', 'the old holt'],
  sentences: {
    en: [
      '{thing} at {place} this morning, {n} minutes of pure joy.',
      '{who} found {thing} near {place}.',
      'Please keep dogs away from {place}, {who} saw {thing}.',
      'Count so far this year: {n} of {subject}.',
    ],
    de: ['Heute früh {n} Minuten lang Otter beobachtet.', 'Frische Spuren am Wehr!'],
  },
};

export const dikeRepair: Topic = {
  slug: 'dike-repair',
  name: 'Dike repair',
  subject: 'the Nordmark dike',
  phrases: ['dike repair', 'nordmark dike'],
  postsPerDay: 38,
  documentsPerDay: 5,
  daily: { share: 0.4, topHour: 11 },
  languages: { nl: 0.45, en: 0.4, de: 0.15 },
  hashtags: ['NordmarkDike', 'HighWater'],
  places: ['sluice 2', 'kilometre 14', 'the pumping station'],
  who: ['the water board', 'the volunteers', 'dike warden Brandt'],
  things: ['the clay core', 'the sandbags', 'the new gate', 'the seep'],
  sentences: {
    en: [
      '{who} closed {thing} at {place}, water is {n} cm below the mark.',
      '{n} lorries of clay went to {place} tonight.',
      '{thing} at {place} holds, says {who}.',
      'Next high water at {hour}:00, keep away from {place}.',
    ],
    nl: [
      'Het water staat {n} cm onder de norm.',
      'De vrijwilligers werken door tot {hour} uur.',
      'Kilometer 14 blijft dicht.',
    ],
    de: ['Der Deich hält, das Wasser fällt um {n} Zentimeter.'],
  },
};
