/** What posts and documents say: a small grammar over a topic's sentences, slots and hashtags. */
import { type Draw, pick } from './random.ts';
import type { Language, Topic } from './topic.ts';

const OPENINGS = [
  '',
  '',
  '',
  '',
  'Update: ',
  'Hot take: ',
  'For the record: ',
  'Small thing, but: ',
  'Psst. ',
  'Word is: ',
  'In case you missed it: ',
  'Overheard: ',
];
const ANSWERS = [
  'Same here. ',
  'Not sure about that. ',
  'Thank you! ',
  'Really? ',
  'This. ',
  'Good to know. ',
];
const REMARKS = ['Worth a look:', 'Says it all:', 'Cannot agree with this:', 'More of this, please:'];
const EMOJI = ['🎉', '👀', '😅', '🙌', '💡', '🌊', '🚀', '🥖', '👩‍🚀', '🏳️‍🌈', '❤️', '🤷🏽‍♀️'];
const SITES = ['vellmar-post.example', 'lantern.example', 'tidings.example', 'notebook.example'];

/** The words of a post; `lang` where it is not the language that was asked for. */
export type Said = { text: string; hashtags: string[]; links: string[]; lang?: Language };

/** A sentence of the topic in a language, its slots filled. */
export function sentence(draw: Draw, topic: Topic, language: Language): string {
  const filled = pick(draw, topic.sentences[language] ?? topic.sentences.en).replace(
    /\{(place|who|thing|n|hour|subject)\}/g,
    (_, slot: string) => fill(draw, topic, slot),
  );
  return filled.charAt(0).toUpperCase() + filled.slice(1);
}

function fill(draw: Draw, topic: Topic, slot: string): string {
  if (slot === 'n') return String(2 + Math.floor(draw() * 38));
  if (slot === 'hour') return String(8 + Math.floor(draw() * 15));
  if (slot === 'subject') return topic.subject;
  return pick(draw, slot === 'place' ? topic.places : slot === 'who' ? topic.who : topic.things);
}

/** The words of a post: what it is decides how it begins; some end with emoji, hashtags or a link. */
export function postText(
  draw: Draw,
  topic: Topic,
  language: Language,
  kind: 'original' | 'reply' | 'quote',
): Said {
  const parts: string[] = [];
  if (kind === 'quote' && language === 'en') parts.push(pick(draw, REMARKS));
  const said = sentence(draw, topic, language);
  const opening = kind === 'quote' ? '' : pick(draw, kind === 'reply' ? ANSWERS : OPENINGS);
  parts.push(language === 'en' ? opening + said : said);
  if (draw() < 0.2) parts.push(sentence(draw, topic, language));
  if (draw() < 0.25) parts.push(pick(draw, EMOJI));
  const hashtags = draw() < 0.35 ? [pick(draw, topic.hashtags)] : [];
  parts.push(...hashtags.map((tag) => `#${tag}`));
  const links =
    draw() < 0.12 ? [`https://${pick(draw, SITES)}/${Math.floor(draw() * 2 ** 32).toString(36)}`] : [];
  parts.push(...links);
  return { text: parts.join(language === 'ja' && parts.length === 2 ? '' : ' '), hashtags, links };
}

/** A post's language, by the topic's shares. */
export function languageOf(draw: Draw, topic: Topic): Language {
  let rest = draw();
  for (const language of Object.keys(topic.languages) as Language[]) {
    // Object.keys forgets the key type
    rest -= topic.languages[language] ?? 0;
    if (rest < 0) return language;
  }
  return 'en';
}
