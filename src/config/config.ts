/** What the program is set to: its variables (`variables.ts`), and what follows from them. */

import { environment } from './environment.ts';
import { type Env, openSettings } from './settings.ts';
import type { Variable } from './variable.ts';
import { HOSTED_CALLS_PER_DAY, VARIABLES } from './variables.ts';

export type Config = ReturnType<typeof readConfig>;

/** Most paid calls of a UTC day to a service of this kind; null: no limit. Where none is set, one's own service has none. */
export function readCallsPerDay(
  { callsPerDay }: Pick<Config, 'callsPerDay'>,
  kind: 'hosted' | 'own' | 'sandbox',
): number | null {
  return callsPerDay ?? (kind === 'hosted' ? HOSTED_CALLS_PER_DAY : null);
}

/** How a process of ours that connects to Postgres for others trusts the server, and where a password file is: no secrets. */
const CONNECTION_VARIABLES = [
  'HOME',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_SYSTEM_CA',
  'PGPASSFILE',
  'PGSSLMODE',
  'PGSSLNEGOTIATION',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
];

/** What such a process has as its environment. */
export function connectionEnvironment(): Record<string, string> {
  const env = environment();
  return Object.fromEntries(
    CONNECTION_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/**
 * Reads the configuration from an environment, and from the file of variables that it names or that stands beside the
 * data directory.
 * @throws InvalidInput naming each variable that is wrong, and where it stands; the value of a secret is never shown
 */
export function readConfig(env: Env = environment()) {
  const settings = openSettings(env);
  const values = settings.read(VARIABLES);
  const { service, http, metrics, webhook, callTimeoutMs, graceMs } = values;
  const isSet = (row: Variable) => settings.find(row) !== undefined;
  return {
    ...values,
    service: {
      ...service,
      portAsked: isSet(VARIABLES.service.port),
      /** With the variables of each source, which are read where it is asked. */
      sources: { ...service.sources, read: settings.read },
    },
    http: { ...http, portAsked: isSet(VARIABLES.http.port) },
    webhook: {
      ...webhook,
      /** Where they must not lead: to this program itself. */
      doors: {
        ports: [http.port, service.port, ...(metrics.port === undefined ? [] : [metrics.port])],
        baseUrl: http.baseUrl,
      },
    },
    /** Time limit of one whole call by model, grace included. */
    callTimeoutMs: {
      NOVA: callTimeoutMs.NOVA + graceMs,
      ORBIT: callTimeoutMs.ORBIT + graceMs,
      HORIZON: callTimeoutMs.HORIZON + graceMs,
    },
    settings,
    /** Every key and password that was read so far: it grows as sources are read. */
    secrets: settings.secrets,
  };
}
