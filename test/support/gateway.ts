/** A runtime that serves a bundle made by the test, and clients to talk to it. */
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
  canonicalJson,
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
  /** Default: every caller is admitted. */
  readonly incomingAuth?: IncomingAuthPlan;
  /** Default: `test`. */
  readonly name?: string;
  /** Default: none. */
  readonly authServer?: AuthServerPlan;
  /** Where clients are served. Default: a free port. */
  readonly port?: number;
  /** How long a first list waits for backends that have not answered; milliseconds. Default: 60,000. */
  readonly firstListWaitMs?: number;
  /** Default: no policies. */
  readonly authorization?: AuthorizationPlan;
  /** Default: in memory. */
  readonly sessionStorage?: SessionStoragePlan;
  /** Default: none. */
  readonly passthroughHeaders?: readonly string[];
  /** Default: none. */
  readonly rateLimiting?: RateLimitPlan;
  /** Default: nothing is recorded. */
  readonly audit?: AuditPlan;
  /** Default: metrics on the internal address alone. */
  readonly telemetry?: TelemetryPlan;
  /** Default: none. */
  readonly workflows?: readonly WorkflowTool[];
  /** Default: clients read the list of tools. */
  readonly optimizer?: OptimizerPlan;
}

/** What a backend may take that does not hang: a machine may be ten times busier. */
const TIMEOUT_MS = 60_000;

/** What a first list waits for backends: those of a busy machine are slow, and a test whose backend never answers sets less. */
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
  /** Writes anything to the watched path. */
  replaceBy(text: string): Promise<void>;
  status(): Promise<StatusPage>;
  /** Resolves when every backend has answered, as far as a start waits for that. */
  ready(): Promise<void>;
  /** A client of the official SDK, connected. */
  connect(): Promise<Client>;
  /** For a gateway that is to be away before the test ends; else it ends with `await using`. */
  stop(): Promise<void>;
}

/** Serves a bundle on free loopback ports, watching it; silently, unless there is a log. */
export async function startGateway(options: BundleOptions, log: Logger = createLogger('silent')): Promise<TestGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'lintel-test-'));
  const file = join(folder, 'bundle.json');
  // In one step, so that no half of it is ever read.
  const replaceBy = async (text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  await replaceBy(canonicalJson(gatewayBundle(options)));
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
    replace: next => replaceBy(canonicalJson(gatewayBundle(next))),
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
