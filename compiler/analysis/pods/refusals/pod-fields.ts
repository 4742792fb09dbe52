import { isIP } from 'node:net';
import { getMember, isObject } from '#schemas';
import { isObjectName } from '../../../source/metadata.ts';
import { DNS_LABEL_FORM, isDnsLabel, labelKeyProblem } from '../../../source/name-syntax.ts';
import { parseQuantity } from '../../../text/quantity.ts';
import {
  getMapping,
  getPodSpec,
  has,
  items,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
  text,
} from './pod.ts';

const MAX_NAMESERVERS = 3;
const OBJECTS = ['serviceAccountName', 'priorityClassName', 'runtimeClassName', 'nodeName'];
const SEARCH = /^(?:[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?)(?:\.[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?)*$/;

/** Errors of the API server about fields of a Deployment's pods. */
export function podFields(pod: Pod): Refusal[] {
  const spec = getPodSpec(pod);
  const policy = text(spec, 'restartPolicy');
  return [
    ...(policy === undefined || policy === 'Always'
      ? []
      : [
          refuse(
            spec,
            'restartPolicy',
            `pods of a Deployment are always restarted: restartPolicy is Always, not ${policy}`,
          ),
        ]),
    ...(has(spec, 'activeDeadlineSeconds')
      ? [refuse(spec, 'activeDeadlineSeconds', 'pods of a Deployment have no deadline', { at: 'key' })]
      : []),
    ...(items(spec, 'ephemeralContainers').length > 0
      ? [
          refuse(
            spec,
            'ephemeralContainers',
            'a template has no ephemeral containers: they are added to pods that run',
            { at: 'key' },
          ),
        ]
      : []),
    ...nameRefusals(spec),
    ...dnsRefusals(spec),
    ...aliasRefusals(spec),
    ...overheadRefusals(spec),
    ...listMappings(spec, 'readinessGates').flatMap(gate => keyRefusal(gate, 'conditionType')),
    ...listMappings(spec, 'schedulingGates').flatMap(gate => keyRefusal(gate, 'name')),
    ...operatingSystem(spec),
  ];
}

function nameRefusals(spec: PodMapping): Refusal[] {
  return [
    ...OBJECTS.flatMap(name => {
      const value = name === 'runtimeClassName' ? getMember(spec.value, name) : text(spec, name);
      return typeof value !== 'string' || isObjectName(value)
        ? []
        : [
            refuse(
              spec,
              name,
              `${JSON.stringify(value)} is not a valid name of an object: lower-case letters, digits, "-" and "."`,
            ),
          ];
    }),
    ...['hostname', 'subdomain'].flatMap(name => {
      const value = text(spec, name);
      return value === undefined || isDnsLabel(value)
        ? []
        : [refuse(spec, name, `${JSON.stringify(value)} is no host name: ${DNS_LABEL_FORM}`)];
    }),
  ];
}

function dnsRefusals(spec: PodMapping): Refusal[] {
  const config = getMapping(spec, 'dnsConfig');
  const servers = config === undefined ? [] : items(config, 'nameservers');
  const needsServers = text(spec, 'dnsPolicy') === 'None' && servers.length === 0;
  return [
    ...(needsServers ? [refuse(spec, 'dnsPolicy', 'dnsPolicy: None needs dnsConfig.nameservers')] : []),
    ...(servers.length > MAX_NAMESERVERS && config !== undefined
      ? [refuse(config, 'nameservers', `there are at most ${MAX_NAMESERVERS} name servers`, { at: 'key' })]
      : []),
    ...(config === undefined ? [] : listMappings(config, 'options'))
      .filter(option => text(option, 'name') === undefined)
      .map(({ path }) => ({ places: [path], message: 'an option needs a name' })),
    ...servers.flatMap(({ value, path }) => addressRefusal(value, path)),
    ...(config === undefined ? [] : items(config, 'searches')).flatMap(({ value, path }) => {
      const isBad = typeof value === 'string' && value !== '.' && !SEARCH.test(value.replace(/\.$/, ''));
      return isBad ? [{ places: [path], message: `${JSON.stringify(value)} is no domain` }] : [];
    }),
  ];
}

function aliasRefusals(spec: PodMapping): Refusal[] {
  return listMappings(spec, 'hostAliases').flatMap(alias => [
    ...addressRefusal(getMember(alias.value, 'ip'), [...alias.path, 'ip']),
    ...items(alias, 'hostnames').flatMap(({ value, path }) =>
      typeof value !== 'string' || isObjectName(value)
        ? []
        : [{ places: [path], message: `${JSON.stringify(value)} is no host name` }],
    ),
  ]);
}

function addressRefusal(value: unknown, path: PodMapping['path']): Refusal[] {
  if (typeof value !== 'string' || isIP(value) !== 0) return [];
  return [{ places: [path], message: `${JSON.stringify(value)} is no IP address` }];
}

function overheadRefusals(spec: PodMapping): Refusal[] {
  const overhead = getMember(spec.value, 'overhead');
  if (!isObject(overhead)) return [];
  return Object.entries(overhead)
    .filter(([, amount]) => (parseQuantity(amount) ?? 0n) < 0n)
    .map(([name]) => ({ places: [[...spec.path, 'overhead', name]], message: 'an amount is not negative' }));
}

function keyRefusal(gate: PodMapping, name: string): Refusal[] {
  const key = text(gate, name);
  const problem = key === undefined ? undefined : labelKeyProblem(key);
  return problem === undefined ? [] : [refuse(gate, name, `the name ${JSON.stringify(key)} ${problem}`)];
}

function operatingSystem(spec: PodMapping): Refusal[] {
  const os = getMapping(spec, 'os');
  const name = os && text(os, 'name');
  if (os === undefined || name === 'linux') return [];
  return [refuse(os, 'name', 'the image of the server is for os.name: linux')];
}
