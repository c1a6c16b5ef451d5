import { counted } from '../kit/number.tsx';
import { countsNothing, type TopicPulse } from './pulses.ts';

/** From here on a topic is called louder than usual, and up to there quieter. */
const LOUDER = 1.5;
const QUIETER = 0.5;

/** What is going on, in a sentence or two. */
export function leadOf(all: readonly TopicPulse[]): string {
  const pulses = all.filter((one) => !countsNothing(one));
  const loud = pulses.filter(({ pulse, spikes }) => (pulse.ratio ?? 0) >= LOUDER || spikes.length > 0);
  const quiet = pulses.filter(({ pulse }) => pulse.ratio !== null && pulse.ratio <= QUIETER);
  const unknown = pulses.filter(({ pulse }) => pulse.ratio === null);
  const amiss = all.reduce((sum, one) => sum + one.amiss.length, 0);
  const says: string[] = [];
  if (loud.length > 0) says.push(`${namesOf(loud)} ${loud.length === 1 ? 'is' : 'are'} louder than usual`);
  if (quiet.length > 0) says.push(`${namesOf(quiet)} ${quiet.length === 1 ? 'is' : 'are'} quieter`);
  const known = pulses.length - unknown.length;
  if (says.length === 0 && known > 0)
    says.push(
      `${known === pulses.length ? 'All topics are' : `${counted(known, 'topic')} ${known === 1 ? 'is' : 'are'}`} about as loud as usual`,
    );
  if (unknown.length > 0 && known === 0)
    says.push('What is usual is not known yet: three days must be observed first');
  if (amiss > 0)
    says.push(`${counted(amiss, 'search', 'searches')} ${amiss === 1 ? 'needs' : 'need'} attention`);
  return says.map((one) => `${one}.`).join(' ');
}

const MOST_NAMED = 3;

function namesOf(pulses: readonly TopicPulse[]): string {
  const names = pulses.slice(0, MOST_NAMED).map(({ topic }) => topic.name);
  const more = pulses.length - names.length;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
