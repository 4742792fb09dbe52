/** A stdio server on this machine: its backend is the bridge that runs it. */
import {
  BRIDGE_PORT,
  formatBridgePath,
  type MCPServerSpec,
  type SecretSource,
  type StdioPlan,
  type StdioVariable,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import { parseDurationMs } from '../text/duration.ts';
import { parseQuantity } from '../text/quantity.ts';
import type { BackendAddress } from './backend-address.ts';
import type { LoweringContext } from './context.ts';
import { lowerReferredSecret } from './outgoing/secrets.ts';
import { buildWorkloadMetadata } from './workload-metadata.ts';

/** Default limit on the resident memory of one server and its child processes: 4 GiB. */
const DEFAULT_MAX_MEMORY = 4n * 1024n ** 3n;

const NANO = 1_000_000_000n;

/** Undefined for a server with an image. */
export function lowerStdioBackend(
  context: LoweringContext,
  server: Resource<MCPServerSpec>,
): BackendAddress | undefined {
  const { command, image } = server.spec;
  if (command === undefined || image !== undefined) return undefined;
  const spec = context.track(server);
  spec.get('command');
  spec.get('transport');
  const group = spec.get('groupRef')?.name;
  return {
    name: server.name,
    url: `http://127.0.0.1:${BRIDGE_PORT}${formatBridgePath(server.namespace, server.name)}`,
    transport: 'streamable-http',
    addresses: 'any',
    headers: [],
    stdio: lowerProgram(command, spec, lowerVariables(server.name, spec)),
    metadata: buildWorkloadMetadata(server, 'mcp_server', group),
  };
}

/** @param env with references to secrets, which resolve where the bridge runs */
export function lowerProgram(command: string, spec: Tracked<MCPServerSpec>, env: readonly StdioVariable[]): StdioPlan {
  const settings = spec.child('process');
  return {
    command,
    args: spec.get('args') ?? [],
    workingDir: spec.get('workingDir') ?? null,
    env,
    inheritEnv: [...new Set(settings?.get('inheritEnv'))].sort(),
    isShared: settings?.get('shared') ?? false,
    maxProcesses: settings?.get('maxProcesses') ?? 16,
    startTimeoutMs: parseDurationMs(settings?.get('startTimeout') ?? '5m'),
    requestTimeoutMs: parseDurationMs(settings?.get('requestTimeout') ?? '10m'),
    idleTimeoutMs: parseDurationMs(settings?.get('idleTimeout') ?? '5m'),
    maxMemoryBytes: Number(lowerMemory(spec)),
  };
}

/** The variables of a container, some of them from Secrets. */
export function listContainerVariables(spec: Tracked<MCPServerSpec>): readonly StdioVariable[] {
  return lowerVariablesWith(spec, ({ env }) => ({ env, file: null }));
}

function lowerVariables(server: string, spec: Tracked<MCPServerSpec>): readonly StdioVariable[] {
  return lowerVariablesWith(spec, ({ name, key, env }) =>
    lowerReferredSecret({ name, key }, 'SECRET_ENV', env, server),
  );
}

/** In the order of the spec, so that a later variable overrides an earlier one of the same name, as in a container. */
function lowerVariablesWith(
  spec: Tracked<MCPServerSpec>,
  toSource: (secret: { readonly name: string; readonly key: string; readonly env: string }) => SecretSource,
): readonly StdioVariable[] {
  const plain = (spec.get('env') ?? []).map(
    ({ name, value }): StdioVariable => ({ name, value: { type: 'text', text: value } }),
  );
  const secret = (spec.get('secrets') ?? []).map(({ name, key, targetEnvName }): StdioVariable => {
    const env = targetEnvName || key;
    return { name: env, value: { type: 'secret', from: toSource({ name, key, env }) } };
  });
  return [...plain, ...secret];
}

function lowerMemory(spec: Tracked<MCPServerSpec>): bigint {
  const memory = spec.child('resources')?.child('limits')?.get('memory');
  const amount = memory === undefined ? undefined : parseQuantity(memory);
  return amount === undefined ? DEFAULT_MAX_MEMORY : amount / NANO;
}
