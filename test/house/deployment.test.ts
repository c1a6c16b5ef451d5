/** What docker-compose.yml and the Dockerfile promise: no engine is needed to see whether they keep it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/config.ts';
import { REPOSITORY } from './sources.ts';

const read = (name: string) => readFile(path.join(REPOSITORY, name), 'utf8');

const service = z.object({
  image: z.string(),
  user: z.string().optional(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  read_only: z.boolean(),
  cap_drop: z.array(z.string()),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.array(z.string()),
  privileged: z.literal(false).default(false),
  tmpfs: z.array(z.string()),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  profiles: z.array(z.string()).default([]),
  secrets: z.array(z.string()).default([]),
  restart: z.string(),
  deploy: z.object({ replicas: z.int() }).optional(),
  stop_grace_period: z.string().optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z
    .union([z.object({ disable: z.literal(true) }), z.object({ test: z.array(z.string()) })])
    .optional(),
});
const composition = z.object({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.object({ internal: z.boolean() }).nullable()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

const { services, networks, secrets } = composition.parse(
  parse(await read('docker-compose.yml'), { merge: true }),
);
const dockerfile = await read('Dockerfile');
const named = Object.entries(services);
const OURS = ['migrate', 'worker', 'service', 'api'];
const of = (name: string) => service.parse(services[name]);

test('has everything, and nothing that has to be asked for by name', () => {
  expect(Object.keys(services).sort()).toEqual([...OURS, 'grafana', 'postgres', 'redis'].sort());
  expect(named.flatMap(([, { profiles }]) => profiles)).toEqual([]);
  expect(of('worker').deploy?.replicas).toBeGreaterThan(1);
});

test.each(named)('%s runs with nothing that it does not need', (name, one) => {
  expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'], cap_add: [], privileged: false });
  expect(one.security_opt).toContain('no-new-privileges:true');
  expect(one.tmpfs.join(), 'a read-only root needs a place for what is passing').toContain('/tmp');
  expect(one.image, 'says which version').toMatch(/:\d/);
  // Grafana's image has a user of its own.
  if (name !== 'grafana') expect(one.user).toMatch(/^(?:node|postgres|redis)$/);
  for (const volume of one.volumes)
    expect(volume, 'no folder of the host, but to read').toMatch(/^\w+:|:ro$/);
});

test('nothing is published but to this machine, and Postgres and Redis not at all', () => {
  for (const [, { ports }] of named) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  for (const store of ['postgres', 'redis'])
    expect(of(store)).toMatchObject({ ports: [], networks: ['stores'] });
  expect(networks['stores']).toEqual({ internal: true });
});

test('each says how it is found to be healthy, or why not; whoever needs the stores waits for them', () => {
  expect(of('migrate')).toMatchObject({ healthcheck: { disable: true }, restart: 'no' });
  for (const [name, { healthcheck }] of named)
    if (name !== 'migrate' && name !== 'worker') expect(healthcheck, name).toHaveProperty('test');
  expect(of('worker').healthcheck, 'its own stands in the image').toBeUndefined();
  expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  expect(of('migrate').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  for (const name of ['worker', 'service', 'api', 'grafana'])
    expect(of(name).depends_on).toEqual({
      migrate: { condition: 'service_completed_successfully' },
      postgres: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    });
});

test('Redis keeps what it has, and throws no job away', () => {
  const command = [of('redis').command].flat().join(' ');
  expect(command).toMatch(/--appendonly yes/);
  expect(command).toMatch(/--maxmemory-policy noeviction/);
  expect(command).toMatch(/requirepass \$\$\(cat \/run\/secrets\/redis_password\)/);
});

test('a worker has longer to end than it gives its runs', () => {
  for (const name of ['worker', 'api', 'service'])
    expect(Number(/^(\d+)s$/.exec(of(name).stop_grace_period ?? '')?.[1])).toBeGreaterThan(30);
});

test('secrets come from files, and every variable is one that we read', async () => {
  const told = await read('docker-compose.yml');
  for (const [name, { environment, secrets: given }] of named) {
    for (const secret of given) expect(secrets, name).toHaveProperty(secret);
    for (const [variable, value] of Object.entries(environment)) {
      if (/PASSWORD|_KEY|_KEYS|SECRET|TOKEN|DATABASE.*URL|REDIS_URL/.test(variable))
        expect(String(value), `${name}: ${variable}`).toMatch(/^\/run\/secrets\/(\w+)$/);
      const file = /^\/run\/secrets\/(\w+)$/.exec(String(value))?.[1];
      if (file !== undefined) expect(given, `${name}: ${variable}`).toContain(file);
    }
  }
  // How each is made stands at the head.
  for (const secret of Object.keys(secrets)) expect(told).toMatch(new RegExp(`^#.*>${secret}$`, 'm'));
  const known = await read('src/config.ts');
  for (const name of OURS)
    for (const variable of Object.keys(of(name).environment))
      expect(`${known}SERVICE_API_KEYS SERVICE_PORT`).toContain(variable.replace(/_FILE$/, ''));
  expect(() => readConfig({ HOST: '0.0.0.0', PORT: '7810', SERVICE_PORT: '7811' })).not.toThrow();
});

test('the image is built in stages, holds production dependencies only, and runs as nobody special', () => {
  const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\w+)$/gm)].map(([, , name]) => name);
  expect(stages).toEqual(['deps', 'build', 'runtime']);
  expect(/^ARG BASE=(\S+)$/m.exec(dockerfile)?.[1]).toMatch(/^node:20-(?:bookworm|trixie)-slim$/);
  const [, runtime = ''] = dockerfile.split(' AS runtime\n');
  expect(runtime).not.toMatch(/^RUN /m);
  expect(runtime).toMatch(/--from=deps \/app\/node_modules/);
  expect(dockerfile).toMatch(/AS deps\n[^]*?npm ci --omit=dev --ignore-scripts/);
  expect(/^USER (\w+)$/m.exec(runtime)?.[1]).toBe('node');
  // Where its health is asked is where it is told.
  const port = /^ENV METRICS_PORT=(\d+)$/m.exec(runtime)?.[1];
  expect(runtime).toContain(`http://127.0.0.1:${port}/readyz`);
  expect(dockerfile).not.toMatch(/^(?:ENV|ARG) \w*(?:PASSWORD|SECRET|KEY|TOKEN|URL)/m);
});

test('nothing gets into the image but what it is made of', async () => {
  const lines = (await read('.dockerignore'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines[0]).toBe('*');
  const letIn = lines.slice(1).map((line) => line.replace('!', ''));
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, what = '']) =>
    what.split(' '),
  );
  expect([...new Set(copied)].sort()).toEqual(letIn.toSorted());
});

test('workers have a place on disk for responses that the database cannot take, owned by their user', () => {
  const directory = String(of('worker').environment['STRANDLINE_DATA_DIR']);
  expect(of('worker').volumes).toEqual([`spool:${directory}`]);
  expect(dockerfile).toContain(`RUN mkdir --parents --mode=0700 ${directory}\n`);
  expect(dockerfile).toContain('COPY --from=deps --chown=node:node /data /data\n');
});
