/** A runtime that serves a bundle from the test, and clients for it. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createLogger, type Logger, type RunningRuntime, type StatusPage, serve } from '#runtime';
import {
  type AggregationPlan,
  type AuditPlan,
  type AuthorizationPlan,
  type AuthServerPlan,
  type BackendPlan,
  formatCanonicalJson,
  type GatewayBundle,
  type IncomingAuthPlan,
  type OperationalPlan,
  type OptimizerPlan,
  type RateLimitPlan,
  type SessionStoragePlan,
  type TelemetryPlan,
  type WorkflowTool,
} from '#schemas';

import { eventually } from './process.ts';

export { eventually };

export interface BundleOptions {
  readonly backends: readonly BackendPlan[];
  readonly aggregation?: AggregationPlan;
  readonly operational?: Partial<OperationalPlan>;
  /** By default every caller is admitted. */
  readonly incomingAuth?: IncomingAuthPlan;
  /** By default `test`. */
  readonly name?: string;
  /** By default none. */
  readonly authServer?: AuthServerPlan;
  /** Port for clients. By default a free one. */
  readonly port?: number;
  /** How long a first list waits for backends that have not responded; milliseconds. By default 60,000. */
  readonly firstListWaitMs?: number;
  /** By default no policies. */
  readonly authorization?: AuthorizationPlan;
  /** By default in memory. */
  readonly sessionStorage?: SessionStoragePlan;
  /** By default none. */
  readonly passthroughHeaders?: readonly string[];
  /** By default none. */
  readonly rateLimiting?: RateLimitPlan;
  /** By default nothing is recorded. */
  readonly audit?: AuditPlan;
  /** By default metrics only on the internal address. */
  readonly telemetry?: TelemetryPlan;
  /** By default none. */
  readonly workflows?: readonly WorkflowTool[];
  /** By default clients get the list of tools. */
  readonly optimizer?: OptimizerPlan;
}

/** Time limit for a backend that does not hang, on a machine that may be ten times busier. */
const TIMEOUT_MS = 60_000;

/** How long a first list waits for backends, which are slow on a busy machine; a test with a backend that never responds sets a shorter time. */
export const FIRST_LIST_WAIT_MS = 60_000;

const HEALTH: OperationalPlan['health'] = {
  intervalMs: 30_000,
  timeoutMs: TIMEOUT_MS,
  unhealthyThreshold: 3,
};

export function backendPlan(name: string, url: string, more: Partial<BackendPlan> = {}): BackendPlan {
  return {
    name,
    url,
    transport: 'streamable-http',
    addresses: 'any',
    timeoutMs: TIMEOUT_MS,
    auth: { type: 'unauthenticated' },
    headers: [],
    metadata: {},
    ...more,
    tools: { prefix: `${name}_`, advertise: { type: 'all' }, overrides: {}, ...more.tools },
  };
}

export function gatewayBundle({
  backends,
  name = 'test',
  aggregation,
  operational,
  incomingAuth,
  authServer,
  authorization,
  passthroughHeaders,
  rateLimiting,
  audit,
  sessionStorage,
  telemetry,
  workflows,
  optimizer,
}: BundleOptions): GatewayBundle {
  return {
    formatVersion: 1,
    kind: 'gateway',
    namespace: 'default',
    name,
    origin: { compilerVersion: 'test', sourceRevision: null },
    requires: sessionStorage === undefined ? ['aggregation'] : ['aggregation', 'sessions-redis'],
    ...(sessionStorage === undefined ? {} : { sessionStorage }),
    secrets: [],
    server: { name: 'test', metadata: {} },
    incomingAuth: incomingAuth ?? { type: 'anonymous' },
    ...(authServer === undefined ? {} : { authServer }),
    authorization: authorization ?? { engine: 'none', policyCount: 0 },
    passthroughHeaders: passthroughHeaders ?? [],
    backends,
    aggregation: aggregation ?? { strategy: 'prefix', priorityOrder: [] },
    operational: { logLevel: 'info', partialFailure: 'best_effort', health: HEALTH, ...operational },
    ...(rateLimiting === undefined ? {} : { rateLimiting }),
    ...(audit === undefined ? {} : { audit }),
    ...(telemetry === undefined ? {} : { telemetry }),
    ...(workflows === undefined ? {} : { workflows }),
    ...(optimizer === undefined ? {} : { optimizer }),
    deployment: {
      replicas: null,
      serviceType: 'ClusterIP',
      sessionAffinity: 'ClientIP',
      serviceAccount: null,
      imagePullSecrets: [],
      podTemplateSpec: null,
      networkPolicy: true,
      statusReportingIntervalMs: 30_000,
    },
  };
}

export interface TestGateway extends AsyncDisposable {
  readonly url: string;
  readonly internalUrl: string;
  /** Replaces the bundle at the watched path. */
  replace(options: BundleOptions): Promise<void>;
  /** Writes any content to the watched path. */
  replaceBy(text: string): Promise<void>;
  status(): Promise<StatusPage>;
  /** Resolves when every backend was probed, or the start's time limit for that is over. */
  ready(): Promise<void>;
  /** An official SDK client, connected. */
  connect(): Promise<Client>;
  /** Stops the gateway before the test ends; otherwise `await using` does. */
  stop(): Promise<void>;
}

/** Starts a gateway that serves a bundle on free loopback ports and watches it. It logs nothing unless a log is given. */
export async function startGateway(options: BundleOptions, log: Logger = createLogger('silent')): Promise<TestGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
  const file = join(folder, 'bundle.json');
  // The file is replaced atomically, so that the gateway never reads a partial one.
  const replaceBy = async (text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  await replaceBy(formatCanonicalJson(gatewayBundle(options)));
  const loopback = { host: '127.0.0.1', port: 0 };
  const runtime: RunningRuntime = await serve(
    {
      bundle: file,
      gateway: undefined,
      listen: { ...loopback, port: options.port ?? 0 },
      internal: loopback,
      watch: true,
      stateDir: join(folder, 'state'),
      firstListWaitMs: options.firstListWaitMs ?? FIRST_LIST_WAIT_MS,
    },
    log,
  );
  const clients: Client[] = [];
  const stop = async () => {
    await Promise.all(clients.map(client => client.close()));
    await runtime.stop(0);
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  return {
    url: runtime.url,
    internalUrl: runtime.internalUrl,
    replace: next => replaceBy(formatCanonicalJson(gatewayBundle(next))),
    replaceBy,
    ready: () => eventually(async () => (await fetch(`${runtime.internalUrl}/readyz`)).ok).then(() => {}),
    status: async () => (await (await fetch(`${runtime.internalUrl}/status`)).json()) as StatusPage,
    connect: async () => {
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(runtime.url)));
      clients.push(client);
      return client;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
