/** Lowers the policies. */
import type {
  AuthorizationPlan,
  CedarPlan,
  ConfigIncomingAuth,
  GatewayConfig,
  IncomingAuth,
  VirtualMCPServerSpec,
} from '#schemas';
import { readPolicySet } from '../analysis/cedar/authorization.ts';
import { buildCedarPlan } from '../analysis/cedar/plan.ts';
import { DEFAULT_GROUP_TYPE, type PolicySource } from '../analysis/cedar/policy-source.ts';
import { type ChosenPolicies, chooseIncomingAuth } from '../resolve/choose-incoming-auth.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import type { LoweringContext } from './context.ts';
import { reportOutsideConfigMap } from './outside-config-map.ts';

/** Policies that are configured and cannot be read never become "no policies": such a gateway gets no bundle. */
export function lowerAuthorization(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): AuthorizationPlan {
  const incoming = spec.child('incomingAuth');
  if (incoming === undefined) readWritten(config?.child('incomingAuth'));
  else readReferring(incoming);
  const { policies } = chooseIncomingAuth(gateway.spec);
  if (policies === undefined) return { engine: 'none', policyCount: 0 };
  const set = readPolicySet(gateway, context.inventory);
  if (set !== undefined) {
    const primaryUpstream = findPrimaryUpstream(gateway, set.source);
    return { ...buildCedarPlan(gateway.name, set), ...(primaryUpstream === undefined ? {} : { primaryUpstream }) };
  }
  reportOutside(context, gateway, policies);
  return createDenyAllPlan(gateway.name);
}

/**
 * The upstream whose claims policies read, if people sign in through upstreams. With `spec.incomingAuth` it is the first upstream by default; with
 * `config.incomingAuth` the spec has to name it.
 */
function findPrimaryUpstream({ spec }: Resource<VirtualMCPServerSpec>, { primaryUpstream }: PolicySource) {
  const { authServerConfig: server, incomingAuth } = spec;
  if (server === undefined) return undefined;
  const named = server.primaryUpstreamProvider || primaryUpstream?.text;
  return named ?? (incomingAuth === undefined ? undefined : server.upstreamProviders[0]?.name);
}

/** Marks both fields as read: what they contain becomes part of the plan, or rules refuse it. */
function readReferring(incoming: Tracked<IncomingAuth>): void {
  incoming.get('authzConfig');
  incoming.get('authzConfigRef');
}

function readWritten(incoming: Tracked<ConfigIncomingAuth> | undefined): void {
  const authz = incoming?.child('authz');
  if (authz?.peek('type') === 'none') {
    authz.get('type');
    authz.ignoreRest('authz.type is none');
  } else {
    incoming?.get('authz');
  }
}

/** Reports a ConfigMap with policies that is not in the sources. Rules report all other mistakes in a source of policies. */
function reportOutside(context: LoweringContext, gateway: Resource, policies: ChosenPolicies): void {
  if (policies.type !== 'configMap') return;
  const { name, path } = policies;
  reportOutsideConfigMap(context, gateway, { name, what: 'the policies' }, [...path, 'configMap', 'name']);
}

/** A plan without policies, for policies that could not be read. A runtime would refuse it. */
function createDenyAllPlan(server: string): CedarPlan {
  return {
    engine: 'cedar',
    policyCount: 0,
    policies: [],
    entities: [],
    server,
    groupType: DEFAULT_GROUP_TYPE,
    groupClaims: [],
    roleClaim: null,
    multiValuedClaims: [],
  };
}
