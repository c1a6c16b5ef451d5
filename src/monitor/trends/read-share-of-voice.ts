/** Share of voice: topics beside each other, each by what was observed of it. */
import { DAY } from '../../domain/time.ts';
import {
  averageVoices,
  readVoiceDays,
  type VoiceDayRow,
  type VoiceRow,
} from '../../store/queries/share-of-voice.ts';
import type { Context } from '../context.ts';

/** Topics and days at most; more than anybody compares. */
const MAX_SHARE_ROWS = 100_000;

/** A topic among those it is compared with; its days are those of the view `share_of_voice`. */
export type ShareOfVoice = VoiceRow & { from: Date; until: Date; buckets: VoiceDayRow[] };

/** The last whole days (UTC); topics of another kind of service are compared apart. */
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
