/** Answers as no service should send them, made from what services have sent. */
import type { Dialect } from '../../../src/protocol/dialect.ts';
import type { Operation } from '../../../src/model/enumerations.ts';
import { hostileName, hostileText, hostileValue } from './hostile.ts';
import { originalOf } from './originals.ts';
import { type Chance, chanceOf } from './random.ts';
import { Members, Raw, spotsOf, type Tree, treeOf, written } from './tree.ts';

export type Mutant = {
  operation: Operation;
  dialect: Dialect;
  contentType: string | null;
  body: Buffer;
};

const TYPES = [
  'application/json',
  'text/event-stream',
  'text/html',
  'application/json; charset=utf-16',
  null,
];

/** The answer of this number under a seed. */
export function mutantOf(seed: number, n: number): Mutant {
  const chance = chanceOf(seed, n);
  const { operation, dialect, value, events } = originalOf(chance);
  const trees = (events ?? [value]).map(treeOf);
  for (let left = chance.below(7); left > 0; left--) bend(trees, chance);
  const text = events === undefined ? framed(trees, chance) : streamed(trees, chance);
  let body = encoded(text, chance);
  for (let left = chance.onceIn(3) ? 1 + chance.below(3) : 0; left > 0; left--) body = damaged(body, chance);
  // What is longer is refused before anyone reads it.
  body = body.subarray(0, 20_000_000);
  const usual = events === undefined ? 'application/json' : 'text/event-stream';
  return { operation, dialect, contentType: chance.onceIn(4) ? chance.of(TYPES) : usual, body };
}

/** Changes one thing somewhere, or in place. */
function bend(trees: Tree[], chance: Chance): void {
  const spots = spotsOf(trees);
  const spot = chance.of(spots);
  const { holder, at } = spot;
  switch (chance.below(9)) {
    case 0: // removed
      if (Array.isArray(holder)) holder.splice(at, 1);
      else holder.pairs.splice(at, 1);
      if (trees.length === 0) trees.push(hostileValue(chance));
      return;
    case 1: // renamed
      if (holder instanceof Members) holder.pairs[at] = [hostileName(chance), spot.get()];
      return;
    case 2: // doubled, the second time perhaps otherwise
      if (Array.isArray(holder)) holder.splice(at, 0, spot.get());
      else holder.pairs.splice(at, 0, [holder.pairs[at]?.[0] ?? '', hostileValue(chance)]);
      return;
    case 3: // nested
      return spot.set(nested(spot.get(), chance));
    case 4: // in the place of another
      return spot.set(spot.get() === trees ? null : copied(chance.of(spots).get()));
    case 5: // text that is more than it was
      return spot.set(`${written(spot.get())}${hostileText(chance)}`);
    case 6: // one instead of many, many instead of one
      return spot.set(several(spot.get(), chance));
    default: // another value, of any type
      return spot.set(hostileValue(chance));
  }
}

/** With lists or objects around it, a few or more than anyone reads. */
function nested(value: Tree, chance: Chance): Tree {
  const levels = chance.onceIn(10) ? 5_000 : chance.below(80);
  const name = JSON.stringify(hostileName(chance).slice(0, 100));
  const [before, after] = chance.onceIn(2) ? ['[', ']'] : [`{${name}:`, '}'];
  return new Raw(before.repeat(levels) + written(value) + after.repeat(levels));
}

function several(value: Tree, chance: Chance): Tree {
  if (Array.isArray(value)) {
    if (chance.onceIn(2)) return value[0] ?? null;
    return new Members(value.map((item, i) => [chance.onceIn(5) ? hostileName(chance) : String(i), item]));
  }
  const most = 2_000_000 / (1 + written(value).length);
  const many = Math.min(most, chance.onceIn(30) ? 12_000 : chance.below(40));
  return Array.from({ length: many }, () => copied(value));
}

/** So that no tree holds itself. */
function copied(tree: Tree): Tree {
  if (Array.isArray(tree)) return tree.map(copied);
  if (tree instanceof Members) return new Members(tree.pairs.map(([name, value]) => [name, copied(value)]));
  return tree;
}

/** A whole answer, mostly as it is; or as a text in JSON, as a stream, behind a mark, between other things. */
function framed(trees: readonly Tree[], chance: Chance): string {
  const text = trees.map(written).join('');
  switch (chance.below(16)) {
    case 0:
      return JSON.stringify(text);
    case 1:
      return `data: {"type":"result","content":${text}}\n\n`;
    case 2:
      return `\ufeff \r\n${text}\n`;
    case 3:
      return text + chance.of([',', '}', ']', 'x', '{}', text.slice(0, 1_000)]);
    case 4:
      return JSON.stringify(JSON.stringify(text));
    default:
      return text;
  }
}

function streamed(trees: readonly Tree[], chance: Chance): string {
  const events = trees.map(written);
  if (chance.onceIn(8)) events.sort(() => chance.below(3) - 1);
  if (chance.onceIn(8)) events.splice(chance.below(events.length), 0, chance.of(NOISE));
  const [before, after] = chance.of(FRAMES);
  const text = events.map((event) => before + event + after).join('');
  if (chance.onceIn(8)) return text + chance.of(NOISE);
  return chance.onceIn(8) ? text.replaceAll('\n', chance.of(['\r', '\r\n', '\u2028'])) : text;
}

const FRAMES = [
  ['data: ', '\n\n'],
  ['data: ', '\n\n'],
  ['data:', '\n\n'],
  ['', ''],
  ['', '\n'],
  ['event: x\nid: \0\ndata: ', '\n\n'],
  ['data: ', ' '],
] as const;

const NOISE = [
  '[DONE]',
  ': ping\n\n',
  'event: error\ndata: it broke\n\n',
  '{"type":"error","error":{"message":"no"}}',
  '<html>502</html>',
  '{"detail":"Unauthorized"}',
  'retry: -1\n',
  '{"type":"completion","content":',
  '{"a":"\\u12',
];

function encoded(text: string, chance: Chance): Buffer {
  switch (chance.below(40)) {
    case 0:
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 1:
      return Buffer.from(text, 'utf16le').swap16();
    case 2:
      return Buffer.from(text, 'latin1');
    default:
      return Buffer.from(text, 'utf8');
  }
}

/** Bytes turned over, cut, left out, repeated or put in. */
function damaged(body: Buffer, chance: Chance): Buffer {
  if (body.length === 0) return body;
  const at = chance.below(body.length);
  const to = Math.min(body.length, at + 1 + chance.below(chance.onceIn(5) ? 5_000 : 20));
  switch (chance.below(6)) {
    case 0:
      return body.subarray(0, at);
    case 1:
      return Buffer.concat([body.subarray(0, at), body.subarray(to)]);
    case 2:
      return Buffer.concat([body.subarray(0, to), body.subarray(at)]);
    case 3: {
      const noise = Buffer.from(Array.from({ length: chance.below(20) }, () => chance.below(256)));
      return Buffer.concat([body.subarray(0, at), noise, body.subarray(at)]);
    }
    default: {
      const turned = Buffer.from(body);
      for (let left = 1 + chance.below(8); left > 0; left--) {
        const place = chance.below(turned.length);
        turned[place] = (turned[place] ?? 0) ^ (1 << chance.below(8));
      }
      return turned;
    }
  }
}
