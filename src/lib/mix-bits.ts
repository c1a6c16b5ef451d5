/** The finalizer of MurmurHash3: each input bit affects half of the output bits. Takes and returns a signed 32-bit integer. */
export function mixBits(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
