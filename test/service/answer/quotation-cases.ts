/** Items of sources, and what a completion without a model quotes of them, in its order. `[]`: it says that there is no answer. */
import type { Source } from '../../../src/model/enumerations.ts';

type QuotedItem = readonly [source: Source, title: string, text: string, asks?: true];
export type QuotationCase = {
  name: string;
  prompt: string;
  items: readonly QuotedItem[];
  /** Of the summary, without citations. */
  quoted: readonly string[];
};

const one = (name: string, prompt: string, item: QuotedItem, ...quoted: string[]): QuotationCase => ({
  name,
  prompt,
  items: [item],
  quoted,
});

export const QUOTATION_CASES: readonly QuotationCase[] = [
  // Finding A2.
  {
    name: 'the daughter is not the mother',
    prompt: 'How did Marie Curie die?',
    items: [
      [
        'encyclopedia',
        'Marie Curie',
        'Marie Salomea Skłodowska–Curie, known as Marie Curie, was a Polish and naturalised-French physicist and chemist. She was the first woman to win a Nobel Prize.',
      ],
      [
        'encyclopedia',
        'Irène Joliot-Curie',
        'Irène Joliot-Curie was a French chemist and physicist. She was the elder daughter of Pierre Curie and Marie Skłodowska–Curie.',
      ],
    ],
    quoted: [
      'Marie Salomea Skłodowska–Curie, known as Marie Curie, was a Polish and naturalised-French physicist and chemist.',
      'She was the first woman to win a Nobel Prize.',
      'Irène Joliot-Curie: She was the elder daughter of Pierre Curie and Marie Skłodowska–Curie.',
    ],
  },
  {
    name: 'one barrage is not another',
    prompt: 'tidal barrage',
    items: [
      [
        'encyclopedia',
        'Tidal barrage',
        'A tidal barrage is a dam-like structure used to capture the energy from masses of water. Instead of damming water on one side like a conventional dam, a tidal barrage allows water to flow into a bay during high tide.',
      ],
      [
        'encyclopedia',
        'Sihwa Lake Tidal Power Station',
        'Sihwa Lake Tidal Power Station is the largest tidal barrage in the world. When completed in 2011, it surpassed the 240 MW Rance tidal barrage.',
      ],
    ],
    quoted: [
      'A tidal barrage is a dam-like structure used to capture the energy from masses of water.',
      'Instead of damming water on one side like a conventional dam, a tidal barrage allows water to flow into a bay during high tide.',
      'Sihwa Lake Tidal Power Station: When completed in 2011, it surpassed the 240 MW Rance tidal barrage.',
    ],
  },
  one(
    'brand names of what the title names',
    'Ozempic brand name',
    [
      'encyclopedia',
      'Semaglutide',
      'Semaglutide is an antidiabetic medication used for the treatment of type 2 diabetes. It is sold under the brand names Ozempic and Rybelsus.',
    ],
    'Semaglutide: It is sold under the brand names Ozempic and Rybelsus.',
  ),
  // Finding A5.
  one('a question of a forum is no answer', 'Is Rust or Go better for web servers?', [
    'news_forum',
    'Ask HN: Rust or Go for web servers?',
    'I have used Go for web servers for years. My team wants Rust now. What would you choose?',
  ]),
  one('nor what its author says before asking', 'postgres autovacuum large table', [
    'discussion_board',
    'Postgres autovacuum not running on large table',
    'The autovacuum of Postgres never runs on my large table. The table has 400 million rows.',
    true,
  ]),
  one('a post that ends with a question', 'bird flu humans', [
    'microblog',
    '',
    'My neighbour says bird flu spreads between humans now. Is that true? #birdflu',
  ]),
  {
    name: 'the answer comes before older titles',
    prompt: 'Is bird flu spreading between humans?',
    items: [
      ['news_forum', 'WHO: what we know about bird flu in humans', ''],
      [
        'microblog',
        '',
        'Health officials in Ohio: no sign of sustained human-to-human spread of bird flu, all cases had contact with cattle.',
      ],
    ],
    quoted: [
      'Health officials in Ohio: no sign of sustained human-to-human spread of bird flu, all cases had contact with cattle.',
    ],
  },
  one('hashtags without spaces between them are no sentence', '地震', [
    'microblog',
    '',
    '#地震 #緊急地震速報。',
  ]),
  one(
    'a sentence behind hashtags is one',
    '地震',
    ['microblog', '', '宮城県で震度五の地震がありました。 #地震 #緊急地震速報'],
    '宮城県で震度五の地震がありました。',
  ),
  one(
    'a title is marked',
    'tidal power cost',
    ['preprint', 'Tidal power cost falls from 220 to 110 pounds per megawatt hour', ''],
    'Title: Tidal power cost falls from 220 to 110 pounds per megawatt hour.',
  ),
  one('a title that promises is none', 'tidal power', ['web', 'Why tidal power is not used more', '']),

  // Pronouns, in English.
  one(
    'it, after the sentence that names it',
    'Casgevy cost',
    [
      'web',
      'News of the week',
      'Casgevy is a gene therapy. It has a list cost of 2.2 million dollars for Casgevy patients.',
    ],
    'Casgevy is a gene therapy.',
    'It has a list cost of 2.2 million dollars for Casgevy patients.',
  ),
  one(
    'they, of a text without a title',
    'heat pumps cold',
    [
      'microblog',
      '',
      'Heat pumps run all winter in Norway. They lose little power in the cold with modern heat pumps.',
    ],
    'Heat pumps run all winter in Norway.',
    'They lose little power in the cold with modern heat pumps.',
  ),
  one('a pronoun whose sentence is left out is left out', 'heat pumps', [
    'web',
    'Contact and imprint of the shop',
    'Write to sales@pumps.example for offers of the week. They install heat pumps in every cellar of the town.',
  ]),
  one(
    'a pronoun after two others',
    'Marie Curie radium',
    [
      'web',
      'Great lives in science, part four',
      'Marie Curie studied radium for years. She worked in a shed. She carried radium in her pockets, said Marie Curie’s daughter.',
    ],
    'Marie Curie studied radium for years.',
    'She worked in a shed.',
    'She carried radium in her pockets, said Marie Curie’s daughter.',
  ),
  one(
    'this week is no pronoun',
    'rate decision ECB',
    ['web', 'Markets', 'This week the ECB left its rate decision for later.'],
    'This week the ECB left its rate decision for later.',
  ),
  one(
    'it is possible refers to nothing',
    'surfing in winter',
    ['web', 'Sports', 'It is possible to go surfing in winter with a thick suit.'],
    'It is possible to go surfing in winter with a thick suit.',
  ),
  one(
    'a clause with a name, then a pronoun',
    'Marie Curie Nobel',
    ['web', 'Chronicle', 'When Marie Curie won her second Nobel in 1911, she was alone.'],
    'When Marie Curie won her second Nobel in 1911, she was alone.',
  ),
  one(
    'the first sentence of a text, under its title',
    'Rance tidal plant',
    [
      'web',
      'Rance tidal plant - Encyclopedia of power',
      'In 1966, it became the first tidal plant of the world.',
    ],
    'Rance tidal plant: In 1966, it became the first tidal plant of the world.',
  ),
  one(
    'his husband is not the title',
    'Pierre Curie accident',
    [
      'encyclopedia',
      'Marie Curie',
      'Marie Curie was a physicist. Her husband was Pierre Curie. He died in an accident in 1906, Pierre Curie’s students wrote.',
    ],
    'Marie Curie: Her husband was Pierre Curie.',
    'He died in an accident in 1906, Pierre Curie’s students wrote.',
  ),
  one(
    'however, after what it limits',
    'coffee prices',
    ['web', 'Commodities', 'Coffee prices fell in May. However, coffee prices in shops rise until autumn.'],
    'Coffee prices fell in May.',
    'However, coffee prices in shops rise until autumn.',
  ),

  // Other languages.
  one(
    'German: sie',
    'Wie starb Marie Curie?',
    [
      'encyclopedia',
      'Marie Curie',
      'Marie Curie war eine Physikerin und Chemikerin, die in Frankreich wirkte. Sie starb 1934 an einer Anämie, wie Marie Curies Ärzte schrieben.',
    ],
    'Marie Curie war eine Physikerin und Chemikerin, die in Frankreich wirkte.',
    'Sie starb 1934 an einer Anämie, wie Marie Curies Ärzte schrieben.',
  ),
  one(
    'German: the verb before the pronoun',
    'Gezeitenkraftwerk Rance',
    [
      'encyclopedia',
      'Gezeitenkraftwerk Rance',
      'Im Jahr 1966 wurde es nach sechs Jahren Bau am Fluss Rance eröffnet.',
    ],
    'Gezeitenkraftwerk Rance: Im Jahr 1966 wurde es nach sechs Jahren Bau am Fluss Rance eröffnet.',
  ),
  one(
    'German: es gibt',
    'Wärmepumpe Förderung',
    ['web', 'Ratgeber', 'Es gibt für die Wärmepumpe eine Förderung von 30 Prozent.'],
    'Es gibt für die Wärmepumpe eine Förderung von 30 Prozent.',
  ),
  one(
    'German: das Werk is an article, das ist a pronoun',
    'Stahlwerk Streik',
    [
      'web',
      'Lokales',
      'Das Stahlwerk steht wegen des Streiks still. Das ist der dritte Streik im Stahlwerk in diesem Jahr.',
    ],
    'Das Stahlwerk steht wegen des Streiks still.',
    'Das ist der dritte Streik im Stahlwerk in diesem Jahr.',
  ),
  one(
    'French: elle',
    'Comment est morte Marie Curie ?',
    [
      'encyclopedia',
      'Marie Curie',
      'Marie Curie est une physicienne et chimiste polonaise, naturalisée française. Elle est morte en 1934 à Passy, où la famille de Marie Curie vivait.',
    ],
    'Marie Curie est une physicienne et chimiste polonaise, naturalisée française.',
    'Elle est morte en 1934 à Passy, où la famille de Marie Curie vivait.',
  ),
  one(
    'French: il y a',
    'grève des trains',
    ['web', 'Infos', 'Il y a une grève des trains depuis lundi dans le nord.'],
    'Il y a une grève des trains depuis lundi dans le nord.',
  ),
  one(
    'Spanish: the pronoun is left out',
    '¿Cómo murió Frida Kahlo?',
    ['encyclopedia', 'Frida Kahlo', 'Murió en 1954 en la casa de la familia de Frida Kahlo, en Coyoacán.'],
    'Frida Kahlo: Murió en 1954 en la casa de la familia de Frida Kahlo, en Coyoacán.',
  ),
  one(
    'Spanish: esta semana',
    'huelga de metro en Madrid',
    ['web', 'Local', 'Esta semana hay huelga de metro en Madrid por los salarios.'],
    'Esta semana hay huelga de metro en Madrid por los salarios.',
  ),
  one(
    'Italian: è',
    'Ponte di Messina',
    [
      'encyclopedia',
      'Ponte di Messina',
      'È un ponte sospeso progettato per collegare la Sicilia, detto anche ponte di Messina.',
    ],
    'Ponte di Messina: È un ponte sospeso progettato per collegare la Sicilia, detto anche ponte di Messina.',
  ),
  one(
    'Portuguese: ela',
    'Quem foi Marielle Franco?',
    [
      'encyclopedia',
      'Marielle Franco',
      'Ela foi uma vereadora do Rio de Janeiro, e o nome de Marielle Franco tornou-se um símbolo.',
    ],
    'Marielle Franco: Ela foi uma vereadora do Rio de Janeiro, e o nome de Marielle Franco tornou-se um símbolo.',
  ),
  one(
    'Japanese: これ',
    '夜行列車',
    ['web', '夜行列車の歴史', 'これは夜行列車として百年前に走り始めました。'],
    '夜行列車の歴史: これは夜行列車として百年前に走り始めました。',
  ),

  // Questions of others.
  one('a request without a mark', 'heat pump installer', [
    'discussion_board',
    'Heat pump',
    'Looking for a heat pump installer near Leeds. Budget is open for a good heat pump installer.',
  ]),
  one('a request in German', 'Wärmepumpe Erfahrung', [
    'discussion_board',
    'Wärmepumpe',
    'Hat jemand Erfahrung mit einer Wärmepumpe im Altbau. Ich habe noch keine Erfahrung mit der Wärmepumpe.',
  ]),
  one(
    'a text that answers its own question',
    'coffee and heart',
    ['web', 'Health', 'Is coffee bad for the heart? Coffee did not harm the heart in three large studies.'],
    'Coffee did not harm the heart in three large studies.',
  ),
  one(
    'an author who shows something does not ask',
    'night trains timetable',
    [
      'news_forum',
      'Show HN: A timetable of night trains',
      'I wrote a timetable of night trains for all of Europe.',
    ],
    'I wrote a timetable of night trains for all of Europe.',
  ),

  // The floor.
  one('another strike', 'latest news about the strike at Lufthansa', [
    'web',
    'Strike at the docks',
    'The strike at the docks enters its third week.',
  ]),
  one(
    'the initials of a name',
    'What did the European Central Bank decide about interest rates?',
    ['web', 'Business', 'The ECB kept its interest rates at 2 percent on Thursday.'],
    'The ECB kept its interest rates at 2 percent on Thursday.',
  ),
  {
    name: 'the defining sentence, then by thing',
    prompt: 'tidal power and wave power',
    items: [
      ['web', 'Wave report', 'Wave power lost its largest test site in Cornwall.'],
      ['encyclopedia', 'Tidal power', 'Tidal power is the use of tides for electricity.'],
      ['web', 'Coast', 'Wave power and tidal power compete for the same cables.'],
      ['microblog', '', 'Wave power machines broke again in the storm near Cornwall.'],
    ],
    quoted: [
      'Wave power and tidal power compete for the same cables.',
      'Tidal power is the use of tides for electricity.',
      'Wave power lost its largest test site in Cornwall.',
      'Wave power machines broke again in the storm near Cornwall.',
    ],
  },
  {
    name: 'the sentence below a title, with the title',
    prompt: 'Why is tidal power rarely used?',
    items: [
      [
        'web',
        'Why tidal power is rarely used | Energy Post',
        'Construction is slow because few sites have enough range. Photographs of our readers.',
      ],
    ],
    quoted: ['Why tidal power is rarely used: Construction is slow because few sites have enough range.'],
  },
  {
    name: 'a question with all words does not keep out what answers with some of them',
    prompt: 'Can ChatGPT be used offline?',
    items: [
      [
        'discussion_board',
        'Offline mode for ChatGPT?',
        'My app calls ChatGPT and hangs when the user is offline. How do I find out?',
        true,
      ],
      [
        'news_forum',
        'Run an open model on a laptop',
        'ChatGPT itself needs the network, these open weights do not.',
      ],
    ],
    quoted: ['ChatGPT itself needs the network, these open weights do not.'],
  },
  {
    name: 'who asks who does not only read what it is',
    prompt: 'Wer hat den Reißverschluss erfunden?',
    items: [
      [
        'encyclopedia',
        'Reißverschluss',
        'Der Reißverschluss ist ein Verschluss, der zwei Kanten aus Stoff verbindet. Als Erfinder gilt Gideon Sundbäck, der 1913 das erste brauchbare Modell baute.',
      ],
      ['microblog', '', 'Der Reißverschluss klemmt, und es ist erst Montag.'],
    ],
    quoted: [
      'Der Reißverschluss ist ein Verschluss, der zwei Kanten aus Stoff verbindet.',
      'Als Erfinder gilt Gideon Sundbäck, der 1913 das erste brauchbare Modell baute.',
      'Der Reißverschluss klemmt, und es ist erst Montag.',
    ],
  },
];
