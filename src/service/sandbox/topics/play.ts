/** Sports and games. */
import type { Topic } from '../topic.ts';

export const harbourMarathon: Topic = {
  slug: 'harbour-marathon',
  name: 'City marathon',
  subject: 'the Vellmar marathon',
  phrases: ['vellmar marathon', 'city marathon'],
  postsPerDay: 1_000,
  documentsPerDay: 12,
  daily: { share: 0.45, topHour: 9 },
  languages: { en: 0.66, es: 0.2, fr: 0.14 },
  hashtags: ['VellmarMarathon', 'Kilometre30'],
  places: ['kilometre 30', 'the finish', 'Lantern Bridge', 'the start pens'],
  who: ['Suri Okoye', 'the pacemakers', 'the medical tent', 'my knee'],
  things: ['the course record', 'a foil blanket', 'the last drink station', 'the cut-off'],
  sentences: {
    en: [
      '{who} passes {place} after {n} minutes, alone.',
      '{thing} fell at {place}!',
      'I met {thing} at {place} and it won.',
      '{n} more days and my training plan says rest.',
      '{who} gave me {thing} at {place}, thank you whoever you are.',
      'Streets around {place} closed until {hour}:00.',
    ],
    es: ['Kilómetro treinta y las piernas dicen no.', 'Salida a las {hour}, {n} mil corredores.'],
    fr: ['Le mur au trentième, comme prévu.', 'Départ à {hour} h, {n} mille coureurs.'],
  },
};

export const chessOpen: Topic = {
  slug: 'chess-open',
  name: 'Chess open',
  subject: 'the Lenn chess open',
  phrases: ['chess open', 'lenn chess'],
  postsPerDay: 250,
  documentsPerDay: 6,
  daily: { share: 0.4, topHour: 16 },
  languages: { en: 0.6, de: 0.2, es: 0.2 },
  hashtags: ['LennOpen', 'Zugzwang'],
  places: ['board 1', 'the analysis room', 'the stream'],
  who: ['Kofi Brandt', 'the arbiter', 'the thirteen-year-old from Osk'],
  things: ['a bishop ending', 'the clock', 'move forty', 'an impossible draw'],
  sentences: {
    en: [
      '{who} has {n} seconds for {thing}.',
      '{thing} on {place} and the commentators went quiet.',
      '{who} resigned a drawn position at {place}, I cannot watch.',
      'Round {n} starts at {hour}:00.',
      '{who} says {thing} was home preparation.',
    ],
    de: ['Nach {n} Zügen remis, und was für eins.', 'Runde {n} beginnt um {hour} Uhr.'],
    es: ['Tablas tras {n} jugadas increíbles.', 'La ronda {n} empieza a las {hour}.'],
  },
};

export const oskRovers: Topic = {
  slug: 'osk-rovers',
  name: 'Osk Rovers',
  subject: 'Osk Rovers',
  phrases: ['osk rovers'],
  postsPerDay: 2_000,
  documentsPerDay: 14,
  daily: { share: 0.5, topHour: 18 },
  languages: { en: 0.6, es: 0.2, pt: 0.2 },
  hashtags: ['OskRovers', 'UpTheRovers'],
  places: ['the Quarry Ground', 'the away end', 'row G', 'the training pitch'],
  who: ['Bram Lindqvist', 'the goalkeeper', 'the coach', 'the referee'],
  things: ['a penalty', 'the new left back', 'the derby', 'an own goal'],
  sentences: {
    en: [
      '{thing} after {n} minutes and {place} goes mad.',
      '{who} is out for {n} weeks, that is the season.',
      '{who} has to explain {thing} to me.',
      'Tickets for {thing} gone in {n} minutes.',
      'Kick-off moved to {hour}:00, {who} is not amused.',
      'Same old Rovers: {thing} in minute {n}.',
    ],
    es: ['Gol en el minuto {n}, qué locura.', 'El derbi se juega a las {hour}.'],
    pt: ['Golo ao minuto {n}, que loucura.', 'O treinador tem de explicar isto.'],
  },
};

export const kiteLeague: Topic = {
  slug: 'kite-league',
  name: 'Kite league',
  subject: 'the beach kite league',
  phrases: ['kite league', 'kite flying'],
  postsPerDay: 11,
  documentsPerDay: 2,
  daily: { share: 0.5, topHour: 14 },
  languages: { en: 0.7, pt: 0.3 },
  hashtags: ['KiteLeague'],
  places: ['the west beach', 'the judges’ tent', 'the dune'],
  who: ['the reigning champion', 'a family of five', 'the line judge'],
  things: ['the box kite', 'a tangled line', 'the wind'],
  sentences: {
    en: [
      '{who} cut {thing} after {n} seconds.',
      '{thing} at {place} is perfect at {hour}:00.',
      '{n} kites up at {place}, one in the sea.',
    ],
    pt: ['{n} pipas no céu e uma no mar.', 'Vento perfeito às {hour}.'],
  },
};
