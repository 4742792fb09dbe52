/**
 * Secrets of a server, or of the proxy in front of it: with them the server acts for every caller alike. They are listed by reference,
 * never by value. A place that may hold a secret, such as a folder of the node, counts as well.
 */
import { compareText, getMember, isObject } from '#schemas';
import { isArgumentPath, listProgramSecrets } from '../../source/program-secrets.ts';
import { isSecretHeader } from '../../source/secret-name.ts';
import { findSecretParameter } from '../../source/secret-parameter.ts';
import type { Path } from '../../source/source-document.ts';
import type { BackendModel, GatewayModel } from '../gateway/model.ts';
import { PROXY_CONTAINER } from '../pods/main-container.ts';
import type { OwnSecret } from './exposure.ts';

/** The name for every key of a Secret, and for the variables with the names of these keys. */
const ALL = '*';

/** Settings below this path belong to the proxy, which runs in front of the server. */
const PROXY = 'resourceOverrides';

/** The containers of a pod template, in the order in which they start. */
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'];

/** The secrets of a server that these sources describe. Other backends run elsewhere, and their secrets are not in these sources. */
export function listOwnSecrets(gateway: GatewayModel, backend: BackendModel): readonly OwnSecret[] {
  const { kind } = backend.origin.resource;
  // A gateway that replaces the proxy sends the same headers itself.
  const ofItsProxy = gateway.plan.front === undefined ? listProxySecrets(gateway, backend) : [];
  const found =
    kind === 'MCPServer' ? [...listServerSecrets(backend), ...ofItsProxy] : kind === 'MCPRemoteProxy' ? ofItsProxy : [];
  const once = new Map(found.map(secret => [JSON.stringify(secret), secret]));
  return [...once].sort(([a], [b]) => compareText(a, b)).map(([, secret]) => secret);
}

function listServerSecrets({ origin }: BackendModel): readonly OwnSecret[] {
  const { kind, spec } = origin.resource;
  const pod = getValueAt(spec, ['podTemplateSpec', 'spec']);
  const containers = CONTAINERS.flatMap(field => listAt(pod, [field])).filter(
    container => getMember(container, 'name') !== PROXY_CONTAINER,
  );
  return [
    ...listAt(spec, ['secrets']).flatMap(listSecretVariables),
    ...containers.flatMap(container => [
      ...listAt(container, ['env']).flatMap(listContainerSecrets),
      ...listAt(container, ['envFrom']).flatMap(listWholeSecrets),
    ]),
    ...listProgramSecrets(kind, spec)
      .filter(([, field]) => field !== PROXY)
      .map(path => toClearSecret(spec, path)),
    ...listAt(spec, ['process', 'inheritEnv']).map(toInheritedSecret),
    ...[...listAt(spec, ['volumes']), ...listAt(pod, ['volumes'])].flatMap(listVolumeSecrets),
    ...listAccountSecrets(spec, pod),
  ];
}

/** The secrets in requests from the proxy in front of a server. */
function listProxySecrets(
  { inventory }: GatewayModel,
  { origin: { resource }, location }: BackendModel,
): readonly OwnSecret[] {
  const { namespace, spec } = resource;
  const url = getMember(spec, 'remoteUrl');
  const parameter = typeof url === 'string' ? findSecretParameter(url) : undefined;
  const plain = Object.keys(getValueAt(spec, ['headerForward', 'addPlaintextHeaders']) as object);
  const kind = 'MCPExternalAuthConfig';
  const name = getMember(getValueAt(spec, ['externalAuthConfigRef']), 'name');
  const isSentHere = location?.holder.kind === kind && location.holder.name === name;
  const isNamed = typeof name === 'string' && name !== '' && !isSentHere;
  const type = isNamed ? getMember(inventory.find(kind, namespace, name)?.spec, 'type') : undefined;
  return [
    ...listAt(spec, ['headerForward', 'addHeadersFromSecret']).flatMap(listHeaderSecrets),
    ...plain.filter(isSecretHeader).map((name): OwnSecret => ({ name: `header ${name}`, from: { type: 'spec' } })),
    ...(parameter === undefined ? [] : [{ name: `URL parameter ${parameter}`, from: { type: 'spec' } } as const]),
    ...(isNamed && !WITHOUT_CREDENTIAL.has(type)
      ? [{ name: 'credential of its proxy', from: { type: 'object', kind, name } } as const]
      : []),
  ];
}

/** Types of an MCPExternalAuthConfig for which a proxy sends no credential of its own. */
const WITHOUT_CREDENTIAL: ReadonlySet<unknown> = new Set(['unauthenticated', 'embeddedAuthServer']);

function listHeaderSecrets(header: unknown): OwnSecret[] {
  const { name, key } = getValueAt(header, ['valueSecretRef']) as { name?: unknown; key?: unknown };
  const own = getMember(header, 'headerName');
  if (typeof own !== 'string' || typeof name !== 'string' || typeof key !== 'string') return [];
  return [{ name: `header ${own}`, from: { type: 'secret', name, key } }];
}

function listSecretVariables(variable: unknown): OwnSecret[] {
  const { name, key, targetEnvName } = variable as { name: string; key: string; targetEnvName?: string };
  return [{ name: targetEnvName || key, from: { type: 'secret', name, key } }];
}

function listContainerSecrets(variable: unknown): OwnSecret[] {
  const own = getMember(variable, 'name');
  if (typeof own !== 'string') return [];
  const source = getValueAt(variable, ['valueFrom']);
  const { name, key } = getValueAt(source, ['secretKeyRef']) as { name?: unknown; key?: unknown };
  if (typeof name === 'string' && typeof key === 'string') return [{ name: own, from: { type: 'secret', name, key } }];
  const { volumeName, path } = getValueAt(source, ['fileKeyRef']) as { volumeName?: unknown; path?: unknown };
  if (typeof volumeName !== 'string' || typeof path !== 'string') return [];
  return [{ name: own, from: { type: 'file', path: `${path} of volume ${volumeName}` } }];
}

function listWholeSecrets(source: unknown): OwnSecret[] {
  const name = getMember(getValueAt(source, ['secretRef']), 'name');
  return typeof name === 'string' ? [{ name: ALL, from: { type: 'secret', name, key: ALL } }] : [];
}

/** Secrets of every type of volume, found by Kubernetes' names for Secrets, service accounts and folders of the node. */
function listVolumeSecrets(volume: unknown): OwnSecret[] {
  const name = `volume ${String(getMember(volume, 'name'))}`;
  const found: OwnSecret[] = [];
  const addSecret = (secret: unknown, items: unknown): void => {
    if (typeof secret !== 'string') return;
    const keys = Array.isArray(items) ? items.map(item => String(getMember(item, 'key'))) : [];
    for (const key of keys.length === 0 ? [ALL] : keys)
      found.push({ name, from: { type: 'secret', name: secret, key } });
  };
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) for (const [field, member] of Object.entries(value)) lookAt(field, member, value);
  };
  const lookAt = (field: string, member: unknown, holder: object): void => {
    if (field === 'secretName') addSecret(member, getMember(holder, 'items'));
    else if (/secretRef$/i.test(field)) addSecret(getMember(member, 'name'), undefined);
    else if (field === 'secret' && getMember(member, 'name') !== undefined)
      addSecret(getMember(member, 'name'), getMember(member, 'items'));
    else if (field === 'serviceAccountToken') found.push({ name, from: { type: 'account', name: '' } });
    else if (field === 'secretProviderClass')
      found.push({ name, from: { type: 'object', kind: 'SecretProviderClass', name: String(member) } });
    else if (field === 'hostPath') {
      const path = typeof member === 'string' ? member : getMember(member, 'path');
      if (typeof path === 'string') found.push({ name, from: { type: 'file', path: `${path} of the node` } });
    } else visit(member);
  };
  visit(volume);
  return found;
}

/** The rights of the pod's service account in the cluster, and in clouds that trust the cluster. */
function listAccountSecrets(spec: unknown, pod: unknown): OwnSecret[] {
  const names = [
    getMember(spec, 'serviceAccount'),
    getMember(pod, 'serviceAccountName'),
    getMember(pod, 'serviceAccount'),
  ].filter(name => typeof name === 'string' && name !== '') as string[];
  const isMounted = getMember(pod, 'automountServiceAccountToken') === true;
  const all = names.length === 0 && isMounted ? [''] : [...new Set(names)];
  return all.map(name => ({ name: 'service account', from: { type: 'account', name } }));
}

function toClearSecret(spec: unknown, path: Path): OwnSecret {
  const last = path.at(-1);
  const name = isArgumentPath(path)
    ? `argument ${Number(last) + 1}`
    : String(getMember(getValueAt(spec, path.slice(1, -1)), 'name'));
  return { name, from: { type: 'spec' } };
}

function toInheritedSecret(name: unknown): OwnSecret {
  return { name: String(name), from: { type: 'env', name: String(name) } };
}

/** An empty object when the member is missing. */
function getValueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((holder, step) => {
    const member = Array.isArray(holder)
      ? holder[Number(step)]
      : isObject(holder)
        ? getMember(holder, String(step))
        : undefined;
    return member ?? {};
  }, value);
}

function listAt(value: unknown, path: Path): readonly unknown[] {
  const list = getValueAt(value, path);
  return Array.isArray(list) ? list : [];
}
