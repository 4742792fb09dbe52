/** The status of an MCPServer or MCPRemoteProxy that a source applied: of its gateway, and of the server in its pods. */
import type { Condition, MCPRemoteProxyStatus, MCPServerSpec, MCPServerStatus } from '#schemas';
import type { FoundDiagnostic } from '../../compile/index.ts';
import { removeConditions, setCondition } from '../conditions.ts';
import { createBundleActiveCondition, createCompiledCondition } from './bundle-conditions.ts';
import { withoutReadyPods } from './phase.ts';
import { SERVER_ROWS } from './server-conditions.ts';
import { buildConditions } from './spec-conditions.ts';
import { listReadyPods, type UntimedCondition, type WorkloadStatusInput } from './status-input.ts';

export interface ServerStatusInput extends WorkloadStatusInput {
  readonly kind: string;
  /** The spec in the cluster; for an MCPRemoteProxy, the common fields. */
  readonly spec: MCPServerSpec;
  /** Whether the object is being deleted. */
  readonly isTerminating: boolean;
}

type ServerStatus = MCPServerStatus & MCPRemoteProxyStatus;

const ADVISORIES = [
  'AuthzPrimaryUpstreamProviderIgnored',
  'SessionStorageWarning',
  'StdioReplicaCapped',
] as const satisfies readonly string[];

/** All condition types that the controller sets; all other types belong to other clients. */
export const SERVER_CONDITIONS: readonly string[] = [
  'Ready',
  'Compiled',
  'BundleActive',
  'ConfigurationValid',
  ...SERVER_ROWS.map(({ type }) => type),
  ...ADVISORIES,
];

/** Types of conditions that come from pods, and are known without a compilation. */
const OBSERVED = ['Ready', 'BundleActive'];

/** Pure: the same input and the same `before` give the same status. Conditions that other clients set are left out. */
export function computeServerStatus(input: ServerStatusInput, before: ServerStatus = {}): ServerStatus {
  const { compiled, generation, now, url, unit, deployment, kind } = input;
  const own = (before.conditions ?? []).filter(({ type }) => SERVER_CONDITIONS.includes(type));
  // The spec of this generation was not compiled in this process: its conditions are unknown.
  if (compiled === undefined && before.observedGeneration !== generation) return selectOwnServerStatus(before);
  const count = listReadyPods(input.pods).length;
  const { phase, message } = choosePhase(input, count);
  const ready: UntimedCondition =
    phase === 'Ready'
      ? { type: 'Ready', status: 'True', reason: 'Ready', message }
      : { type: 'Ready', status: 'False', reason: 'NotReady', message };
  const computed = [
    ready,
    createBundleActiveCondition(input),
    ...[createCompiledCondition(compiled) ?? []].flat(),
    ...(compiled === undefined ? [] : listSpecConditions(input, compiled)),
  ];
  const keptTypes =
    compiled === undefined ? own.filter(({ type }) => !OBSERVED.includes(type)).map(({ type }) => type) : [];
  const stay = new Set([...keptTypes, ...computed.map(({ type }) => type)]);
  const gone = own.filter(({ type }) => !stay.has(type)).map(({ type }) => type);
  return {
    phase,
    message,
    ...(unit === undefined && before.url === undefined ? {} : { url }),
    ...(deployment === undefined || kind !== 'MCPServer' ? {} : { readyReplicas: count }),
    ...computeHashes(input, before),
    observedGeneration: generation,
    conditions: computed.reduce<readonly Condition[]>(
      (list, condition) => setCondition(list, condition, { generation, now }),
      removeConditions(own, ...gone),
    ),
  };
}

/** The fields of a current status that this controller writes. */
export function selectOwnServerStatus(status: ServerStatus): ServerStatus {
  const { conditions } = status;
  if (conditions === undefined) return status;
  return { ...status, conditions: conditions.filter(({ type }) => SERVER_CONDITIONS.includes(type)) };
}

function choosePhase(
  input: ServerStatusInput,
  count: number,
): {
  readonly phase: NonNullable<MCPServerStatus['phase']> & NonNullable<MCPRemoteProxyStatus['phase']>;
  readonly message: string;
} {
  if (input.isTerminating) return { phase: 'Terminating', message: 'Being deleted' };
  if (count === 0) {
    const { phase, message } = withoutReadyPods(input);
    return { phase: phase === 'Failed' ? 'Failed' : 'Pending', message };
  }
  const answered = listReadyPods(input.pods).flatMap(({ backends }) => backends);
  const away = answered.filter(({ status }) => status === 'unavailable');
  const [first] = away;
  // The pods are ready, but the server behind them is unreachable, so clients get errors.
  if (first !== undefined && away.length === answered.length)
    return { phase: 'Failed', message: `The server does not answer: ${first.message}` };
  return { phase: 'Ready', message: count === 1 ? '1 ready pod' : `${count} ready pods` };
}

function listSpecConditions(
  { spec, kind }: ServerStatusInput,
  compiled: NonNullable<ServerStatusInput['compiled']>,
): readonly UntimedCondition[] {
  const table = {
    kind,
    rows: SERVER_ROWS,
    rest: { type: 'ConfigurationValid', good: 'ConfigurationValid', bad: 'ConfigurationInvalid' },
  };
  return [
    ...buildConditions(table, spec, compiled.diagnostics, compiled.revision),
    ...listAdvisories(spec, kind, compiled.diagnostics),
  ];
}

/** Conditions that advise and prevent nothing: for these, True is not good. */
function listAdvisories(
  spec: MCPServerSpec,
  kind: string,
  diagnostics: readonly FoundDiagnostic[],
): readonly UntimedCondition[] {
  const upstream = spec.authzConfig?.inline?.primaryUpstreamProvider ?? '';
  const { replicas = 1, transport } = spec;
  const isStdio = kind === 'MCPServer' && transport === 'stdio';
  const storage = diagnostics.find(({ code, severity }) => code === 'LNT4016' && severity !== 'error');
  return [
    ...(upstream === ''
      ? []
      : [
          createAdvisory(
            'AuthzPrimaryUpstreamProviderIgnored',
            'NoEmbeddedAuthServer',
            `primaryUpstreamProvider "${upstream}" has no effect: only a VirtualMCPServer chooses among upstreams`,
          ),
        ]),
    ...(isStdio && replicas > 1
      ? [
          createAdvisory(
            'StdioReplicaCapped',
            'StdioTransport',
            `1 of ${replicas} replicas runs: the transport is stdio`,
          ),
        ]
      : []),
    ...(storage === undefined
      ? []
      : [createAdvisory('SessionStorageWarning', 'SessionStorageMissingForReplicas', storage.message)]),
  ];
}

function createAdvisory(type: (typeof ADVISORIES)[number], reason: string, message: string): UntimedCondition {
  return { type, status: 'True', reason, message };
}

/** The hashes for the status, by the kind of config. Two references to configs of one kind share a hash. */
function computeHashes({ compiled, spec }: ServerStatusInput, before: ServerStatus): Partial<ServerStatus> {
  if (compiled === undefined) {
    const { oidcConfigHash, authzConfigHash, telemetryConfigHash, toolConfigHash } = before;
    const { externalAuthConfigHash, authServerConfigHash } = before;
    const all = { oidcConfigHash, authzConfigHash, telemetryConfigHash, toolConfigHash };
    return present({ ...all, externalAuthConfigHash, authServerConfigHash });
  }
  const { MCPOIDCConfig, MCPAuthzConfig, MCPTelemetryConfig, MCPToolConfig, MCPExternalAuthConfig } =
    compiled.configHashes;
  const [external, server] = [spec.externalAuthConfigRef?.name, spec.authServerRef?.name];
  return present({
    oidcConfigHash: MCPOIDCConfig,
    authzConfigHash: MCPAuthzConfig,
    telemetryConfigHash: MCPTelemetryConfig,
    toolConfigHash: MCPToolConfig,
    externalAuthConfigHash: external !== undefined && server === undefined ? MCPExternalAuthConfig : undefined,
    authServerConfigHash: server !== undefined && external === undefined ? MCPExternalAuthConfig : undefined,
  });
}

function present(members: { readonly [name: string]: string | undefined }): Partial<ServerStatus> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
