/** Enough for any text: a UTF-16 unit takes three bytes of UTF-8 at most. */
const BYTES_PER_UNIT = 3;

/**
 * Texts of one column, one behind the other in one buffer that is used again and again. As strings they would
 * outlive the young generation, and as arrays of their own take several times what they hold.
 */
export type TextColumn = {
  isText: true;
  push(text: string | null): void;
  /** Views on the buffer: good until `clear`. */
  values(): (Uint8Array | null)[];
  clear(): void;
  bytes(): number;
};

export function textColumn(): TextColumn {
  let buffer = Buffer.allocUnsafeSlow(2 ** 12);
  let used = 0;
  /** Where each text ends; negative where there is none. */
  let ends: number[] = [];
  return {
    isText: true,
    push: (text) => {
      if (text === null) {
        ends.push(-1);
        return;
      }
      const needed = used + text.length * BYTES_PER_UNIT;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length));
        buffer.copy(larger, 0, 0, used);
        buffer = larger;
      }
      used += buffer.write(text, used);
      ends.push(used);
    },
    values: () => {
      let start = 0;
      return ends.map((end) => {
        if (end < 0) return null;
        const view = buffer.subarray(start, end);
        start = end;
        return view;
      });
    },
    clear: () => {
      used = 0;
      ends = [];
    },
    bytes: () => used,
  };
}
