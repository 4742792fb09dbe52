/**
 * Validates the structure of bundles and indexes, so that a truncated or edited file gives a clear message rather than a crash while serving.
 * Their meaning is not validated, because the compiler wrote them and the digest protects them.
 */
import { AUDIT_EVENTS, type BackendPlan, type GatewayBundle } from '#schemas';
import { auditShape } from './audit-shape.ts';
import { AUTH_SERVER } from './auth-server-shape.ts';
import {
  count,
  findProblem,
  httpUrl,
  milliseconds,
  nullable,
  object,
  oneOf,
  optional,
  type Shape,
  string,
} from './checks.ts';
import { OPTIMIZER } from './optimizer-shape.ts';
import { findOutgoingProblem, headerName, OUTGOING_AUTH } from './outgoing-shape.ts';
import { RATE_LIMITING } from './rate-limit-shape.ts';
import { REDIS } from './redis-shape.ts';
import { TELEMETRY } from './telemetry-shape.ts';
import { RESOURCE_METADATA, TOKEN_PROVIDER } from './token-auth-shape.ts';
import { findWorkflowsProblem, WORKFLOWS } from './workflow-shape.ts';

const ENTITY_UID: Shape = { type: string, id: string };

const GATEWAY: Shape = {
  namespace: string,
  name: string,
  origin: { compilerVersion: string },
  requires: [string],
  secrets: [{ use: string, env: nullable(string), file: nullable(string) }],
  server: { name: string, metadata: object },
  incomingAuth: { type: oneOf('anonymous', 'local', 'oidc') },
  authorization: { engine: oneOf('none', 'cedar'), policyCount: count },
  passthroughHeaders: [headerName],
  backends: [
    {
      name: string,
      url: httpUrl,
      transport: oneOf('streamable-http', 'sse'),
      addresses: oneOf('any', 'private', 'public'),
      timeoutMs: milliseconds,
      caPem: optional(string),
      caFile: optional(string),
      stdio: optional(object),
      auth: { type: OUTGOING_AUTH },
      headers: [{ name: headerName, value: { type: oneOf('text', 'secret') } }],
      tools: { prefix: string, advertise: { type: oneOf('all', 'none', 'only') }, overrides: object },
      locked: optional({ tools: [string], prompts: [string], resources: [string], resourceTemplates: [string] }),
      pinned: optional({ tools: object }),
    },
  ],
  authServer: optional(AUTH_SERVER),
  sessionStorage: optional({ redis: REDIS, keyPrefix: string }),
  aggregation: { strategy: oneOf('prefix', 'priority', 'manual'), priorityOrder: [string] },
  operational: {
    logLevel: oneOf('info', 'debug'),
    partialFailure: oneOf('fail', 'best_effort'),
    health: { intervalMs: milliseconds, timeoutMs: milliseconds, unhealthyThreshold: count },
    circuitBreaker: optional({ failureThreshold: count, timeoutMs: milliseconds }),
  },
  rateLimiting: optional(RATE_LIMITING),
  optimizer: optional(OPTIMIZER),
  audit: optional(auditShape(AUDIT_EVENTS)),
  telemetry: optional(TELEMETRY),
  workflows: optional(WORKFLOWS),
};

/** `incomingAuth` with required tokens. */
const TOKEN_AUTH: Shape = {
  realm: string,
  providers: [TOKEN_PROVIDER],
  requiredScopes: [string],
  resourceMetadata: nullable(RESOURCE_METADATA),
};

/** `authorization` with policies. */
const CEDAR: Shape = {
  policies: [{ id: string, name: string, text: string, listText: optional(string) }],
  entities: [{ uid: ENTITY_UID, attrs: object, parents: [ENTITY_UID] }],
  server: string,
  groupType: string,
  groupClaims: [string],
  roleClaim: nullable(string),
  multiValuedClaims: [string],
  primaryUpstream: optional(string),
};

const INDEX: Shape = { bundles: [{ kind: string, namespace: string, name: string, digest: string, path: string }] };

/** Why the shape of a gateway's bundle is invalid, or undefined. */
export function findGatewayProblem(bundle: unknown): string | undefined {
  const problem = findProblem(bundle, GATEWAY, '');
  if (problem !== undefined) return problem;
  const { incomingAuth, authServer, authorization, backends, workflows } = bundle as GatewayBundle;
  if (authServer?.upstreams.length === 0) return '"authServer.upstreams" is empty';
  return (
    findIncomingAuthProblem(incomingAuth) ??
    findAuthorizationProblem(authorization) ??
    findBackendsProblem(backends) ??
    findWorkflowsProblem(workflows)
  );
}

/** Why the shape of an index is invalid, or undefined. */
export function indexProblem(index: unknown): string | undefined {
  return findProblem(index, INDEX, '');
}

function findIncomingAuthProblem(plan: GatewayBundle['incomingAuth']): string | undefined {
  if (plan.type !== 'oidc') return undefined;
  const problem = findProblem(plan, TOKEN_AUTH, 'incomingAuth');
  return problem ?? (plan.providers.length > 0 ? undefined : '"incomingAuth.providers" is empty');
}

function findAuthorizationProblem(plan: GatewayBundle['authorization']): string | undefined {
  if (plan.engine === 'cedar') return findProblem(plan, CEDAR, 'authorization');
  return plan.policyCount === 0 ? undefined : '"authorization" has policies and no engine';
}

/** Checks that involve several backends or several members of a backend. */
function findBackendsProblem(backends: GatewayBundle['backends']): string | undefined {
  const names = new Set<string>();
  for (const [index, plan] of backends.entries()) {
    if (names.has(plan.name)) return `"backends" has two items with the name "${plan.name}"`;
    names.add(plan.name);
    const problem = findOutgoingProblem(plan, `backends[${index}]`) ?? findToolsProblem(plan, `backends[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findToolsProblem({ tools: { advertise } }: BackendPlan, at: string): string | undefined {
  return advertise.type === 'only' ? findProblem(advertise.names, [string], `${at}.tools.advertise.names`) : undefined;
}
