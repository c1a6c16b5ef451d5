/** The image of the Dockerfile, built and run on a bare Debian as root: no engine, and nothing from a registry of images. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { z } from 'zod';
import { REPOSITORY } from '../house/sources.ts';
import { makeDirectory } from '../temporary.ts';

const run = promisify(execFile);
const script = (name: string) => path.join(REPOSITORY, 'test/image', name);
const MAX_OUTPUT = 64 * 1024 * 1024;

/** Kept from one run to the next, for the sake of its base; readable by nobody else. */
const STORE = path.join(tmpdir(), 'strandline-image');
const BASE = 'localhost/strandline-base:24';

/**
 * The storage driver by which an image can be built here.
 * @returns undefined where none can be, which is said, unless `STRANDLINE_REQUIRE` names `image`
 * @throws Error where it is required and cannot be
 */
export function findDriver(): string | undefined {
  try {
    return execFileSync('bash', [script('can-build.sh')], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch (error) {
    const why = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    if (process.env['STRANDLINE_REQUIRE']?.split(',').includes('image') === true)
      throw new Error(`STRANDLINE_REQUIRE=image, but ${why}`, { cause: error });
    process.stderr.write(`The test of the image is left out, and counted as skipped: ${why}\n`);
    return undefined;
  }
}

const described = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      WorkingDir: z.string(),
      Healthcheck: z.object({ Test: z.array(z.string()) }),
    }),
  }),
});
export type Described = z.infer<typeof described>['Docker']['config'];

export type Image = {
  /** What the image says of itself. */
  config: Described;
  /** Its files, from outside. */
  root: string;
  /** A folder of its user, to be mounted as a volume. */
  makeVolume(): Promise<string>;
  remove(): Promise<void>;
};

export async function buildImage(driver: string): Promise<Image> {
  await mkdir(STORE, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(STORE);
  if (uid !== 0 || (mode & 0o077) !== 0) throw new Error(`${STORE} is not ours alone: remove it`);
  const options = [
    '--storage-driver',
    driver,
    '--root',
    path.join(STORE, driver),
    '--runroot',
    path.join(STORE, 'run'),
  ];
  const buildah = async (...args: string[]) => {
    const { stdout } = await run('buildah', [...options, ...args], {
      cwd: REPOSITORY,
      maxBuffer: MAX_OUTPUT,
    });
    return stdout.trim();
  };
  const directory = await makeDirectory(tmpdir());
  const has = (name: string) =>
    buildah('inspect', '--type', 'image', name).then(
      () => true,
      () => false,
    );
  if (!(await has(BASE)))
    await run('bash', [script('base.sh'), BASE], {
      env: { ...process.env, BUILDAH: options.join(' ') },
      maxBuffer: MAX_OUTPUT,
    });
  const name = `localhost/strandline-test-${process.pid}`;
  const npm = await npmSettings(directory);
  await buildah(
    'build',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '--layers=false',
    '--tag',
    name,
    '--build-arg',
    `BASE=${BASE}`,
    ...npm.flatMap((volume) => ['--volume', volume]),
    '.',
  );
  const { config } = described.parse(JSON.parse(await buildah('inspect', '--type', 'image', name))).Docker;
  const container = await buildah('from', name);
  const root = await buildah('mount', container);
  let volumes = 0;
  return {
    config,
    root,
    makeVolume: async () => {
      const volume = path.join(directory, `volume-${(volumes += 1)}`);
      await mkdir(volume, { mode: 0o700 });
      const { uid: user, gid } = await stat(path.join(root, 'data/strandline'));
      await chown(volume, user, gid);
      return volume;
    },
    remove: async () => {
      await buildah('rm', container);
      await buildah('rmi', name);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What `npm ci` in the image needs of this machine, as volumes of the build: none of it stays in the image. */
async function npmSettings(directory: string): Promise<string[]> {
  const get = async (key: string) => {
    const { stdout } = await run('npm', ['config', 'get', key], { cwd: REPOSITORY });
    return ['null', 'undefined', ''].includes(stdout.trim()) ? undefined : stdout.trim();
  };
  const settings: Record<string, string | undefined> = {
    registry: await get('registry'),
    proxy: await get('proxy'),
    'https-proxy': await get('https-proxy'),
    noproxy: await get('noproxy'),
    'prefer-offline': 'true',
  };
  const volumes: string[] = [];
  const cache = await get('cache');
  if (cache !== undefined) {
    await mkdir(cache, { recursive: true });
    volumes.push(`${cache}:/root/.npm`);
  }
  const authority = (await get('cafile')) ?? process.env['NODE_EXTRA_CA_CERTS'];
  if (authority !== undefined) {
    const copy = path.join(directory, 'authority.pem');
    await copyFile(authority, copy);
    volumes.push(`${copy}:/run/authority.pem:ro`);
    settings['cafile'] = '/run/authority.pem';
  }
  const file = path.join(directory, 'npmrc');
  const lines = Object.entries(settings).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}\n`],
  );
  await writeFile(file, lines.join(''));
  return [...volumes, `${file}:/root/.npmrc:ro`];
}

export type Container = {
  /** Lines of both its outputs so far. */
  said: string[];
  /** How it ended. */
  ended: Promise<number | null>;
  /** Runs one more program in it. */
  exec(...command: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** An orderly end, as `docker stop` asks for it. @returns the code it ended with */
  stop(): Promise<number | null>;
};

/** Starts `command`, an argument of the image's entry point, as docker-compose.yml does. */
export async function startContainer(
  { config, root }: Image,
  options: { command: readonly string[]; env: Record<string, string>; volume: string },
): Promise<Container> {
  const env = [...config.Env, ...Object.entries(options.env).map(([key, value]) => `${key}=${value}`)];
  const entered = (command: readonly string[]) => [
    'chroot',
    root,
    'setpriv',
    '--reuid',
    config.User,
    '--regid',
    config.User,
    '--clear-groups',
    '--no-new-privs',
    '--inh-caps=-all',
    '--bounding-set=-all',
    'env',
    '--ignore-environment',
    `--chdir=${config.WorkingDir}`,
    ...env,
    ...command,
  ];
  const child = spawn(
    'unshare',
    [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      'bash',
      script('container.sh'),
      root,
      options.volume,
      ...entered([...config.Entrypoint, ...options.command]),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const said: string[] = [];
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => void said.push(line));
  const ended = once(child, 'close').then(() => child.exitCode);
  /** The first process inside, by its number outside. */
  const inside = async () =>
    (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim().split(' ')[0];
  return {
    said,
    ended,
    exec: async (...command) => {
      const target = ['--target', String(await inside()), '--mount', '--pid'];
      return run('nsenter', [...target, ...entered(command)], { maxBuffer: MAX_OUTPUT }).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: { code: number; stdout: string; stderr: string }) => error,
      );
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const first = await inside();
        if (first !== undefined && first !== '') process.kill(Number(first), 'SIGTERM');
      }
      return ended;
    },
  };
}
