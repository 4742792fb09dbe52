/** The configuration file of ToolHive's `vmcp`: a gateway without backends, which are the workloads of a group. */
import { isObject } from '#schemas';
import { toObjectName } from '../../starter/object-name.ts';
import type { FoundSecret, FoundServers, LostPart } from '../found.ts';
import type { MutableFields } from '../toolhive/migrate-object.ts';
import { toCamelCased } from '../toolhive/to-camel-cased.ts';
import { VARIABLE } from './mcp-json.ts';

const SECTIONS = ['aggregation', 'backends', 'compositeTools', 'incomingAuth', 'operational', 'outgoingAuth'];

const API_VERSION = 'lintel.dev/v1beta1';

/** Settings without an equivalent in a gateway. */
export const LOST_OF_VMCP: Readonly<Record<string, string>> = {
  tokenCache: 'a gateway keeps tokens in memory, and has no setting for it',
};

export function isVmcpConfig(value: unknown): boolean {
  if (!isObject(value) || value.kind !== undefined || value.apiVersion !== undefined) return false;
  const members = Object.keys(value).map(name => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  const hasGroup = ['group', 'groupRef'].some(name => members.includes(name));
  return hasGroup && SECTIONS.some(name => members.includes(name));
}

export function readVmcpConfig(value: unknown): FoundServers {
  const { value: written, renamed } = toCamelCased(value as MutableFields);
  const { name: configName, group, groupRef = group, incomingAuth, ...config } = written;
  const lost: LostPart[] = [];
  for (const [part, reason] of Object.entries(LOST_OF_VMCP)) {
    if (config[part] === undefined) continue;
    delete config[part];
    lost.push({ part, reason });
  }
  const name = toObjectName(typeof configName === 'string' ? configName : '', 'vmcp');
  const groupName = toObjectName(
    typeof groupRef === 'string' ? groupRef : String((groupRef as MutableFields)?.name ?? ''),
    name,
  );
  const secrets = [...listNamedVariables({ incomingAuth, ...config }, name), ...withoutSecrets(config, name)];
  // In `spec.incomingAuth` only `anonymous` needs no other object. All other settings stay in `spec.config.incomingAuth`, which can contain them.
  const isAnonymous = isObject(incomingAuth) && incomingAuth.type === 'anonymous' && incomingAuth.authz === undefined;
  const auth = isAnonymous ? { incomingAuth: { type: 'anonymous' } } : {};
  if (!isAnonymous && incomingAuth !== undefined) config.incomingAuth = incomingAuth;
  const gateway = {
    apiVersion: API_VERSION,
    kind: 'VirtualMCPServer',
    metadata: { name },
    spec: { groupRef: { name: groupName }, ...auth, config },
  };
  const members = {
    apiVersion: API_VERSION,
    kind: 'MCPGroup',
    metadata: { name: groupName },
    spec: { description: `The servers of the group ${groupName}.` },
  };
  const changes = renamed.map(({ before, after }) => `${before} → ${after}`);
  if (takesOwnBackends(config))
    changes.push('outgoingAuth.source: inline, so that the gateway takes its backends from here');
  return {
    form: 'configuration of vmcp',
    servers: [],
    lost,
    objects: [
      { place: `MCPGroup ${groupName}`, value: members, changes: [], secrets: [] },
      { place: `VirtualMCPServer ${name}`, value: gateway, changes, secrets },
    ],
    ...(config.backends === undefined && { group: groupName }),
  };
}

/** Without a source, `vmcp` takes the backends of its file; a gateway takes them only if the source is `inline`. */
function takesOwnBackends(config: MutableFields): boolean {
  const outgoing = isObject(config.outgoingAuth) ? (config.outgoingAuth as MutableFields) : {};
  if (!Array.isArray(config.backends) || config.backends.length === 0 || outgoing.source !== undefined) return false;
  config.outgoingAuth = { ...outgoing, source: 'inline' };
  return true;
}

/** The variables from which `vmcp` takes its secrets; the gateway needs them under the same names. */
function listNamedVariables(config: MutableFields, gateway: string): readonly FoundSecret[] {
  const found = new Map<string, FoundSecret>();
  const visit = (field: string, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit('', item);
    else if (isObject(value)) for (const [name, member] of Object.entries(value)) visit(name, member);
    else if (field.endsWith('Env') && typeof value === 'string' && VARIABLE.test(value)) {
      const variable = { part: field, server: gateway };
      found.set(value, { name: value, recipe: `what ${value} holds where vmcp runs`, variable });
    }
  };
  visit('', config);
  return [...found.values()];
}

/** Plain-text values of backend strategies, and the field that names a variable instead. */
const IN_CLEAR_TEXT = [
  ['headerInjection', 'headerValue', 'headerValueEnv'],
  ['tokenExchange', 'clientSecret', 'clientSecretEnv'],
  ['obo', 'clientSecret', 'clientSecretEnv'],
  ['xaa', 'idpClientSecret', 'idpClientSecretEnv'],
  ['xaa', 'targetClientSecret', 'targetClientSecretEnv'],
] as const;

function withoutSecrets(config: MutableFields, name: string): readonly FoundSecret[] {
  const outgoing = isObject(config.outgoingAuth) ? (config.outgoingAuth as MutableFields) : {};
  const backends = isObject(outgoing.backends) ? Object.entries(outgoing.backends) : [];
  const strategies = [['default', outgoing.default] as const, ...backends];
  return strategies.flatMap(([backend, strategy]) =>
    IN_CLEAR_TEXT.flatMap(([part, value, variable]): readonly FoundSecret[] => {
      const fields = isObject(strategy) && isObject(strategy[part]) ? (strategy[part] as MutableFields) : undefined;
      if (fields === undefined || typeof fields[value] !== 'string') return [];
      delete fields[value];
      const named = `LINTEL_${`${value}_${backend}_${name}`
        .replace(/([a-z])([A-Z])/g, '$1_$2')
        .toUpperCase()
        .replace(/[^A-Z0-9]+/g, '_')}`;
      fields[variable] = named;
      return [
        {
          name: named,
          recipe: `the value of outgoingAuth.${backend}.${part}.${value}`,
          variable: { part: value, server: backend },
        },
      ];
    }),
  );
}
