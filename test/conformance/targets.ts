/** The servers that the suite is pointed at. */
import { startSessionsBackend } from '../support/conformance-backend/sessions/backend.ts';
import { startStatelessBackend } from '../support/conformance-backend/stateless/backend.ts';
import { eventually, PROGRAM, type Program, run, start, temporaryFolder } from '../support/process.ts';

export interface Target extends AsyncDisposable {
  readonly url: string;
}

/** The first revision without sessions. */
const STATELESS = '2026-07-28';

/** A server of the official SDK that speaks a revision and has all that the suite asks for. */
export function startBackend(revision: string): Promise<Target> {
  return revision < STATELESS ? startSessionsBackend() : startStatelessBackend();
}

/** A gateway with that server behind it: a spec, built by `lintel`, served by `lintel-runtime`. */
export async function startGateway(revision: string): Promise<Target> {
  await using started = new AsyncDisposableStack();
  const backend = started.use(await startBackend(revision));
  const gateway = started.use(await startGatewayFor(backend.url));
  const owned = started.move();
  return { url: gateway.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A gateway with the server at a URL behind it. */
export async function startGatewayFor(backendUrl: string): Promise<Target> {
  await using started = new AsyncDisposableStack();
  const folder = started.use(await temporaryFolder({ 'spec.yaml': spec(backendUrl) }));
  const { code, stderr } = await run(PROGRAM.lintel, ['build', '.', '--out', 'out'], { cwd: folder.path });
  if (code !== 0) throw new Error(stderr);
  const ports = ['--port', '0', '--internal-address', '127.0.0.1:0'];
  const runtime = started.use(start(PROGRAM.runtime, ['--bundle', folder.file('out'), ...ports]));
  const { url, internal } = await runtime.announcement<{ url: string; internal: string }>();
  await ready(runtime, internal);
  const owned = started.move();
  return { url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The backend's own names are kept: the suite calls tools and prompts by them. */
function spec(url: string): string {
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
  config:
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
  } catch (cause) {
    throw new Error(`the gateway does not get ready: ${runtime.stderr.text}`, { cause });
  }
}
