/** Share of voice of topics, corrected for coverage. */
import { DAY } from '../../lib/time.ts';
import {
  averageVoices,
  readVoiceDays,
  type VoiceDayRow,
  type VoiceRow,
} from '../../store/queries/share-of-voice.ts';
import type { Context } from '../context.ts';

/** Maximum rows (topics times days); practically unlimited. */
const MAX_SHARE_ROWS = 100_000;

/** A compared topic, with its days as in the view `share_of_voice`. */
export type ShareOfVoice = VoiceRow & { from: Date; until: Date; buckets: VoiceDayRow[] };

/** Reads the last whole UTC days of topics. Topics of different kinds of service are compared separately. */
export async function readShareOfVoice(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  topics: readonly string[],
  days: number,
): Promise<ShareOfVoice[]> {
  const until = Math.floor(clock.now().getTime() / DAY) * DAY;
  const span = { from: new Date(until - days * DAY), until: new Date(until) };
  const rows = await readVoiceDays(db, { ...span, topics, limit: MAX_SHARE_ROWS });
  return averageVoices(rows).map((voice) => ({
    ...voice,
    ...span,
    buckets: rows.filter((row) => row.topic === voice.topic && row.service_kind === voice.service_kind),
  }));
}
