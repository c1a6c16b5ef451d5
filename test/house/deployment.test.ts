/** What docker-compose.yml and the Dockerfile promise, checked without an engine. */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/config/config.ts';
import { listVariables } from '../../src/config/variable.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { makeDirectory } from '../temporary.ts';
import { readSources, REPOSITORY } from './sources.ts';

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
  mem_limit: z.string(),
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
const MIGRATE = ['migrate', 'migrate-sandbox'];
const OURS = [...MIGRATE, 'worker', 'service', 'api'];
const of = (name: string) => service.parse(services[name]);

test('has every service, with only Prometheus behind a profile', () => {
  expect(Object.keys(services).sort()).toEqual(
    [...OURS, 'grafana', 'postgres', 'prometheus', 'redis'].sort(),
  );
  expect(named.flatMap(([name, { profiles }]) => profiles.map((profile) => [name, profile]))).toEqual([
    ['prometheus', 'metrics'],
  ]);
  expect(of('worker').deploy?.replicas).toBeGreaterThan(1);
});

test.each(named)('%s runs with minimal privileges', (name, one) => {
  expect(one).toMatchObject({ read_only: true, cap_drop: ['ALL'], cap_add: [], privileged: false });
  expect(one.security_opt).toContain('no-new-privileges:true');
  expect(one.tmpfs.join(), 'a read-only root needs a place for what is passing').toContain('/tmp');
  expect(one.image, 'says which version').toMatch(/:v?\d/);
  expect(one.mem_limit, 'its memory is bounded, so that no other is killed for it').toMatch(/^\d+[mg]$/);
  // These images have a user of their own.
  if (!['grafana', 'prometheus'].includes(name)) expect(one.user).toMatch(/^(?:node|postgres|redis)$/);
  for (const volume of one.volumes)
    expect(volume, 'no folder of the host, but to read').toMatch(/^\w+:|:ro$/);
});

test('ports are published on localhost only, and not at all for Postgres and Redis', () => {
  for (const [, { ports }] of named) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  for (const store of ['postgres', 'redis'])
    expect(of(store)).toMatchObject({ ports: [], networks: ['stores'] });
  expect(networks['stores']).toEqual({ internal: true });
});

test('each service has a health check or a reason for none; dependents wait for the stores', () => {
  for (const name of MIGRATE)
    expect(of(name)).toMatchObject({
      healthcheck: { disable: true },
      restart: 'no',
      depends_on: { postgres: { condition: 'service_healthy' } },
    });
  for (const [name, { healthcheck }] of named)
    if (![...MIGRATE, 'worker'].includes(name)) expect(healthcheck, name).toHaveProperty('test');
  expect(of('worker').healthcheck, 'its own stands in the image').toBeUndefined();
  expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  for (const name of ['worker', 'service', 'api', 'grafana'])
    expect(of(name).depends_on).toEqual({
      ...Object.fromEntries(MIGRATE.map((one) => [one, { condition: 'service_completed_successfully' }])),
      postgres: { condition: 'service_healthy' },
      redis: { condition: 'service_healthy' },
    });
});

test('Redis persists its data and evicts no jobs', () => {
  const command = [of('redis').command].flat().join(' ');
  expect(command).toMatch(/--appendonly yes/);
  expect(command).toMatch(/--maxmemory-policy noeviction/);
  expect(command).toMatch(/requirepass \$\$\(cat \/run\/secrets\/redis_password\)/);
});

test('the stop timeout of a worker exceeds that of its runs', () => {
  for (const name of ['worker', 'api', 'service'])
    expect(Number(/^(\d+)s$/.exec(of(name).stop_grace_period ?? '')?.[1])).toBeGreaterThan(30);
});

test('secrets come from files, and every variable is a known one', async () => {
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
  for (const secret of Object.keys(secrets))
    expect(told).toMatch(new RegExp(`^#.*>(?:secrets/)?${secret}$`, 'm'));
  const known = listVariables(VARIABLES).map(([{ name }]) => name);
  for (const name of OURS)
    for (const variable of Object.keys(of(name).environment))
      expect(known).toContain(variable.replace(/_FILE$/, ''));
  expect(() => readConfig({ HOST: '0.0.0.0', PORT: '7810', SERVICE_PORT: '7811' })).not.toThrow();
});

test('the commands in the header of the file create the secrets', async () => {
  const told = await read('docker-compose.yml');
  const commands = /^# {3}(mkdir -m 700 secrets[^]*?&& cd \.\.)$/m
    .exec(told)?.[1]
    ?.replaceAll(/^# {3}/gm, '');
  const directory = await makeDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
  await promisify(execFile)('bash', ['-euc', commands ?? 'false'], { cwd: directory });
  const folder = path.join(directory, 'secrets');
  // The token comes from the program, once it runs.
  const made = Object.keys(secrets).filter((name) => name !== 'metrics_token');
  expect((await readdir(folder)).toSorted()).toEqual(['.gitignore', ...made].toSorted());
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const name of made) expect((await stat(path.join(folder, name))).mode & 0o777, name).toBe(0o644);
  for (const name of OURS) {
    const given = Object.entries(of(name).environment).map(([variable, value]) => [
      variable,
      String(value).replace('/run/secrets', folder),
    ]);
    expect(() => readConfig(Object.fromEntries(given)), name).not.toThrow();
  }
  const urls = ['database_owner_url', 'database_url', 'database_reader_url'];
  const logins = await Promise.all(
    urls.map(async (name) => new URL(await readFile(path.join(folder, name), 'utf8'))),
  );
  expect(logins.map(({ username }) => username)).toEqual([
    'strandline_owner',
    'strandline_app',
    'strandline_reader',
  ]);
  expect(new Set(logins.map(({ password }) => password)).size).toBe(3);
});

test('the image is built in stages, has only production dependencies, and runs as an unprivileged user', () => {
  const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\w+)$/gm)].map(([, , name]) => name);
  expect(stages).toEqual(['build', 'runtime']);
  expect(/^ARG BASE=(\S+)$/m.exec(dockerfile)?.[1]).toMatch(/^node:24-(?:bookworm|trixie)-slim$/);
  const [, runtime = ''] = dockerfile.split(' AS runtime\n');
  expect(runtime).not.toMatch(/^RUN /m);
  expect(runtime).toMatch(/--from=build \/app\/node_modules/);
  expect(dockerfile).toMatch(
    /AS build\n[^]*?npm ci --ignore-scripts[^]*?npm prune --omit=dev --ignore-scripts/,
  );
  expect(/^USER (\w+)$/m.exec(runtime)?.[1]).toBe('node');
  // Where its health is asked is where it is told: healthy.sh asks at METRICS_PORT.
  expect(runtime).toMatch(/^ENV METRICS_PORT=\d+$/m);
  expect(runtime).toMatch(/^HEALTHCHECK [^]*?CMD \["bash", "\/app\/healthy.sh"\]$/m);
  expect(dockerfile).not.toMatch(/^(?:ENV|ARG) \w*(?:PASSWORD|SECRET|KEY|TOKEN|URL)/m);
});

test('only what the image needs is copied into it', async () => {
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

test('files read at run time are in the image and in the package', async () => {
  const [, runtime = ''] = dockerfile.split(' AS runtime\n');
  const inImage = [...runtime.matchAll(/^COPY (?:--from=\S+ )?(.+) (\S+)$/gm)].flatMap(
    ([, what = '', to = '']) =>
      what.split(' ').map((from) => (to.endsWith('/') ? path.posix.join(to, path.posix.basename(from)) : to)),
  );
  const { files, scripts } = z
    .object({ files: z.array(z.string()), scripts: z.object({ build: z.string() }) })
    .parse(JSON.parse(await read('package.json')));
  const packed = [...files, 'package.json'];
  const holds = (all: readonly string[], file: string) =>
    all.some((one) => file === one || file.startsWith(`${one}/`));
  const built = /of \[(.+?)\]/.exec(scripts.build)?.[1]?.matchAll(/'(.+?)'/g) ?? [];
  const beside = [...built].map(([, part = '']) => `dist/${part}`);
  expect(beside.length).toBeGreaterThan(0);

  const opened: string[] = [];
  const sources = await readSources();
  for (const { file, text } of sources) {
    const places = [...text.matchAll(/new URL\(\s*['`]([^'`$]+)[^,]*,\s*import\.meta\.url/g)];
    for (const [, place = ''] of places)
      opened.push(path.posix.join(path.posix.dirname(file.replace(/^src\//, 'dist/')), place));
    // Its other uses are to find packages, which npm installs, and to see whether this program is compiled.
    const elsewhere = text.match(/(?:createRequire|path[.]extname)[(]import[.]meta[.]url[)]/g) ?? [];
    expect(text.split('import.meta').length - 1, file).toBe(places.length + elsewhere.length);
  }
  expect(opened).toEqual(
    expect.arrayContaining(['dist/web/explore/questions.md', 'migrations', 'package.json']),
  );
  const compiled = new Set(sources.map(({ file }) => file.replace(/^src\/(.*)[.]tsx?$/, 'dist/$1')));
  for (const file of opened.map((one) => one.replace(/\/$/, '')).filter((one) => !compiled.has(one))) {
    if (file.startsWith('dist/')) expect(holds(beside, file), file).toBe(true);
    expect(holds(packed, file), `${file}: package.json, files`).toBe(true);
    expect(holds(inImage, file), `${file}: Dockerfile`).toBe(true);
  }
});

test('each service has only the secrets it needs, and only the one that migrates connects as the owner', () => {
  expect(Object.fromEntries(named.map(([name, one]) => [name, one.secrets.toSorted()]))).toEqual({
    postgres: ['database_owner_url', 'database_url', 'postgres_password', 'sandbox_database_url'],
    redis: ['redis_password'],
    migrate: ['database_owner_url', 'database_reader_url'],
    'migrate-sandbox': ['sandbox_database_reader_url', 'sandbox_database_url'],
    worker: ['database_url', 'master_key', 'redis_url', 'sandbox_database_url'],
    api: [
      'database_reader_url',
      'database_url',
      'master_key',
      'redis_url',
      'sandbox_database_reader_url',
      'sandbox_database_url',
    ],
    service: ['database_url', 'service_api_keys'],
    grafana: ['database_reader_url', 'grafana_admin_password', 'sandbox_database_reader_url'],
    prometheus: ['metrics_token'],
  });
  // The superuser is nobody that a program connects as; docker/roles.sql is tried in test/store/roles.test.ts.
  expect(of('postgres').environment['POSTGRES_USER']).toBe('postgres');
  for (const file of ['roles.sql', 'sandbox.sql'])
    expect(of('postgres').volumes).toContain(`./docker/${file}:/docker-entrypoint-initdb.d/${file}:ro`);
  expect(of('migrate').environment['DATABASE_APP_ROLE']).toBe('strandline_app');
});

test('Prometheus reaches every process on its metrics port through a shared network', async () => {
  const { scrape_configs: jobs, rule_files: rules } = z
    .object({
      rule_files: z.array(z.string()),
      scrape_configs: z.array(
        z.object({
          job_name: z.string(),
          authorization: z.object({ credentials_file: z.string() }),
          dns_sd_configs: z.array(
            z.object({ names: z.array(z.string()), type: z.literal('A'), port: z.int() }),
          ),
        }),
      ),
    })
    .parse(parse(await read('grafana/prometheus/prometheus.yml')));
  const prometheus = of('prometheus');
  const [job] = jobs;
  expect(job?.job_name, 'the one that StrandlineDown asks for').toBe('strandline');
  expect(prometheus.secrets).toContain(path.basename(job?.authorization.credentials_file ?? ''));
  for (const rule of rules) expect(prometheus.volumes.join()).toContain(`:${rule}:ro`);
  const metricsPort = Number(/^ENV METRICS_PORT=(\d+)$/m.exec(dockerfile)?.[1]);
  const found = job?.dns_sd_configs.flatMap(({ names, port }) => names.map((name) => [name, port])) ?? [];
  expect(Object.fromEntries(found)).toEqual({ api: 7810, worker: metricsPort, service: metricsPort });
  for (const [name = ''] of found) {
    const { environment, networks: joined, ports } = of(String(name));
    expect(environment[name === 'api' ? 'HOST' : 'METRICS_HOST'], String(name)).toBe('0.0.0.0');
    expect(
      joined.filter((one) => prometheus.networks.includes(one)),
      String(name),
    ).toHaveLength(1);
    expect(ports.join()).not.toContain(String(metricsPort));
  }
});

test('container health checks do not start Node', () => {
  for (const name of ['service', 'api']) {
    const { healthcheck, environment } = of(name);
    const [, , script, port] = healthcheck !== undefined && 'test' in healthcheck ? healthcheck.test : [];
    expect(script).toBe('/app/healthy.sh');
    expect(port).toBe(String(environment[name === 'api' ? 'PORT' : 'SERVICE_PORT']));
  }
  expect(dockerfile).not.toMatch(/^HEALTHCHECK [^]*?CMD \["node"/m);
});

test('one container and the unit of systemd keep their data, end in order, and have a gigabyte', async () => {
  const unit = await read('docker/strandline.service');
  // Postgres is a process of the unit: were it asked to end at the same time, runs under way could not be saved.
  for (const line of ['KillMode=mixed', 'TimeoutStopSec=45', 'MemoryMax=1G', 'NoNewPrivileges=true'])
    expect(unit).toContain(`\n${line}\n`);
  const guide = await read('docs/how-to/self-hosting.md');
  for (const text of [guide, dockerfile.replaceAll('#   ', '')]) {
    const [command = ''] = /^docker run (?:.*\\\n)*.*--create-token$/m.exec(text) ?? [];
    expect(command).toContain('127.0.0.1:7810:7810');
    expect(command).toContain('strandline:/data/strandline');
    expect(command).toMatch(/--stop-timeout 45/);
    expect(command).toMatch(/(?:-m|--memory) 1g/);
  }
  expect(dockerfile).toContain('\nENV STRANDLINE_DATA_DIR=/data/strandline\n');
});

test('workers have a spool directory owned by their user, for responses that the database cannot store', () => {
  const directory = String(of('worker').environment['STRANDLINE_DATA_DIR']);
  expect(of('worker').volumes).toEqual([`spool:${directory}`]);
  expect(dockerfile).toContain(`RUN mkdir --parents --mode=0700 ${directory}\n`);
  expect(dockerfile).toContain('COPY --from=build --chown=node:node /data /data\n');
});

test('docker/roles.sql and docs/reference/databases.md restrict the functions that the program restricts', async () => {
  const closed = async (name: string) =>
    [...(await read(name)).matchAll(/proname ~ '([^']+)'/g)].map(([, pattern]) => pattern);
  const ours = await closed('src/platform/postgres/reader-role.ts');
  expect(ours).toEqual([expect.stringContaining('advisory')]);
  for (const name of ['docker/roles.sql', 'docs/reference/databases.md'])
    expect(await closed(name), name).toEqual(ours);
});
