/** Food and who makes it. */
import type { Topic } from '../topic.ts';

export const sourdough: Topic = {
  slug: 'sourdough',
  name: 'Sourdough baking',
  subject: 'sourdough',
  phrases: ['sourdough', 'bread baking'],
  postsPerDay: 700,
  documentsPerDay: 16,
  daily: { share: 0.5, topHour: 9 },
  languages: { en: 0.74, es: 0.13, fr: 0.13 },
  hashtags: ['Sourdough', 'Crumb', 'BakeDay'],
  places: ['the kitchen on Mill Lane', 'the Oat & Ember bakery', 'my windowsill', 'the night school'],
  who: ['my neighbour Tove', 'the baker at Oat & Ember', 'my starter', 'the Sunday baking club'],
  things: ['the rye starter', 'a cold proof', 'the banneton', 'spelt flour', 'the scoring knife'],
  sentences: {
    en: [
      'Day {n} with {thing} and it finally doubles in size.',
      '{who} says {thing} needs {n} hours more, I say it is ready.',
      'The crumb is open, the crust is loud, {subject} is worth the wait.',
      'Forgot {thing} at {place} overnight and the loaf came out better than ever.',
      'Baking at {hour}:00 because {who} does not sleep.',
      'Is {n} percent hydration too much for a beginner?',
      'Bought {thing} from {place} and regret nothing.',
      'Flat loaf number {n}. Still eating it.',
    ],
    es: ['Día {n} con la masa madre y por fin sube.', 'El pan salió plano, pero se come igual.'],
    fr: ['Jour {n} avec mon levain, il double enfin.', 'La croûte chante, la mie est parfaite.'],
  },
};

export const wildMushrooms: Topic = {
  slug: 'wild-mushrooms',
  name: 'Wild mushrooms',
  subject: 'wild mushrooms',
  phrases: ['wild mushrooms', 'mushroom foraging'],
  postsPerDay: 75,
  documentsPerDay: 6,
  daily: { share: 0.5, topHour: 10 },
  languages: { en: 0.5, de: 0.3, fr: 0.2 },
  hashtags: ['Mushrooms', 'Foraging'],
  places: ['the beech wood', 'the north slope', 'the mossy ditch'],
  who: ['the mushroom adviser', 'grandmother Lene', 'the hospital'],
  things: ['a giant puffball', 'the false chanterelle', 'a basket of ceps', 'the wrong one'],
  sentences: {
    en: [
      '{who} looked at {thing} and shook her head.',
      '{n} minutes at {place} and the basket is full.',
      'Never eat {thing} because a post told you so, says {who}.',
      '{thing} the size of a football at {place}.',
      'Dried {n} jars of {subject}, the kitchen smells of forest.',
    ],
    de: ['Nach {n} Minuten war der Korb voll.', 'Die Beraterin sagt: stehen lassen!'],
    fr: ['Panier plein en {n} minutes.', 'Attention aux faux, demandez conseil.'],
  },
};

export const coffeeHarvest: Topic = {
  slug: 'coffee-harvest',
  name: 'Coffee harvest',
  subject: 'the coffee harvest',
  phrases: ['coffee harvest', 'coffee prices'],
  postsPerDay: 480,
  documentsPerDay: 10,
  daily: { share: 0.45, topHour: 8 },
  languages: { en: 0.5, pt: 0.3, es: 0.2 },
  hashtags: ['CoffeeHarvest', 'Beans'],
  places: ['the Sandoval hills', 'the port warehouse', 'the roastery on Mill Lane'],
  who: ['the growers’ cooperative', 'my barista', 'the commodity desk'],
  things: ['the frost', 'the washed lot', 'the price of a sack', 'a new roast'],
  sentences: {
    en: [
      '{who} lost {n} percent of {subject} to {thing}.',
      'A cup at {place} is now {n} crowns. I sat down.',
      '{thing} from {place} tastes of plum, {who} was right.',
      '{who} expects {thing} to last until {hour}:00 news at least.',
      'First sacks of {subject} reached {place}.',
    ],
    pt: [
      'A geada levou {n} por cento da safra.',
      'O preço da saca subiu de novo.',
      'A cooperativa espera {n} mil sacas.',
    ],
    es: ['La helada se llevó {n} por ciento de la cosecha.', 'El café sube otra vez.'],
  },
};

export const schoolKitchens: Topic = {
  slug: 'school-kitchens',
  name: 'School kitchens',
  subject: 'school kitchens',
  phrases: ['school kitchens', 'school kitchen', 'school meals'],
  postsPerDay: 160,
  documentsPerDay: 7,
  daily: { share: 0.65, topHour: 12 },
  languages: { en: 0.6, fr: 0.25, pt: 0.15 },
  hashtags: ['SchoolKitchen', 'LunchTray'],
  places: ['the canteen of Mill Lane', 'Karstheim primary', 'the town hall'],
  who: ['the cooks', 'the parents’ council', 'a six-year-old critic'],
  things: ['lentil Tuesday', 'the salad bar', 'the new stove', 'the fish fingers'],
  sentences: {
    en: [
      '{who} voted: {thing} stays.',
      '{n} plates came back empty at {place} today.',
      '{who} wants {thing} back at {place}.',
      'Why does {thing} cost {n} crowns at {place}?',
      '{thing} at {place} was, quote, not disgusting.',
    ],
    fr: ['{n} assiettes vides à midi, les cuisiniers sont fiers.', 'Le conseil vote ce soir à {hour} h.'],
    pt: ['As crianças gostaram da sopa, {n} pratos repetidos.'],
  },
};

export const olivePress: Topic = {
  slug: 'olive-press',
  name: 'Olive press',
  subject: 'the village olive press',
  phrases: ['olive press', 'olive oil cooperative'],
  postsPerDay: 12,
  documentsPerDay: 2,
  daily: { share: 0.4, topHour: 11 },
  languages: { es: 0.5, en: 0.35, ar: 0.15 },
  hashtags: ['OlivePress'],
  places: ['the stone mill', 'terrace 9', 'the tasting room'],
  who: ['the press master', 'cousin Tariq', 'the oil panel'],
  things: ['the first pressing', 'the old millstone', 'a bitter batch'],
  sentences: {
    en: [
      '{who} began {thing} at {hour}:00 sharp.',
      '{n} kilos from {place}, {who} calls it {thing}.',
      '{thing} broke, {place} is quiet for {n} days.',
    ],
    es: ['Primera prensada a las {hour}, huele todo el pueblo.', '{n} kilos de la terraza nueve.'],
    ar: ['بدأت المعصرة بعد {n} ساعات من الانتظار.', 'زيت هذا العام ممتاز.'],
  },
};
