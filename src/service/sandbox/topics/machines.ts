/** Machines and software. */
import type { Topic } from '../topic.ts';

export const kestrelRelease: Topic = {
  slug: 'kestrel-release',
  name: 'Kestrel release',
  subject: 'the Kestrel operating system',
  phrases: ['kestrel release', 'kestrel os', 'kestrel operating'],
  postsPerDay: 85,
  documentsPerDay: 9,
  daily: { share: 0.3, topHour: 15 },
  languages: { en: 0.7, de: 0.15, ja: 0.15 },
  hashtags: ['KestrelOS', 'ReleaseDay'],
  places: ['the mailing list', 'my old laptop', 'the build server'],
  who: ['the maintainers', 'the kernel team', 'somebody on the forum'],
  things: ['the scheduler', 'the new installer', 'a regression', 'the wifi driver'],
  sentences: {
    en: [
      '{thing} works on {place} after {n} years.',
      '{who} delayed {subject} by {n} days because of {thing}.',
      'Upgraded {place}, lost {thing}, gained {n} minutes of battery.',
      '{who} merged {thing} at {hour}:00, brave.',
      'Bisecting {thing}, step {n}.',
    ],
    de: ['Nach {n} Jahren geht endlich das WLAN.', 'Die neue Version verzögert sich um {n} Tage.'],
    ja: ['新しいインストーラは{n}分で終わった。', '無線ドライバがやっと動いた。'],
  },
};

export const batteryRecall: Topic = {
  slug: 'battery-recall',
  name: 'Battery recall',
  subject: 'the Voltmar battery recall',
  phrases: ['battery recall', 'voltmar'],
  postsPerDay: 45,
  documentsPerDay: 6,
  daily: { share: 0.45, topHour: 13 },
  languages: { en: 0.6, de: 0.25, es: 0.15 },
  hashtags: ['VoltmarRecall', 'Battery'],
  places: ['the collection point', 'the service hotline', 'my garage'],
  who: ['Voltmar', 'the safety board', 'a bike shop owner'],
  things: ['pack B2', 'the serial number', 'a replacement', 'the charger'],
  sentences: {
    en: [
      '{who} recalls {thing}, check yours.',
      '{n} minutes on {place} and no answer about {thing}.',
      '{who} says {thing} gets warm above {n} degrees.',
      'Brought {thing} to {place}, got a receipt.',
    ],
    de: ['Rückruf: Seriennummer prüfen!', '{n} Minuten in der Warteschleife.'],
    es: ['Retiran {n} mil baterías.', 'La línea no contesta.'],
  },
};

export const paperPhone: Topic = {
  slug: 'paper-phone',
  name: 'Paper phone',
  subject: 'the Leaf paper phone',
  phrases: ['paper phone', 'leaf phone'],
  postsPerDay: 32,
  documentsPerDay: 5,
  daily: { share: 0.4, topHour: 17 },
  languages: { en: 0.6, fr: 0.2, ja: 0.2 },
  hashtags: ['LeafPhone', 'SlowTech'],
  places: ['the launch event', 'my coat pocket', 'the repair café'],
  who: ['the Leaf team', 'a reviewer', 'my father'],
  things: ['the grey screen', 'the one-week battery', 'a scratch', 'the camera it does not have'],
  sentences: {
    en: [
      '{n} days with {subject} and I read a book.',
      '{who} calls {thing} brave.',
      '{thing} survived {place}.',
      'They sold {n} thousand of {subject} at {place}.',
    ],
    fr: ['{n} jours sans notification, quel calme.', 'L’écran gris est magnifique.'],
    ja: ['{n}日使って本を一冊読んだ。', '灰色の画面が目に優しい。'],
  },
};
