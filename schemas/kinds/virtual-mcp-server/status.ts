import { type TObject, Type } from 'typebox';
import { conditions, observedGeneration } from '../blocks.ts';
import { fields, listMap, oneOf } from '../define.ts';

const discoveredBackend = fields(
  'DiscoveredBackend',
  {
    name: Type.String({ description: 'Name of the backend.' }),
    url: Type.Optional(Type.String({ description: 'URL at which the gateway reaches it.' })),
    status: Type.Optional(
      oneOf(['ready', 'degraded', 'unavailable', 'unauthenticated', 'unknown'], {
        description: 'Health of the backend; `unauthenticated` still gets requests.',
      }),
    ),
    authType: Type.Optional(Type.String({ description: 'Strategy by which the gateway authenticates.' })),
    authConfigRef: Type.Optional(Type.String({ description: 'Name of the MCPExternalAuthConfig that was found.' })),
    message: Type.Optional(Type.String({ description: 'Detail of the health.' })),
    lastHealthCheck: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the backend was last checked.' }),
    ),
    consecutiveFailures: Type.Optional(
      Type.Integer({ description: 'Failed checks in a row; 0 once the backend is healthy again.' }),
    ),
    circuitBreakerState: Type.Optional(
      oneOf(['', 'closed', 'open', 'half-open'], {
        description: 'State of the circuit breaker; empty when it is off.',
      }),
    ),
    circuitLastChanged: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'When the circuit last changed; absent when it is off or never changed.',
      }),
    ),
    mcpRevision: Type.Optional(
      Type.String({ description: 'Revision of MCP that the backend speaks; empty until it was probed.' }),
    ),
  },
  { description: 'One backend as the gateway sees it.' },
);

export const virtualMcpServerStatus: TObject = fields(
  'VirtualMCPServerStatus',
  {
    phase: Type.Optional(
      oneOf(['Pending', 'Ready', 'Degraded', 'Failed'], {
        default: 'Pending',
        description: '`Degraded` serves with some backends missing; `Failed` does not serve.',
      }),
    ),
    message: Type.Optional(Type.String({ description: 'Detail of the phase.' })),
    url: Type.Optional(Type.String({ description: 'URL of the gateway inside the cluster.' })),
    backendCount: Type.Optional(
      Type.Integer({
        format: 'int32',
        description: 'Backends that get requests: ready and unauthenticated ones.',
      }),
    ),
    discoveredBackends: Type.Optional(
      listMap(discoveredBackend, ['name'], { description: 'Backends that were found in the group.' }),
    ),
    oidcConfigHash: Type.Optional(
      Type.String({ description: 'Last seen hash of the MCPOIDCConfig; absent without a reference.' }),
    ),
    authzConfigHash: Type.Optional(
      Type.String({ description: 'Last seen hash of the MCPAuthzConfig; absent without a reference.' }),
    ),
    telemetryConfigHash: Type.Optional(
      Type.String({ description: 'Last seen hash of the MCPTelemetryConfig; absent without a reference.' }),
    ),
    observedGeneration,
    conditions,
  },
  { description: 'Observed state of the gateway.' },
);
