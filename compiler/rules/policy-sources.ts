import type { MCPAuthzConfig, VirtualMCPServerSpec } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { isMapping, memberOf } from '../source/is-mapping.ts';
import { gatewaySpec } from './gateway-spec.ts';

type AuthzConfig = NonNullable<VirtualMCPServerSpec['incomingAuth']['authzConfig']>;

/** The only policy language that a gateway speaks. */
const CEDAR = 'cedarv1';

/** A source of policies that holds none must not pass as "authorization is on". */
export function policySources(resource: Resource, inventory: Inventory): Diagnostic[] {
  if (resource.kind === 'MCPAuthzConfig') return sharedConfig(resource);
  const incoming = gatewaySpec(resource)?.incomingAuth;
  if (incoming === undefined) return [];
  return [
    ...referencedType(resource, incoming.authzConfigRef?.name, inventory),
    ...configMap(resource, incoming.authzConfig, inventory),
  ];
}

function sharedConfig(resource: Resource): Diagnostic[] {
  const { type, config } = resource.spec as NonNullable<MCPAuthzConfig['spec']>;
  if (type !== CEDAR || countOf(memberOf(config, 'policies')) > 0) return [];
  return [diagnose(resource.document, 'LNT5006', ['spec', 'config', 'policies'], 'config holds no policies')];
}

function referencedType(resource: Resource, name: string | undefined, inventory: Inventory): Diagnostic[] {
  if (name === undefined) return [];
  type Spec = NonNullable<MCPAuthzConfig['spec']>;
  const target = inventory.find<Spec>('MCPAuthzConfig', resource.namespace, name);
  if (target === undefined || target.spec.type === CEDAR) return [];
  const message = `MCPAuthzConfig "${name}" is of type "${target.spec.type}"; a gateway reads ${CEDAR} only`;
  return [diagnose(resource.document, 'LNT2003', ['spec', 'incomingAuth', 'authzConfigRef', 'name'], message)];
}

function configMap(resource: Resource, authz: AuthzConfig | undefined, inventory: Inventory): Diagnostic[] {
  if (authz?.type !== 'configMap' || authz.configMap === undefined) return [];
  const { name, key = 'authz.json' } = authz.configMap;
  const target = inventory.find('ConfigMap', resource.namespace, name);
  const text = target === undefined ? undefined : memberOf(memberOf(target.spec, 'data'), key);
  if (target === undefined || typeof text !== 'string') return [];
  const problem = documentProblem(text);
  if (problem === undefined) return [];
  const { doc } = target.document;
  const related = [{ message: 'the document', file: doc.file, range: doc.locate(['data', key], 'key') }];
  const path = ['spec', 'incomingAuth', 'authzConfig', 'configMap', 'name'];
  return [diagnose(resource.document, 'LNT5006', path, `ConfigMap "${name}", key "${key}": ${problem}`, { related })];
}

/** What keeps a policy document from being one; the policies themselves are not read here. */
function documentProblem(text: string): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (!isMapping(document)) return 'not a JSON object';
  if (document.type !== CEDAR) return `the type is not "${CEDAR}"`;
  return countOf(memberOf(document.cedar, 'policies')) === 0 ? 'no policies in cedar.policies' : undefined;
}

function countOf(policies: unknown): number {
  return Array.isArray(policies) ? policies.length : 0;
}
