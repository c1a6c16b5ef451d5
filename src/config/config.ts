/** The configuration: variables (`variables.ts`) and values derived from them. */

import { environment } from './environment.ts';
import { type Env, openSettings } from './settings.ts';
import type { Variable } from './variable.ts';
import { HOSTED_CALLS_PER_DAY, VARIABLES } from './variables.ts';

export type Config = ReturnType<typeof readConfig>;

/** Maximum paid calls per UTC day for a service of this kind; null: no limit. */
export function readCallsPerDay(
  { callsPerDay }: Pick<Config, 'callsPerDay'>,
  kind: 'hosted' | 'own' | 'sandbox',
): number | null {
  return callsPerDay ?? (kind === 'hosted' ? HOSTED_CALLS_PER_DAY : null);
}

/** Non-secret variables that a child process needs to connect to Postgres: trusted certificates and the password file. */
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

/** The environment of such a child process. */
export function connectionEnvironment(): Record<string, string> {
  const env = environment();
  return Object.fromEntries(
    CONNECTION_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/**
 * Reads the configuration from the environment, and from the file that it names or that is next to the data directory.
 * @throws InvalidInput with each invalid variable and where it is set; never includes secrets
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
      /** Includes a reader for the variables of each source. */
      sources: { ...service.sources, read: settings.read },
    },
    http: {
      ...http,
      portAsked: isSet(VARIABLES.http.port),
      portVariable: VARIABLES.http.port.name,
    },
    webhook: {
      ...webhook,
      /** Both lists of what channels may reach. */
      allow:
        [webhook.channelsAllow, webhook.allow].filter((list) => list !== undefined).join(',') || undefined,
      /** This program's own listeners, which webhooks must not reach. */
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
    /** All keys and passwords read so far; grows as sources are read. */
    secrets: settings.secrets,
  };
}
