/** What a post says: by its role, its kind, and what it refers to. */
import type { MicroblogPost } from '../../contract/post.ts';
import { authorAt } from './author.ts';
import { drawsOf, subkey } from './random.ts';
import type { PostSeed, SeedStore } from './seeds.ts';
import { copyText, distraction, injection, longText, sarcasm, spam } from './noise.ts';
import { languageOf, postText, type Said } from './text.ts';
import type { TopicInWorld } from './topic.ts';

/** What a post holds that its counters do not change. */
export type Words = Pick<MicroblogPost, 'text' | 'lang' | 'media' | 'entities'>;

/** @returns writes the words of a post; the same each time */
export function createWriter(
  seeds: SeedStore,
  idOf: (topic: TopicInWorld, seed: PostSeed) => string,
): (topic: TopicInWorld, seed: PostSeed) => Words {
  const known = new WeakMap<PostSeed, Words>();

  function words(topic: TopicInWorld, seed: PostSeed): Words {
    const there = known.get(seed);
    if (there !== undefined) return there;
    const made = write(topic, seed);
    known.set(seed, made);
    return made;
  }

  function write(topic: TopicInWorld, seed: PostSeed): Words {
    const reference = seeds.reference(topic, seed);
    const draw = drawsOf(subkey(seed.key, 3));
    if (reference !== undefined && seed.wish === 'repost') {
      const repeated = words(topic, reference);
      return { ...repeated, text: `RT @${authorAt(reference.author, seed.at).username}: ${repeated.text}` };
    }
    if (reference !== undefined && seed.role === 'copy') {
      const copied = words(topic, reference);
      return { ...copied, text: copyText(draw, copied.text) };
    }
    const lang = languageOf(draw, topic.topic);
    const said = says();
    const picture = `https://images.chirp.example/posts/${idOf(topic, seed)}.jpg`;
    return {
      text: said.text,
      lang: said.lang ?? lang,
      media: draw() < 0.15 ? [{ type: 'photo', media_url: picture }] : [],
      entities: {
        hashtags: said.hashtags.map((tag) => ({ text: tag })),
        urls: said.links.map((link) => ({ url: link, expanded_url: link })),
        user_mentions: [],
      },
    };

    function says(): Said {
      switch (seed.role) {
        case 'sarcasm':
          return sarcasm(draw, topic.topic);
        case 'long':
          return longText(draw, topic.topic, lang);
        case 'distractor':
          return distraction(draw, topic.topic);
        case 'spam':
          return spam(draw, topic.topic);
        case 'injection':
          return injection(draw, topic.topic);
        case 'plain':
        case 'copy':
          return postText(draw, topic.topic, lang, kindOf(seed, reference));
      }
    }
  }

  return words;
}

function kindOf(seed: PostSeed, reference: PostSeed | undefined): 'original' | 'reply' | 'quote' {
  return reference === undefined || seed.wish === 'repost' ? 'original' : seed.wish;
}
