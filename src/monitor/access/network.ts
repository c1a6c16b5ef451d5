/** By what an address is counted: whoever has one of IPv6 has as many as they like, all with the same first half. */

/** @param address as a socket tells it. @returns an address of IPv4, or the first 64 bits of one of IPv6 */
export function networkOf(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'));
  const before = groups(head);
  const after = groups(tail);
  const between = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: between }, () => '0'), ...after].slice(0, 4).join(':');
}
