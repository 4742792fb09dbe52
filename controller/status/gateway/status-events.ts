/** Which status changes become events about a gateway or registry server. */
import type {
  Condition,
  MCPRegistryStatus,
  MCPRemoteProxyStatus,
  MCPServerStatus,
  VirtualMCPServerSpec,
  VirtualMCPServerStatus,
} from '#schemas';
import { findCondition } from '../conditions.ts';

export interface StatusEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

type Status = VirtualMCPServerStatus | MCPRegistryStatus | MCPServerStatus | MCPRemoteProxyStatus;

/** Conditions whose changes become events. */
const ANNOUNCED: readonly string[] = ['Ready', 'Compiled', 'BundleActive', 'EmbeddingServerReady'];

/** Conditions that become events when an error appears or disappears: a valid spec is not news. */
const FAULTS: readonly string[] = ['AuthConfigured', 'PodTemplateSpecValid'];

/** Reasons of conditions that mean work in progress, and not an error. */
const PASSING: readonly string[] = [
  'BackendsUnknown',
  'DeploymentNotReady',
  'EmbeddingServerNotReady',
  'NotDeployed',
  'NotReady',
  'NoReadyPods',
  'RolloutProgressing',
];

/** Event reasons that differ from the condition's. */
const EVENT_REASONS: Readonly<Record<string, string>> = { EmbeddingServerNotFound: 'EmbeddingServerRefNotFound' };

/**
 * The events about the differences between two statuses.
 * @param spec of a gateway; undefined for other kinds
 */
export function listStatusEvents(
  before: Status | undefined,
  now: Status,
  spec: VirtualMCPServerSpec | undefined,
): readonly StatusEvent[] {
  const changes = [...ANNOUNCED, ...FAULTS].flatMap(type => {
    const [then, current] = [before, now].map(status => findCondition(status?.conditions ?? [], type));
    if (current === undefined || (then?.status === current.status && then.reason === current.reason)) return [];
    const isInitialSuccess = FAULTS.includes(type) && current.status === 'True' && then?.status !== 'False';
    return isInitialSuccess ? [] : [toEvent(current)];
  });
  // Only once for each generation: the spec changes only together with the generation.
  const isNewSpec = before?.observedGeneration !== now.observedGeneration;
  return isNewSpec && spec !== undefined
    ? [...changes, ...listEmbeddingEvents(spec), ...listDeprecationEvents(spec)]
    : changes;
}

function toEvent({ type, status, reason, message }: Condition): StatusEvent {
  return {
    type: status === 'True' || PASSING.includes(reason) ? 'Normal' : 'Warning',
    reason: EVENT_REASONS[reason] ?? reason,
    message: `${type}: ${message}`,
  };
}

function listEmbeddingEvents({ config, embeddingServerRef }: VirtualMCPServerSpec): readonly StatusEvent[] {
  const hasUrl = (config?.optimizer?.embeddingService ?? '') !== '';
  if (!hasUrl) return [];
  const server = embeddingServerRef?.name;
  return server === undefined
    ? [
        {
          type: 'Warning',
          reason: 'EmbeddingServiceManual',
          message: 'config.optimizer.embeddingService names a service that no EmbeddingServer manages',
        },
      ]
    : [
        {
          type: 'Warning',
          reason: 'EmbeddingServiceOverridden',
          message: `EmbeddingServer ${server} takes precedence: config.optimizer.embeddingService has no effect`,
        },
      ];
}

function listDeprecationEvents({ incomingAuth }: VirtualMCPServerSpec): readonly StatusEvent[] {
  const provider = incomingAuth?.authzConfig?.inline?.primaryUpstreamProvider ?? '';
  if (provider === '') return [];
  return [
    {
      type: 'Warning',
      reason: 'AuthzPrimaryUpstreamProviderDeprecated',
      message: `authzConfig.inline.primaryUpstreamProvider is deprecated: write ${provider} to authServerConfig.primaryUpstreamProvider`,
    },
  ];
}
