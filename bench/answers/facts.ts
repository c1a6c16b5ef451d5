/**
 * Planted facts: things that several people say, each in words of their own, among things that one person
 * says. A summary should hold the facts. All of it is invented, and written before anything was measured.
 */

/** Each line of `facts` is one fact in several wordings, the most repeated first. */
export type Planted = { facts: readonly (readonly string[])[]; others: readonly string[] };

export const PLANTED: readonly Planted[] = [
  {
    facts: [
      [
        'The island ferry is cancelled until Monday because of the storm.',
        'Storm warning: no ferry to the island before Monday.',
        'They cancelled every ferry to the island until Monday, the storm is too strong.',
        'Until Monday no ferry leaves for the island, says the harbour office about the storm.',
        'The storm keeps the island ferry in port until Monday.',
        'No island ferry till Monday thanks to this storm, so I am stuck here.',
      ],
      [
        'Tickets for the cancelled crossings are refunded at the harbour office.',
        'You get your money back for cancelled tickets at the harbour office.',
        'The harbour office refunds all tickets of the cancelled crossings.',
        'Got a refund for my ticket at the harbour office in ten minutes.',
      ],
      [
        'The school gym is open tonight for travellers without a bed.',
        'Travellers without a room can sleep in the school gym tonight.',
        'Beds for stranded travellers were put up in the school gym.',
        'We sleep in the school gym tonight together with forty other travellers.',
      ],
      [
        'A fallen tree blocks the coast road near the old mill.',
        'The coast road is closed at the old mill because a tree fell.',
        'Tree down across the coast road by the old mill.',
      ],
    ],
    others: [
      'My neighbour painted his garden fence in a terrible green.',
      'Somebody left a red scarf on the second bench of the quay.',
      'Coffee prices at the kiosk went up once more.',
      'The gulls are louder than any alarm clock this week.',
      'Has anybody seen a black cat with one white paw?',
      'My phone died twice today and I blame the cold.',
      'The museum shop sells nice postcards of the lighthouse.',
      'I read a whole novel while waiting for lunch.',
      'The bakery was out of rye bread again this morning.',
      'Our choir rehearses on Thursday instead of Wednesday.',
      'The new bus driver hums old songs all the way.',
      'Looking for a second-hand bicycle with a basket.',
    ],
  },
  {
    facts: [
      [
        'The council voted to close the market square to cars from May.',
        'From May no cars are allowed on the market square, the council decided.',
        'Council decision: the market square becomes free of cars in May.',
        'The market square will be closed to cars in May after a council vote.',
        'So the council really bans cars from the market square from May on.',
      ],
      [
        'Shop owners fear that customers stay away without parking.',
        'Without parking the customers will stay away, shop owners say.',
        'Owners of shops are worried about customers and missing parking.',
        'Many shop owners expect fewer customers when the parking is gone.',
      ],
      [
        'A free shuttle bus will run from the station every ten minutes.',
        'Every ten minutes a shuttle bus leaves the station, free for all.',
        'The free shuttle bus from the station is planned every ten minutes.',
      ],
      [
        'Residents keep a permit to drive home at night.',
        'People who live there get a permit for driving home at night.',
        'At night residents may drive home with a permit.',
      ],
    ],
    others: [
      'The fountain has been dry since the beginning of winter.',
      'I had the best onion soup of my life next to the town hall.',
      'Pigeons have taken over the roof of the old pharmacy.',
      'The clock of the church tower is seven minutes late.',
      'Does anyone know a good piano teacher for beginners?',
      'The lamp in front of our house flickers all evening.',
      'A film crew asked for extras with long beards.',
      'The library extends its opening hours in spring.',
      'Our football team lost again, but with dignity.',
      'My grandmother remembers when there was a tram here.',
      'Strawberries from the region are two weeks early.',
      'I lost a glove, brown leather, left hand.',
    ],
  },
  {
    facts: [
      [
        'The probe lost contact for two hours during the descent.',
        'For two hours there was no contact with the probe while it descended.',
        'Contact with the probe was lost during descent for two hours.',
        'Two hours without contact: the descent of the probe was a thriller.',
        'During its descent the probe was out of contact for two hours.',
      ],
      [
        'A backup antenna brought the signal back.',
        'The signal came back through the backup antenna.',
        'Engineers switched to the backup antenna and the signal returned.',
        'It was the backup antenna that saved the signal.',
      ],
      [
        'First pictures of the surface show a field of dark pebbles.',
        'The surface looks like a field of dark pebbles in the first pictures.',
        'Dark pebbles everywhere in the first pictures of the surface.',
      ],
      [
        'The drill is not used before the batteries are full.',
        'Before the batteries are full the drill stays off.',
        'They wait with the drill until the batteries are full.',
      ],
    ],
    others: [
      'My daughter built a model of it from egg boxes.',
      'The commentator pronounced every name in a new way.',
      'I fell asleep on the sofa and missed everything.',
      'Why do all control rooms have such ugly carpets?',
      'The live stream froze whenever it became interesting.',
      'Pizza was delivered to the visitors of the planetarium.',
      'The stamps with the mission logo are sold out.',
      'Our physics teacher cried a little, and so did I.',
      'There is a petition to name a crater after a dog.',
      'The documentary about the first mission is worth seeing.',
      'I still prefer looking at it through binoculars.',
      'Somebody in the chat counted the blinking lights.',
    ],
  },
];

/** All sentences in an order that nobody chose: by a hash of their words. */
export function mixed({ facts, others }: Planted): string[] {
  return [...facts.flat(), ...others].sort((a, b) => hash(a) - hash(b));
}

/** The part of what is said several times that a summary holds: each fact weighs as often as it is said. */
export function coverage({ facts }: Planted, summary: readonly string[]): number {
  const total = facts.reduce((sum, wordings) => sum + wordings.length, 0);
  const held = facts.filter((wordings) => wordings.some((wording) => summary.includes(wording)));
  return held.reduce((sum, wordings) => sum + wordings.length, 0) / total;
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
