import type { Config } from '../config/config.ts';

/** What is shown in place of a secret. */
export const MASK = '(hidden)';

/** Values that must appear nowhere, whatever else goes wrong. */
export function listSecrets(config: Config): string[] {
  const inUrls = [config.databaseUrl, config.databaseReaderUrl, config.redisUrl, config.hosted?.url]
    .filter((url) => url !== undefined)
    .flatMap((url) => {
      const { password } = new URL(url);
      return [password, decodePassword(password)];
    });
  return [...inUrls, ...config.secrets.map((secret) => secret.trim())].filter((one) => one !== '');
}

function decodePassword(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
