/**
 * Secrets at rest: AES-256-GCM. What is sealed names the key that opens it and is bound to its place, so that
 * nobody who can write the database can move a secret to another row.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Refused } from '../domain/errors.ts';

export type Vault = {
  /** The first 8 digits of a hash of the master key: names it, and tells nothing of it. */
  keyId: string;
  /** @param place what it belongs to, such as `channels:7` @returns `v1:<key id>:<base64url of nonce, tag and text>` */
  seal(secret: string, place: string): string;
  /** @throws Refused `unavailable` where it was sealed with another key, elsewhere, or was changed */
  open(sealed: string, place: string): string;
};

const NONCE = 12;
const TAG = 16;
const ALGORITHM = 'aes-256-gcm';

/** @param master any text of at least 32 characters that nobody can guess */
export function vaultOf(master: string): Vault {
  const key = Buffer.from(hkdfSync('sha256', master, '', 'strandline secrets v1', 32));
  const keyId = createHash('sha256').update('strandline key id').update(key).digest('hex').slice(0, 8);
  return {
    keyId,
    seal: (secret, place) => {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(`v1:${keyId}:${place}`));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `v1:${keyId}:${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`;
    },
    open: (sealed, place) => {
      const [version, sealedWith = 'unknown', packed = ''] = sealed.split(':');
      if (version !== 'v1')
        throw new Refused('unavailable', 'a secret is sealed in a way that is not known here');
      if (sealedWith !== keyId)
        throw new Refused(
          'unavailable',
          `a secret is sealed with the master key ${sealedWith}, and this process has ${keyId}: set the same MASTER_KEY on every machine, or copy master.key from the data directory that made it`,
        );
      const bytes = Buffer.from(packed, 'base64url');
      try {
        // The length of the tag is said: of one that was cut off less would have to be guessed.
        const nonce = bytes.subarray(0, NONCE);
        const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG })
          .setAAD(Buffer.from(`v1:${keyId}:${place}`))
          .setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
        return decipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        throw new Refused(
          'unavailable',
          `a secret of ${place} was changed since it was sealed, or moved here`,
        );
      }
    },
  };
}

const FILE = 'master.key';

type Where = { masterKey: string | undefined; dataDir: string };

/**
 * The vault of this process: of the master key that is set, else of one in a file of the data directory that only
 * its owner can read. It is made at the first need.
 * @throws Refused `unavailable` where the file can be neither read nor made
 */
export function openVault(where: Where): Vault {
  return findVault(where) ?? vaultOf(atFile(where, makeKey));
}

/**
 * The same, and nothing is made.
 * @returns undefined where there is no key yet
 * @throws Refused `unavailable` where the file cannot be read
 */
export function findVault(where: Where): Vault | undefined {
  const master = where.masterKey ?? atFile(where, readKey);
  return master === undefined ? undefined : vaultOf(master);
}

/** Names the key that opens what was sealed, as {@link Vault.keyId} does. */
export function keyIdOf(sealed: string): string {
  return sealed.split(':')[1] ?? 'unknown';
}

function atFile<T>({ dataDir }: Where, work: (file: string) => T): T {
  const file = path.join(dataDir, FILE);
  try {
    return work(file);
  } catch (error) {
    if (error instanceof Refused) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new Refused(
      'unavailable',
      `the master key in ${file} cannot be read or made (${code}); MASTER_KEY sets one`,
    );
  }
}

/** @throws Refused where others may read it: then it is no secret any more */
function readKey(file: string): string | undefined {
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      throw new Refused('unavailable', `others may read the master key: run chmod 600 ${file}`);
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written aside and linked into place: of two processes that make one at once, the first one's holds, whole. */
function makeKey(file: string): string {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(aside, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(aside, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    unlinkSync(aside);
  }
  return readFileSync(file, 'utf8').trim();
}
