/** An address without what only its owner may know: the password, and the values behind `?`. */
export function maskUrl(address: string): string {
  const url = new URL(address);
  if (url.password !== '') url.password = '***';
  for (const name of new Set(url.searchParams.keys()))
    if (/pass|key|token|secret/i.test(name)) url.searchParams.set(name, '***');
  return url.href;
}
