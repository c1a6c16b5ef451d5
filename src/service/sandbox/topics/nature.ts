/** Animals and plants. */
import type { Topic } from '../topic.ts';

export const seedBank: Topic = {
  slug: 'seed-bank',
  name: 'Seed bank',
  subject: 'the Karst seed bank',
  phrases: ['seed bank', 'seed vault'],
  postsPerDay: 14,
  documentsPerDay: 3,
  daily: { share: 0.3, topHour: 12 },
  languages: { en: 0.85, ar: 0.15 },
  hashtags: ['SeedBank', 'Biodiversity'],
  places: ['the Karst tunnel', 'the drying room', 'the village of Lenn'],
  who: ['the curators', 'a farmer from Lenn', 'the botany students'],
  things: ['wild barley', 'the red lentil', 'a forgotten pea', 'the cold chamber'],
  sentences: {
    en: [
      '{who} brought {n} jars of {thing} to {place}.',
      '{thing} from {place} germinated after {n} years.',
      'A power cut at {place} lasted {n} minutes, {thing} is safe.',
      'Visiting {subject} with {who} was the quietest hour of the year.',
    ],
    ar: ['وصلت {n} عينة جديدة إلى بنك البذور.', 'نبتت البذور بعد {n} سنة.'],
  },
};

export const cityBees: Topic = {
  slug: 'city-bees',
  name: 'City bees',
  subject: 'city bees',
  phrases: ['city bees', 'urban beekeeping', 'beekeeping'],
  postsPerDay: 190,
  documentsPerDay: 7,
  daily: { share: 0.5, topHour: 14 },
  languages: { en: 0.6, de: 0.25, fr: 0.15 },
  hashtags: ['CityBees', 'Beekeeping'],
  places: ['the opera roof', 'hive 6', 'the botanical garden'],
  who: ['the swarm catchers', 'Pelle the beekeeper', 'the allotment club'],
  things: ['a swarm', 'the varroa count', 'lime honey', 'a new queen'],
  sentences: {
    en: [
      '{who} took {thing} down from {place} in {n} minutes.',
      '{thing} at {place}: {n}, better than feared.',
      'Please call {who}, not the fire brigade, says {place}.',
      'Lost {n} colonies at {place} this winter.',
      '{thing} from {place} sold out by {hour}:00.',
    ],
    de: ['Ein Schwarm am Opernhaus, der Imker war in {n} Minuten da.', 'Milbenzahl: {n}.'],
    fr: ['Un essaim sur le toit de l’opéra.', 'Récolte de {n} kilos cette année.'],
  },
};

export const wolfReturn: Topic = {
  slug: 'wolf-return',
  name: 'Wolf return',
  subject: 'the wolves of Karst',
  phrases: ['wolf return', 'wolf pack'],
  postsPerDay: 220,
  documentsPerDay: 8,
  daily: { share: 0.4, topHour: 19 },
  languages: { en: 0.45, de: 0.35, es: 0.2 },
  hashtags: ['WolfReturn', 'KarstPack'],
  places: ['the high pasture', 'the border forest', 'the camera trap'],
  who: ['the shepherds', 'the park rangers', 'the hunters’ club'],
  things: ['the young male', 'a torn fence', 'the livestock dog', 'the howl'],
  sentences: {
    en: [
      '{who} counted {n} pups at {place}.',
      '{thing} near {place}, {who} ask for fences.',
      '{who} and {who} shout past each other about {subject} again.',
      'Heard {thing} from {place} at {hour}:00, did not sleep.',
      '{n} sheep safe thanks to {thing}.',
    ],
    de: ['Die Kamera zeigt {n} Welpen.', 'Der Zaun hielt, die Herde ist vollzählig.'],
    es: ['Las cámaras muestran {n} lobeznos.', 'Los pastores piden más perros.'],
  },
};

export const storkNest: Topic = {
  slug: 'stork-nest',
  name: 'Stork nest',
  subject: 'the stork nest of Lenn',
  phrases: ['stork nest', 'stork camera'],
  postsPerDay: 17,
  documentsPerDay: 2,
  daily: { share: 0.5, topHour: 9 },
  languages: { en: 0.6, de: 0.4 },
  hashtags: ['StorkCam'],
  places: ['the chimney', 'the wet meadow', 'the camera'],
  who: ['the bell ringer', 'the ringing team', 'grandfather Osk'],
  things: ['the third egg', 'a frog', 'the late male'],
  sentences: {
    en: [
      '{thing} arrived at {place} at {hour}:00!',
      '{who} put rings on {n} legs today.',
      '{thing} fell, {who} climbed up, all is well.',
      'Day {n} at {place} without {thing}.',
    ],
    de: ['Das dritte Ei ist da!', 'Seit {n} Stunden Regen, sie bleibt sitzen.'],
  },
};

export const peatBog: Topic = {
  slug: 'peat-bog',
  name: 'Peat bog',
  subject: 'the Grauen peat bog',
  phrases: ['peat bog', 'bog rewetting'],
  postsPerDay: 5,
  documentsPerDay: 1,
  daily: { share: 0.3, topHour: 11 },
  languages: { en: 0.7, de: 0.3 },
  hashtags: ['PeatBog'],
  places: ['ditch 4', 'the boardwalk', 'the east cut'],
  who: ['the bog wardens', 'a retired surveyor'],
  things: ['the wooden dam', 'sundew', 'the water level'],
  sentences: {
    en: [
      '{who} closed {place} with {thing}.',
      '{thing} at {place} rose by {n} cm.',
      'Found {thing} at {place}, first time in {n} years.',
    ],
    de: ['Der Wasserstand stieg um {n} Zentimeter.', 'Sonnentau am Bohlenweg.'],
  },
};

export const owlCensus: Topic = {
  slug: 'owl-census',
  name: 'Owl census',
  subject: 'the owl census',
  phrases: ['owl census', 'owl count'],
  postsPerDay: 4,
  documentsPerDay: 1,
  daily: { share: 0.4, topHour: 21 },
  languages: { en: 1 },
  hashtags: ['OwlCensus'],
  places: ['the barn at Marrow', 'the quarry', 'square 17'],
  who: ['the night counters', 'the ringing office'],
  things: ['an eagle owl', 'a pellet', 'the recorder'],
  sentences: {
    en: [
      '{who} heard {thing} at {place} at {hour}:00.',
      '{n} pairs in {place}, a good year.',
      '{thing} from {place} held {n} tiny bones.',
    ],
  },
};
