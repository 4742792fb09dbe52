/** The servers against which the suite runs. */
import { startSessionsBackend } from '../support/conformance-backend/sessions/backend.ts';
import { startStatelessBackend } from '../support/conformance-backend/stateless/backend.ts';
import {
  eventually,
  PROGRAM,
  type Program,
  run,
  start,
  type TemporaryFolder,
  temporaryFolder,
} from '../support/process.ts';
import { RedisServer } from '../support/redis-server.ts';
import { RoundRobin } from '../support/round-robin.ts';

export interface Target extends AsyncDisposable {
  readonly url: string;
}

/** The first revision without sessions. */
const STATELESS = '2026-07-28';

/** A server of the official SDK for one revision, with everything that the suite needs. */
export function startBackend(revision: string): Promise<Target> {
  return revision < STATELESS ? startSessionsBackend() : startStatelessBackend();
}

/** A gateway in front of that server: a spec, built by `lintel`, served by `lintel-runtime`. */
export async function startGateway(revision: string): Promise<Target> {
  await using started = new AsyncDisposableStack();
  const backend = started.use(await startBackend(revision));
  const gateway = started.use(await startGatewayFor(backend.url));
  const owned = started.move();
  return { url: gateway.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Three replicas of that gateway, behind a proxy that sends each request to the next one. Needs `redis-server`. */
export async function startReplicas(revision: string): Promise<Target> {
  await using started = new AsyncDisposableStack();
  const backend = started.use(await startBackend(revision));
  const redis = started.use(await RedisServer.start());
  const sharing = `sessionStorage: { provider: redis, address: "${redis.address}" }`;
  const folder = started.use(await build(spec(backend.url, `  replicas: 3\n  sessionAffinity: None\n  ${sharing}\n`)));
  const replicas = [];
  for (let at = 0; at < 3; at++) replicas.push(await serve(started, folder));
  const { url } = started.use(await RoundRobin.start(replicas));
  const owned = started.move();
  return { url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A gateway in front of the server at a URL. */
export async function startGatewayFor(backendUrl: string): Promise<Target> {
  await using started = new AsyncDisposableStack();
  const { url } = await serve(started, started.use(await build(spec(backendUrl))));
  const owned = started.move();
  return { url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function build(text: string): Promise<TemporaryFolder> {
  const folder = await temporaryFolder({ 'spec.yaml': text });
  const { code, stderr } = await run(PROGRAM.lintel, ['build', '.', '--out', 'out'], { cwd: folder.path });
  if (code === 0) return folder;
  await folder[Symbol.asyncDispose]();
  throw new Error(stderr);
}

async function serve(started: AsyncDisposableStack, folder: TemporaryFolder): Promise<{ readonly url: string }> {
  const ports = ['--port', '0', '--internal-address', '127.0.0.1:0'];
  const runtime = started.use(start(PROGRAM.runtime, ['--bundle', folder.file('out'), ...ports]));
  const { url, internal } = await runtime.announcement<{ url: string; internal: string }>();
  await ready(runtime, internal);
  return { url };
}

/**
 * Keeps the backend's own names, because the suite calls tools and prompts by them.
 *
 * @param more fields of `spec`
 */
function spec(url: string, more = ''): string {
  return `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: conformance }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: conformance }
spec:
  groupRef: { name: conformance }
  incomingAuth: { type: anonymous }
  outgoingAuth: { source: inline }
${more}  config:
    backends:
      - { name: backend, url: "${url}", transport: streamable-http }
    aggregation:
      conflictResolution: priority
      conflictResolutionConfig: { priorityOrder: [backend] }
`;
}

async function ready(runtime: Program, internal: string): Promise<void> {
  try {
    await eventually(async () => (await fetch(`${internal}/readyz`)).ok);
    await eventually(async () => {
      const page = (await (await fetch(`${internal}/status`)).json()) as { sessionStorage: { ready: boolean } };
      return page.sessionStorage.ready;
    });
  } catch (cause) {
    throw new Error(`the gateway does not get ready: ${runtime.stderr.text}`, { cause });
  }
}
