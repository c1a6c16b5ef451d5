/** The finalizer of MurmurHash3: each input bit affects half of the output bits. A signed integer of 32 bits, as is what is given. */
export function mixBits(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
