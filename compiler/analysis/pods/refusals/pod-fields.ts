import { isIP } from 'node:net';
import { getMember, isObject } from '#schemas';
import { isObjectName } from '../../../source/metadata.ts';
import { DNS_LABEL_FORM, findLabelKeyProblem, isDnsLabel } from '../../../source/name-syntax.ts';
import { parseQuantity } from '../../../text/quantity.ts';
import {
  getMapping,
  getPodSpec,
  getText,
  has,
  listItems,
  listMappings,
  type Pod,
  type PodMapping,
  type Refusal,
  refuse,
} from './pod.ts';

const MAX_NAMESERVERS = 3;
const OBJECTS = ['serviceAccountName', 'priorityClassName', 'runtimeClassName', 'nodeName'];
const SEARCH = /^(?:[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?)(?:\.[a-z0-9_](?:[-a-z0-9_]*[a-z0-9_])?)*$/;

/** Errors of the API server about fields of a Deployment's pods. */
export function checkPodFields(pod: Pod): Refusal[] {
  const spec = getPodSpec(pod);
  const policy = getText(spec, 'restartPolicy');
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
    ...(listItems(spec, 'ephemeralContainers').length > 0
      ? [
          refuse(
            spec,
            'ephemeralContainers',
            'a template has no ephemeral containers: they are added to pods that run',
            { at: 'key' },
          ),
        ]
      : []),
    ...checkName(spec),
    ...checkDns(spec),
    ...checkAlias(spec),
    ...checkOverhead(spec),
    ...listMappings(spec, 'readinessGates').flatMap(gate => checkKey(gate, 'conditionType')),
    ...listMappings(spec, 'schedulingGates').flatMap(gate => checkKey(gate, 'name')),
    ...checkOperatingSystem(spec),
  ];
}

function checkName(spec: PodMapping): Refusal[] {
  return [
    ...OBJECTS.flatMap(name => {
      const value = name === 'runtimeClassName' ? getMember(spec.value, name) : getText(spec, name);
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
      const value = getText(spec, name);
      return value === undefined || isDnsLabel(value)
        ? []
        : [refuse(spec, name, `${JSON.stringify(value)} is no host name: ${DNS_LABEL_FORM}`)];
    }),
  ];
}

function checkDns(spec: PodMapping): Refusal[] {
  const config = getMapping(spec, 'dnsConfig');
  const servers = config === undefined ? [] : listItems(config, 'nameservers');
  const needsServers = getText(spec, 'dnsPolicy') === 'None' && servers.length === 0;
  return [
    ...(needsServers ? [refuse(spec, 'dnsPolicy', 'dnsPolicy: None needs dnsConfig.nameservers')] : []),
    ...(servers.length > MAX_NAMESERVERS && config !== undefined
      ? [refuse(config, 'nameservers', `there are at most ${MAX_NAMESERVERS} name servers`, { at: 'key' })]
      : []),
    ...(config === undefined ? [] : listMappings(config, 'options'))
      .filter(option => getText(option, 'name') === undefined)
      .map(({ path }) => ({ places: [path], message: 'an option needs a name' })),
    ...servers.flatMap(({ value, path }) => checkAddress(value, path)),
    ...(config === undefined ? [] : listItems(config, 'searches')).flatMap(({ value, path }) => {
      const isBad = typeof value === 'string' && value !== '.' && !SEARCH.test(value.replace(/\.$/, ''));
      return isBad ? [{ places: [path], message: `${JSON.stringify(value)} is no domain` }] : [];
    }),
  ];
}

function checkAlias(spec: PodMapping): Refusal[] {
  return listMappings(spec, 'hostAliases').flatMap(alias => [
    ...checkAddress(getMember(alias.value, 'ip'), [...alias.path, 'ip']),
    ...listItems(alias, 'hostnames').flatMap(({ value, path }) =>
      typeof value !== 'string' || isObjectName(value)
        ? []
        : [{ places: [path], message: `${JSON.stringify(value)} is no host name` }],
    ),
  ]);
}

function checkAddress(value: unknown, path: PodMapping['path']): Refusal[] {
  if (typeof value !== 'string' || isIP(value) !== 0) return [];
  return [{ places: [path], message: `${JSON.stringify(value)} is no IP address` }];
}

function checkOverhead(spec: PodMapping): Refusal[] {
  const overhead = getMember(spec.value, 'overhead');
  if (!isObject(overhead)) return [];
  return Object.entries(overhead)
    .filter(([, amount]) => (parseQuantity(amount) ?? 0n) < 0n)
    .map(([name]) => ({ places: [[...spec.path, 'overhead', name]], message: 'an amount is not negative' }));
}

function checkKey(gate: PodMapping, name: string): Refusal[] {
  const key = getText(gate, name);
  const problem = key === undefined ? undefined : findLabelKeyProblem(key);
  return problem === undefined ? [] : [refuse(gate, name, `the name ${JSON.stringify(key)} ${problem}`)];
}

function checkOperatingSystem(spec: PodMapping): Refusal[] {
  const os = getMapping(spec, 'os');
  const name = os && getText(os, 'name');
  if (os === undefined || name === 'linux') return [];
  return [refuse(os, 'name', 'the image of the server is for os.name: linux')];
}
