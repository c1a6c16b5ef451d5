/** This program's version. */

import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** This program's version, from its package.json: one folder above, in the sources as in the build. */
export const { version: VERSION } = JSON.parse(manifest) as { version: string }; // npm installs no package without one
