/**
 * Simulated authors: one population for all topics, with regulars for each topic. An author is a function of a number;
 * names, handles and ids never change, and counters only grow.
 */
import type { MicroblogAuthor } from '../../protocol/specification.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import { type Draw, createDraw, type Key, hashKey, drawLogNormal, pickOne, deriveKey } from './random.ts';

const CROWD_SIZE = 40_000;
const CROWD_KEY = hashKey('the crowd');
/** Accounts are created between 2009-01-01 and 2019-12-31. */
const FIRST_ACCOUNT = 1_230_768_000_000;
const LAST_ACCOUNT = 1_577_750_400_000;
const MAX_FOLLOWERS = 50_000_000;

const GIVEN_NAMES =
  'Ida Tove Ruan Amara Jonas Mirel Pelle Suri Kofi Lene Odo Yuna Bram Esme Tariq Vela'.split(' ');
const FAMILY_NAMES =
  'Thorsund Lindqvist Ekstad Vellmar Aubry Karst Osk Lenn Marrow Sandoval Okoye Brandt'.split(' ');
const PLACES = ['Vellmar', 'Karstheim', 'Pont-Aubry', 'Lenn', 'Osk Point', '', '', ''];
const TRADES = ['teacher', 'ferry pilot', 'baker', 'gardener', 'engineer', 'student', 'nurse', 'librarian'];
const LIKES = [
  'long walks',
  'maps',
  'old radios',
  'tea',
  'slow travel',
  'choir music',
  'tide tables',
  'bread',
];

/** Draws the author of a post: a few regulars write most posts; which ones depends on the topic. */
export function drawAuthor(draw: Draw, topic: Key): number {
  return (Math.floor(CROWD_SIZE * draw() ** 2.5) * 7_919 + (topic[0] % CROWD_SIZE)) % CROWD_SIZE;
}

/** The fixed properties of an author, and how fast counters grow. */
type Person = Omit<
  MicroblogAuthor,
  'followers_count' | 'statuses_count' | 'favourites_count' | 'listed_count' | 'media_count' | 'verified'
> & {
  created: number;
  followers: number;
  perDay: number;
  likes: number;
  pictures: number;
  verifiable: boolean;
};

/** Final followers: log-normal, one in fifty with a Pareto tail. */
export function computeFinalFollowers(author: number): number {
  const fame = createDraw(deriveKey(CROWD_KEY, author));
  const body = drawLogNormal(fame, 320, 1.6);
  // Exponent 1.276 of the survival function is 2.276 of the density (Kwak and others, WWW 2010).
  const tail = fame() < 0.02 ? 5_000 * (1 - fame()) ** (-1 / 1.276) : 0;
  return Math.floor(Math.min(MAX_FOLLOWERS, body + tail));
}

/** The author at a time (ms since 1970). */
export function renderAuthor(author: number, at: number): MicroblogAuthor {
  const person = createPerson(author);
  const { created, perDay } = person;
  // Age in whole hours, so that counters change at most once an hour.
  const days = Math.max(0, Math.floor((at - created) / HOUR) / (DAY / HOUR));
  const followers = Math.floor(person.followers * (1 - Math.exp(-days / 1_500)));
  const statuses = Math.floor(perDay * days);
  return {
    id: person.id,
    url: person.url,
    name: person.name,
    username: person.username,
    created_at: person.created_at,
    description: person.description,
    favourites_count: Math.floor(perDay * days * person.likes),
    followers_count: followers,
    listed_count: Math.floor(followers / 120),
    profile_image_url: person.profile_image_url,
    statuses_count: statuses,
    media_count: Math.floor(statuses * person.pictures),
    verified: person.verifiable && followers > 20_000,
    is_blue_verified: person.is_blue_verified,
    can_dm: person.can_dm,
    can_media_tag: person.can_media_tag,
    location: person.location,
  };
}

function createPerson(author: number): Person {
  const draw = createDraw(deriveKey(deriveKey(CROWD_KEY, author), 1));
  const firstName = pickOne(draw, GIVEN_NAMES);
  const lastName = pickOne(draw, FAMILY_NAMES);
  const username = `${firstName}${draw() < 0.5 ? lastName : ''}_${author.toString(36)}`.toLowerCase();
  const created = Math.floor((FIRST_ACCOUNT + draw() * (LAST_ACCOUNT - FIRST_ACCOUNT)) / HOUR) * HOUR;
  return {
    // Seven to ten digits, as real author ids can be that short.
    id: String(1_000_003 + author * 104_729),
    url: `https://chirp.example/${username}`,
    name: `${firstName} ${lastName}`,
    username,
    created_at: new Date(created).toISOString(),
    created,
    followers: computeFinalFollowers(author),
    perDay: drawLogNormal(draw, 1.5, 1),
    verifiable: draw() < 0.6,
    description: `${pickOne(draw, TRADES)}, ${pickOne(draw, LIKES)} and ${pickOne(draw, LIKES)}`,
    likes: 0.5 + 2 * draw(),
    pictures: 0.2 * draw(),
    profile_image_url: `https://images.chirp.example/people/${author.toString(36)}.png`,
    is_blue_verified: draw() < 0.1,
    can_dm: draw() < 0.4,
    can_media_tag: draw() < 0.8,
    location: pickOne(draw, PLACES),
  };
}
