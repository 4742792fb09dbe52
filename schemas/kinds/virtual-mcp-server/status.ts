import { type TObject, Type } from 'typebox';
import { conditions, observedGeneration } from '../blocks.ts';
import { fields, listMap, oneOf } from '../define.ts';

const discoveredBackend = fields(
  'DiscoveredBackend',
  {
    name: Type.String({ description: 'Name of the backend.' }),
    url: Type.Optional(Type.String({ description: 'URL at which the gateway reaches the backend.' })),
    status: Type.Optional(
      oneOf(['ready', 'degraded', 'unavailable', 'unauthenticated', 'unknown'], {
        description: 'Health of the backend. An `unauthenticated` backend still gets requests.',
      }),
    ),
    authType: Type.Optional(
      Type.String({ description: 'Strategy with which the gateway authenticates toward the backend.' }),
    ),
    authConfigRef: Type.Optional(
      Type.String({ description: 'Name of the MCPExternalAuthConfig that the backend refers to.' }),
    ),
    message: Type.Optional(Type.String({ description: 'Explanation of the health.' })),
    lastHealthCheck: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the last health check.' })),
    consecutiveFailures: Type.Optional(
      Type.Integer({ description: 'Number of failed checks in a row. 0 if the backend is healthy.' }),
    ),
    circuitBreakerState: Type.Optional(
      oneOf(['', 'closed', 'open', 'half-open'], {
        description: 'State of the circuit breaker. Empty if the circuit breaker is off.',
      }),
    ),
    circuitLastChanged: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When the state of the circuit breaker last changed. Absent if it is off or its state never changed.',
      }),
    ),
    mcpRevision: Type.Optional(
      Type.String({
        description: 'MCP revision that the backend speaks. Empty until the gateway has probed the backend.',
      }),
    ),
  },
  { description: 'A backend and its health.' },
);

export const virtualMcpServerStatus: TObject = fields(
  'VirtualMCPServerStatus',
  {
    phase: Type.Optional(
      oneOf(['Pending', 'Ready', 'Degraded', 'Failed'], {
        default: 'Pending',
        description:
          'Phase of the gateway. `Degraded`: it serves without some of its backends. `Failed`: it does not serve.',
      }),
    ),
    message: Type.Optional(Type.String({ description: 'Explanation of the phase.' })),
    url: Type.Optional(Type.String({ description: 'URL of the gateway inside the cluster.' })),
    backendCount: Type.Optional(
      Type.Integer({
        format: 'int32',
        description: 'Number of backends that get requests: those that are `ready` or `unauthenticated`.',
      }),
    ),
    discoveredBackends: Type.Optional(listMap(discoveredBackend, ['name'], { description: 'Backends of the group.' })),
    oidcConfigHash: Type.Optional(
      Type.String({ description: 'Hash of the MCPOIDCConfig that was last read. Absent without a reference.' }),
    ),
    authzConfigHash: Type.Optional(
      Type.String({ description: 'Hash of the MCPAuthzConfig that was last read. Absent without a reference.' }),
    ),
    telemetryConfigHash: Type.Optional(
      Type.String({ description: 'Hash of the MCPTelemetryConfig that was last read. Absent without a reference.' }),
    ),
    observedGeneration,
    conditions,
  },
  { description: 'Observed state of the gateway.' },
);
