/**
 * Secrets of a server itself, in the variables and arguments of its process: with them it acts for every caller alike. Listed by reference,
 * never by value.
 */
import { compareText, getMember, isObject } from '#schemas';
import type { BackendOrigin } from '../../resolve/backend-origin.ts';
import { isArgumentPath, programSecrets } from '../../source/program-secrets.ts';
import type { Path } from '../../source/source-document.ts';
import type { OwnSecret } from './exposure.ts';

/** Stands for every key of a Secret, and for the variables of the same names. */
const ALL = '*';

/** Settings below this path belong to the proxy in front of the server. */
const PROXY = 'resourceOverrides';

/** The secrets of an MCPServer. Other backends run elsewhere, and their secrets are not in these sources. */
export function ownSecrets({ resource: { kind, spec } }: BackendOrigin): readonly OwnSecret[] {
  if (kind !== 'MCPServer') return [];
  const containers = listAt(spec, ['podTemplateSpec', 'spec', 'containers']);
  const found = [
    ...listAt(spec, ['secrets']).flatMap(ofSecretVariable),
    ...containers.flatMap(container => [
      ...listAt(container, ['env']).flatMap(ofContainerVariable),
      ...listAt(container, ['envFrom']).flatMap(ofAllKeys),
    ]),
    ...programSecrets(kind, spec)
      .filter(([, field]) => field !== PROXY)
      .map(path => inTheClear(spec, path)),
    ...listAt(spec, ['process', 'inheritEnv']).map(inherited),
  ];
  const once = new Map(found.map(secret => [JSON.stringify(secret), secret]));
  return [...once].sort(([a], [b]) => compareText(a, b)).map(([, secret]) => secret);
}

function ofSecretVariable(variable: unknown): OwnSecret[] {
  const { name, key, targetEnvName } = variable as { name: string; key: string; targetEnvName?: string };
  return [{ name: targetEnvName || key, from: { type: 'secret', name, key } }];
}

function ofContainerVariable(variable: unknown): OwnSecret[] {
  const { name, key } = memberAt(variable, ['valueFrom', 'secretKeyRef']) as { name?: unknown; key?: unknown };
  const own = getMember(variable, 'name');
  if (typeof own !== 'string' || typeof name !== 'string' || typeof key !== 'string') return [];
  return [{ name: own, from: { type: 'secret', name, key } }];
}

function ofAllKeys(source: unknown): OwnSecret[] {
  const name = getMember(memberAt(source, ['secretRef']), 'name');
  return typeof name === 'string' ? [{ name: ALL, from: { type: 'secret', name, key: ALL } }] : [];
}

function inTheClear(spec: unknown, path: Path): OwnSecret {
  const last = path.at(-1);
  const name = isArgumentPath(path)
    ? `argument ${Number(last) + 1}`
    : String(getMember(memberAt(spec, path.slice(1, -1)), 'name'));
  return { name, from: { type: 'spec' } };
}

function inherited(name: unknown): OwnSecret {
  return { name: String(name), from: { type: 'env', name: String(name) } };
}

/** An empty object when the member is missing. */
function memberAt(value: unknown, path: Path): unknown {
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
  const list = memberAt(value, path);
  return Array.isArray(list) ? list : [];
}
