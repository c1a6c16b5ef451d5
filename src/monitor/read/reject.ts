import { RunError, type RunCode } from '../../errors.ts';
import { clean } from '../../contract/text.ts';
import type { RejectCode } from '../../errors.ts';
import type { Reject } from './findings.ts';
import { boundedJson } from './kept-json.ts';

const SAMPLE_MAX = 200;
const PATH_MAX = 200;
/** An answer of ten thousand broken items is told by its first thousand. */
const REJECTS_MAX = 1_000;

/** The rejects of one answer, gathered while it is read. */
export type Rejects = {
  readonly list: readonly Reject[];
  /** `path` is in the wire's own names, such as `miner_tweets[3].id`. */
  add(path: string, code: RejectCode, item: unknown): void;
};

export function createRejects(): Rejects {
  const list: Reject[] = [];
  return {
    list,
    add(path, code, item) {
      if (list.length >= REJECTS_MAX) return;
      list.push({ path: clean(path, PATH_MAX), code, sample: sampleOf(item) });
    },
  };
}

/** The beginning of an item as JSON, cleaned; a big item is not walked to its end. */
export function sampleOf(item: unknown): string {
  if (item === undefined) return '';
  const small = boundedJson(item, { depth: 3, nodes: 40, text: SAMPLE_MAX });
  return clean(JSON.stringify(small), SAMPLE_MAX);
}

/** An answer that cannot be used as a whole, with what was seen of it, to be stored beside the run. */
export class UnreadableAnswer extends RunError {
  readonly rejects: readonly Reject[];

  constructor(
    code: Extract<
      RunCode,
      | 'bad_json'
      | 'schema_mismatch'
      | 'stream_incomplete'
      | 'decode_error'
      | 'bad_content_type'
      | 'sources_down'
      | 'too_large'
    >,
    more: { detail?: string | undefined; rejects?: readonly Reject[] } = {},
  ) {
    super(code, { detail: more.detail });
    this.rejects = more.rejects ?? [];
  }
}
