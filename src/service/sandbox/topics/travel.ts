/** Travel: getting from one place to another. */
import type { Topic } from '../topic.ts';

export const nightTrains: Topic = {
  slug: 'night-trains',
  name: 'Night trains',
  subject: 'night trains',
  phrases: ['night train', 'night trains', 'sleeper train'],
  postsPerDay: 400,
  documentsPerDay: 14,
  daily: { share: 0.6, topHour: 20 },
  languages: { en: 0.5, de: 0.26, fr: 0.24 },
  hashtags: ['NightTrain', 'Sleeper', 'SlowTravel'],
  places: ['Vellmar Central', 'Karstheim', 'Pont-Aubry', 'the border at Lenn', 'platform 11'],
  who: ['the conductor', 'Nordlicht Rail', 'the couple in berth 12', 'the night crew'],
  things: ['the dining car', 'berth 41', 'the connecting ferry', 'the couchette', 'the morning coffee'],
  sentences: {
    en: [
      'Woke up at {place} with {n} minutes of delay and the best sunrise.',
      '{who} brings back the line to {place} in spring.',
      'A ticket to {place} for {n} crowns including {thing}.',
      'No heating in {thing} tonight, {who} hands out blankets.',
      'Why are {subject} sold out for {n} weeks while planes fly half empty?',
      '{who} cancelled the {hour}:00 departure from {place}.',
      'Sleeping in {thing} is an acquired taste, and I have it.',
    ],
    de: [
      'Der Nachtzug ab Vellmar hat {n} Minuten Verspätung.',
      'Ab dem Frühjahr wieder mit dem Nachtzug nach Karstheim.',
      'Im Nachtzug nach Pont-Aubry: kein Netz, viele Sterne.',
    ],
    fr: [
      'Le train de nuit pour Karstheim a {n} minutes de retard.',
      'Réveil à Pont-Aubry, café à la main, merci le train de nuit.',
    ],
  },
};

export const cargoBikes: Topic = {
  slug: 'cargo-bikes',
  name: 'Cargo bikes',
  subject: 'cargo bikes',
  phrases: ['cargo bike', 'cargo bikes', 'bike lanes'],
  postsPerDay: 60,
  documentsPerDay: 6,
  daily: { share: 0.5, topHour: 8 },
  languages: { en: 0.6, nl: 0.25, pt: 0.15 },
  hashtags: ['CargoBike', 'BikeLane'],
  places: ['Lantern Bridge', 'Mill Lane', 'the ring road', 'the market square'],
  who: ['the city of Vellmar', 'the courier cooperative', 'my daughter', 'the parents of Mill Lane'],
  things: ['a washing machine', 'two children and a cello', 'the new lane', 'the front box'],
  sentences: {
    en: [
      'Carried {thing} across {place}, overtook {n} cars.',
      '{who} opens {thing} at {place} after {n} months of works.',
      'Day {n} without a car, {subject} do the rest.',
      '{who} counted {n} riders an hour at {place}.',
      'Whoever parks on {thing} at {place}: please do not.',
    ],
    nl: ['Met de bakfiets naar de markt, {n} auto’s ingehaald.', 'Het nieuwe fietspad is eindelijk open.'],
    pt: ['De bicicleta de carga até o mercado, {n} carros ultrapassados.', 'A nova ciclovia abriu hoje.'],
  },
};

export const airshipLine: Topic = {
  slug: 'airship-line',
  name: 'Airship line',
  subject: 'the Karstheim airship',
  phrases: ['airship line', 'passenger airship'],
  postsPerDay: 290,
  documentsPerDay: 9,
  daily: { share: 0.45, topHour: 15 },
  languages: { en: 0.6, de: 0.25, fr: 0.15 },
  hashtags: ['Airship', 'SlowFlight'],
  places: ['mast field North', 'Karstheim', 'the hangar'],
  who: ['Zephyr Lines', 'the mooring crew', 'Odo Karst'],
  things: ['the gondola', 'the helium delivery', 'the maiden voyage', 'the panorama deck'],
  sentences: {
    en: [
      '{who} moved {thing} to {hour}:00 because of gusts at {place}.',
      '{n} passengers and one accordion on {subject}.',
      'You hear nothing on {thing}, only people saying wow.',
      '{who} says a ticket from {place} will cost {n} crowns.',
      '{thing} is late again, {n} days now.',
    ],
    de: [
      'Das Luftschiff steht am Mast, Start um {hour} Uhr.',
      'Zum ersten Mal über Karstheim, {n} Minuten Stille.',
    ],
    fr: ['Le dirigeable partira à {hour} h si le vent tombe.', '{n} passagers et pas un bruit.'],
  },
};

export const cableCar: Topic = {
  slug: 'cable-car',
  name: 'Cable car',
  subject: 'the Mirelhorn cable car',
  phrases: ['cable car', 'mirelhorn'],
  postsPerDay: 28,
  documentsPerDay: 3,
  daily: { share: 0.5, topHour: 13 },
  languages: { de: 0.5, en: 0.35, fr: 0.15 },
  hashtags: ['Mirelhorn', 'CableCar'],
  places: ['the valley station', 'pylon 3', 'the summit hut'],
  who: ['the lift engineer', 'the hut keeper', 'a group of climbers'],
  things: ['cabin 12', 'the haul rope', 'the wind gauge'],
  sentences: {
    en: [
      '{thing} stands still above {place} for {n} minutes, all calm.',
      '{who} reopens {subject} at {hour}:00.',
      'New {thing} for {subject}, {n} tonnes carried up by night.',
      'Soup at {place} while {who} checks {thing}.',
    ],
    de: [
      'Wegen Wind fährt die Bahn erst ab {hour} Uhr.',
      '{n} Minuten über dem Abgrund, ruhig geblieben.',
      'Neues Seil für die Mirelhornbahn.',
    ],
    fr: ['La cabine est restée bloquée {n} minutes.'],
  },
};

export const streetTrams: Topic = {
  slug: 'street-trams',
  name: 'Street trams',
  subject: 'the Vellmar trams',
  phrases: ['vellmar tram', 'vellmar trams', 'street trams'],
  postsPerDay: 850,
  documentsPerDay: 12,
  daily: { share: 0.6, topHour: 7 },
  languages: { en: 0.64, de: 0.2, pt: 0.16 },
  hashtags: ['VellmarTram', 'Line9'],
  places: ['the depot', 'Lantern Bridge', 'the opera loop', 'Mill Lane'],
  who: ['the control room', 'the driver of line 9', 'the transit board'],
  things: ['the low-floor car', 'the points heater', 'the new timetable', 'a stuck delivery van'],
  sentences: {
    en: [
      'Line {n} stops at {place} because of {thing}.',
      '{who} promises {thing} by spring. Which spring?',
      '{n} minutes at {place} and no tram in sight.',
      'Shout-out to {who} for waiting for the lady with the stroller at {place}.',
      '{thing} again at {place}, we are walking.',
      'The {hour}:00 to {place} was on time and I have proof.',
    ],
    de: ['Linie {n} fährt heute nicht bis zur Oper.', 'Weichenstörung am Depot, seit {n} Minuten nichts.'],
    pt: ['O bonde da linha {n} parou na ponte.', 'Esperei {n} minutos pelo bonde.'],
  },
};
