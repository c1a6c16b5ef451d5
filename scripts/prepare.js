// @ts-check
/** After `npm ci` in a checkout: puts the program together, so that its first start need not. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { findFolder, REPOSITORY } from './current-folder.js';

// Without the packages of development, a start compiles nothing either: it says what is missing.
if (existsSync(path.join(REPOSITORY, 'node_modules/esbuild')) && !existsSync(findFolder()))
  await import('./build-current.js');
