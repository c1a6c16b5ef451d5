/** The sky: space and weather. */
import type { Topic } from '../topic.ts';

export const lunarLander: Topic = {
  slug: 'lunar-lander',
  name: 'Lunar lander',
  subject: 'the Heron lunar lander',
  phrases: ['lunar lander', 'moon landing', 'heron lander'],
  postsPerDay: 3_000,
  documentsPerDay: 40,
  daily: { share: 0.35, topHour: 16 },
  languages: { en: 0.62, ja: 0.16, es: 0.12, fr: 0.1 },
  hashtags: ['HeronLander', 'MoonShot', 'Regolith'],
  places: ['the southern ridge', 'Crater Osk', 'mission control', 'the Vell tracking station'],
  who: ['the flight director', 'Amara Lindqvist', 'the navigation team', 'the Osk agency'],
  things: ['the descent engine', 'the hazard camera', 'the landing leg', 'the star tracker', 'the drill'],
  sentences: {
    en: [
      'Telemetry from {thing} is back after {n} minutes of silence.',
      '{who} confirmed that {subject} is {n} km above {place}.',
      'Watching the stream from {place}, nobody here is breathing.',
      'If {thing} holds, the landing is at {hour}:00.',
      'Somebody explain to me why {thing} is the size of a lunch box.',
      '{who} called off the burn, next try in {n} hours.',
      'The first picture from {place} is mostly dust and I love it.',
      'Every mission has a hero, this one has {thing}.',
      'They plan {n} days of work at {place} before the night comes.',
      'I do not think {subject} will survive the cold at {place}.',
    ],
    ja: ['着陸まであと{n}分。', '月面からの最初の写真が届いた。', '{n}分間の通信途絶のあと、信号が戻った。'],
    es: [
      'La señal volvió después de {n} minutos de silencio.',
      'El aterrizaje lunar está previsto para las {hour}.',
      'La primera foto desde la Luna es puro polvo y me encanta.',
    ],
    fr: [
      'Le signal est revenu après {n} minutes de silence.',
      'Alunissage prévu à {hour} h, tout le monde retient son souffle.',
      'La première image de la Lune est floue et magnifique.',
    ],
  },
};

export const cometTove: Topic = {
  slug: 'comet-tove',
  name: 'Comet Tove',
  subject: 'comet Tove',
  phrases: ['comet tove', 'comet'],
  postsPerDay: 560,
  documentsPerDay: 11,
  daily: { share: 0.35, topHour: 21 },
  languages: { en: 0.5, es: 0.2, ja: 0.15, de: 0.15 },
  hashtags: ['CometTove', 'DarkSky'],
  places: ['the Osk dunes', 'the western horizon', 'my balcony', 'the observatory hill'],
  who: ['the amateur astronomers', 'Yuna Sandoval', 'the night watch'],
  things: ['the tail', 'the second nucleus', 'a pair of binoculars', 'the ion tail'],
  sentences: {
    en: [
      '{thing} is visible from {place} without help tonight.',
      'Set the alarm for {hour}:00 and look over {place}.',
      '{n} minutes of exposure from {place}, worth the cold feet.',
      '{who} measured {thing}: {n} million km long.',
      'Clouds over {place}. Of course.',
    ],
    es: ['El cometa se ve a simple vista desde las {hour}.', 'Foto de {n} minutos, la cola es enorme.'],
    ja: ['今夜は彗星が肉眼で見えた。', '{n}分露光で尾が写った。'],
    de: ['Der Komet steht um {hour} Uhr tief im Westen.', '{n} Minuten belichtet, Gänsehaut.'],
  },
};

export const auroraWatch: Topic = {
  slug: 'aurora-watch',
  name: 'Aurora watch',
  subject: 'the northern lights over Lenn',
  phrases: ['aurora watch', 'northern lights'],
  postsPerDay: 340,
  documentsPerDay: 6,
  daily: { share: 0.5, topHour: 22 },
  languages: { en: 0.75, de: 0.25 },
  hashtags: ['AuroraWatch', 'NorthernLights'],
  places: ['Lenn ridge', 'the frozen bay', 'the ring road'],
  who: ['the space weather desk', 'the night bus driver', 'the photo club'],
  things: ['a red arc', 'the green curtain', 'the index'],
  sentences: {
    en: [
      '{thing} over {place} right now, go outside.',
      '{who} expects {thing} around {hour}:00.',
      '{n} minutes of {thing} and nobody at {place} said a word.',
      'False alarm, it was the greenhouse at {place}.',
      '{who} puts {thing} at {n} tonight.',
    ],
    de: ['Polarlicht über der Bucht, seit {n} Minuten!', 'Ab {hour} Uhr lohnt sich der Blick nach Norden.'],
  },
};

export const balloonTelescope: Topic = {
  slug: 'balloon-telescope',
  name: 'Balloon telescope',
  subject: 'the Skylark balloon telescope',
  phrases: ['balloon telescope', 'skylark telescope'],
  postsPerDay: 7,
  documentsPerDay: 2,
  daily: { share: 0.2, topHour: 12 },
  languages: { en: 1 },
  hashtags: ['Skylark'],
  places: ['the launch pan', '38 km', 'the recovery zone'],
  who: ['the gondola team', 'a doctoral student', 'the weather officer'],
  things: ['the star camera', 'the parachute', 'the ballast'],
  sentences: {
    en: [
      '{who} called off the launch at {place}, wind {n} knots.',
      '{thing} works at {place}, {n} hours of data.',
      '{who} found {thing} in a field near {place}.',
      'Night {n} of waiting at {place}.',
    ],
  },
};

export const stormElke: Topic = {
  slug: 'storm-elke',
  name: 'Storm Elke',
  subject: 'storm Elke',
  phrases: ['storm elke'],
  postsPerDay: 1_500,
  documentsPerDay: 16,
  daily: { share: 0.3, topHour: 17 },
  languages: { en: 0.55, de: 0.25, nl: 0.2 },
  hashtags: ['StormElke', 'WeatherWarning'],
  places: ['the coast road', 'Osk Point', 'the airport', 'the old town'],
  who: ['the weather service', 'the fire brigade', 'my roofer'],
  things: ['a fallen plane tree', 'the red warning', 'the power cut', 'the last ferry'],
  sentences: {
    en: [
      '{who} extends {thing} to {place} until {hour}:00.',
      '{thing} at {place}, nobody hurt.',
      'Gusts of {n} knots at {place} and rising.',
      'No power at {place} for {n} hours, {who} is on the way.',
      '{who}: stay away from {place} tonight.',
      'The bins are racing down towards {place} again.',
    ],
    de: ['Die Feuerwehr zählt {n} Einsätze seit heute früh.', 'Rote Warnung bis {hour} Uhr, bleibt drinnen.'],
    nl: ['Code rood tot {hour} uur.', 'Al {n} bomen om in de stad.'],
  },
};
