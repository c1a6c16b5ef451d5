/**
 * Encrypts secrets at rest with AES-256-GCM. A ciphertext contains the ID of its key and is bound to its row, so that
 * somebody who can write to the database cannot move a secret to another row.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readErrorCode, Refused } from '../model/errors.ts';

export type Vault = {
  /** First 8 digits of a hash of the master key. Identifies the key without revealing it. */
  keyId: string;
  /** @param place the row, such as `channels:7` @returns `v1:<key id>:<base64url of nonce, tag and text>` */
  seal(secret: string, place: string): string;
  /** @throws Refused `unavailable` if it was encrypted with another key or for another place, or was changed */
  open(sealed: string, place: string): string;
};

const NONCE = 12;
const TAG = 16;
const ALGORITHM = 'aes-256-gcm';

/** @param master a random text of at least 32 characters */
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
        throw new Refused(
          'unavailable',
          'a stored secret has an unknown format; it may come from a later version of strandline',
        );
      if (sealedWith !== keyId)
        throw new Refused(
          'unavailable',
          `a stored secret was encrypted with the master key ${sealedWith}, but this process has ${keyId}. Set the same MASTER_KEY on every machine, or copy master.key from the original data directory`,
        );
      const bytes = Buffer.from(packed, 'base64url');
      try {
        // Fix the tag length: a truncated tag would be easier to forge.
        const nonce = bytes.subarray(0, NONCE);
        const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG })
          .setAAD(Buffer.from(`v1:${keyId}:${place}`))
          .setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
        return decipher.update(bytes.subarray(NONCE + TAG), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        throw new Refused(
          'unavailable',
          `the stored secret of ${place} was modified, or moved from another row`,
        );
      }
    },
  };
}

const FILE = 'master.key';

type Where = { masterKey: string | undefined; dataDir: string };

/**
 * The vault of this process, with the configured master key, or else with a key file in the data directory, created on
 * first use with mode 0600.
 * @throws Refused `unavailable` if the file cannot be read or created
 */
export function openVault(where: Where): Vault {
  return findVault(where) ?? vaultOf(atFile(where, makeKey));
}

/**
 * Like {@link openVault}, but creates nothing.
 * @returns undefined if there is no key yet
 * @throws Refused `unavailable` if the file cannot be read
 */
export function findVault(where: Where): Vault | undefined {
  const master = where.masterKey ?? atFile(where, readKey);
  return master === undefined ? undefined : vaultOf(master);
}

/** The ID of the key that encrypted a secret, see {@link Vault.keyId}. */
export function keyIdOf(sealed: string): string {
  return sealed.split(':')[1] ?? 'unknown';
}

function atFile<T>({ dataDir }: Where, work: (file: string) => T): T {
  const file = path.join(dataDir, FILE);
  try {
    return work(file);
  } catch (error) {
    if (error instanceof Refused) throw error;
    const code = readErrorCode(error) ?? 'unknown';
    throw new Refused(
      'unavailable',
      `cannot read or create the master key file ${file} (${code}). Set MASTER_KEY instead.`,
    );
  }
}

/** @throws Refused if other users can read it */
function readKey(file: string): string | undefined {
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      throw new Refused('unavailable', `other users can read the master key. Run: chmod 600 ${file}`);
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a temporary file and links it into place: of two concurrent processes, the first wins and the file is complete.
 */
function makeKey(file: string): string {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(aside, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(aside, file);
  } catch (error) {
    if (readErrorCode(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(aside);
  }
  return readFileSync(file, 'utf8').trim();
}
