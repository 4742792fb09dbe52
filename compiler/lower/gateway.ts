/** Lowers one checked and resolved VirtualMCPServer to its bundle; reads like a table of contents. */
import {
  BUNDLE_FORMAT_VERSION,
  type FrontDeploymentPlan,
  type GatewayBundle,
  type ServerFront,
  type VirtualMCPServerSpec,
} from '#schemas';
import type { Catalog } from '../analysis/catalog/index.ts';
import type { LoweredGateway } from '../analysis/lowered-gateway.ts';
import type { BackendOrigin } from '../resolve/backend-origin.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { listFeatures, listSecrets } from '../resolve/requirements.ts';
import { lowerAggregation } from './aggregation.ts';
import { lowerAudit } from './audit.ts';
import { lowerAuthServer } from './auth-server/auth-server.ts';
import { lowerAuthorization } from './authorization.ts';
import type { BackendAddress } from './backend-address.ts';
import { lowerCredentials } from './backend-credentials.ts';
import { type LoweredBackends, lowerBackends } from './backends.ts';
import { LoweringContext } from './context.ts';
import { lowerDeployment } from './deployment.ts';
import { lowerPassthroughHeaders } from './forwarded-headers.ts';
import { lowerIncomingAuth } from './incoming-auth.ts';
import { reportUnknownBackend } from './known-backends.ts';
import { lowerLockedNames } from './locked-names.ts';
import { lowerOperational } from './operational.ts';
import { lowerOptimizer } from './optimizer.ts';
import { lowerOutgoingAuth } from './outgoing-auth.ts';
import { lowerPinnedTools, wantsPinnedTools } from './pinned-tools.ts';
import { lowerRateLimits } from './rate-limits.ts';
import { lowerServer } from './server.ts';
import { lowerSessionStorage } from './session-storage.ts';
import { lowerTelemetry } from './telemetry.ts';
import { refuseUnsupported } from './unsupported.ts';
import { lowerWorkflows } from './workflows.ts';

/** Build metadata that the caller of the compiler provides. */
export interface Origin {
  readonly compilerVersion: string;
  readonly sourceRevision: string | null;
}

/** The only backend of a gateway in front of an MCPServer or MCPRemoteProxy, with its settings for the pods. */
export interface FrontedBackend {
  readonly front: ServerFront;
  readonly address: BackendAddress;
  readonly origin: BackendOrigin;
  readonly deployment: FrontDeploymentPlan;
}

/**
 * Lowers one gateway. Every leaf of its spec is read, refused or reported as ignored.
 *
 * @param catalog has the names of each backend
 * @param createBackend replaces the members of a group
 */
export function lowerGateway(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
  origin: Origin,
  catalog?: Catalog,
  createBackend?: (context: LoweringContext) => FrontedBackend,
): LoweredGateway {
  const context = new LoweringContext(inventory);
  const spec = context.track(gateway, 'VirtualMCPServer');
  const config = spec.child('config');

  const outgoing = lowerOutgoingAuth(context, gateway, spec, config);
  const only = createBackend?.(context);
  const { addresses: backends, origins } =
    only === undefined ? lowerBackends(context, gateway, config, outgoing.source) : toOnlyBackend(only);
  const { reachable, leftOut, credentialLocations } = lowerCredentials(context, gateway, outgoing, backends, origins);
  const names = backends.map(backend => backend.name);
  for (const { backend, path } of outgoing.named) reportUnknownBackend(context, gateway, path, backend, names, 'key');
  const aggregation = lowerAggregation(context, gateway, config?.child('aggregation'), backends);
  const operational = lowerOperational(context, gateway, config?.child('operational'), backends);
  refuseUnsupported(config);
  const withSettings = <B extends BackendAddress>(backend: B) => ({
    ...backend,
    timeoutMs: operational.getTimeout(backend.name),
    tools: aggregation.getTools(backend.name),
  });
  const rateLimiting = lowerRateLimits(spec, config, gateway.namespace);
  const sessionStorage = lowerSessionStorage(spec, config, gateway.namespace);
  const optimizer = lowerOptimizer(context, gateway, spec, config);
  const telemetry = lowerTelemetry(context, gateway, spec, config);
  const incomingAuth = lowerIncomingAuth(context, gateway, spec, config);
  const authorization = lowerAuthorization(context, gateway, spec, config);
  const authServer = lowerAuthServer(spec, incomingAuth, authorization, gateway.namespace);
  const isPinned = wantsPinnedTools(gateway);
  const connections = {
    incomingAuth,
    ...(authServer === undefined ? {} : { authServer }),
    authorization,
    passthroughHeaders: lowerPassthroughHeaders(spec, config),
    ...(rateLimiting === undefined ? {} : { rateLimiting }),
    ...(optimizer === undefined ? {} : { optimizer }),
    ...(sessionStorage === undefined ? {} : { sessionStorage }),
    ...(telemetry === undefined ? {} : { telemetry }),
    backends: reachable.map(backend => ({
      ...withSettings(backend),
      ...lowerLockedNames(catalog, origins.get(backend.name)),
      ...(isPinned ? lowerPinnedTools(catalog, origins.get(backend.name)) : {}),
    })),
  };
  const workflows = lowerWorkflows(context, gateway, config);
  const audit = lowerAudit(gateway, config?.child('audit'));
  const bundle: GatewayBundle = {
    formatVersion: BUNDLE_FORMAT_VERSION,
    kind: 'gateway',
    namespace: gateway.namespace,
    name: gateway.name,
    ...(only === undefined ? {} : { front: only.front }),
    origin,
    requires: listFeatures({ ...connections, operational: operational.plan, workflows, ...(audit && { audit }) }),
    secrets: listSecrets(connections),
    server: lowerServer(inventory, gateway, spec, config),
    ...connections,
    aggregation: aggregation.plan,
    operational: operational.plan,
    ...(audit && { audit }),
    ...(workflows.length === 0 ? {} : { workflows }),
    deployment: {
      ...lowerDeployment(gateway, spec, operational.statusReportingIntervalMs),
      ...(only === undefined ? {} : { front: only.deployment }),
    },
  };
  context.settleLedgers();
  return {
    bundle,
    origins,
    credentialLocations,
    leftOut: leftOut.map(({ address, reason }) => ({ plan: withSettings(address), reason })),
    diagnostics: context.diagnostics,
  };
}

function toOnlyBackend({ address, origin }: FrontedBackend): LoweredBackends {
  return { addresses: [address], origins: new Map([[address.name, origin]]) };
}
