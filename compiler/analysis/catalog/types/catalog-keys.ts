/**
 * The member name in `catalog` for each key of the tool lock: the backend's name while it is unique. If several backends share a name, all of
 * them get their namespace as well, `prod/github`, and inline backends also their gateway. So adding a backend never changes what an existing
 * name refers to.
 */
export function mapCatalogKeys(keys: readonly string[]): ReadonlyMap<string, string> {
  const uses = new Map<string, number>();
  for (const key of keys) for (const name of listNames(key)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(keys.map(key => [key, listNames(key).find(name => uses.get(name) === 1) ?? key]));
}

/** The name of the backend that a key of the tool lock stands for. */
export function toBackendName(key: string): string {
  return splitKey(key).name;
}

/** The names that can refer to a backend, shortest first. */
function listNames(key: string): readonly string[] {
  const { namespace, gateway, name } = splitKey(key);
  return [...new Set([name, gateway === undefined ? `${namespace}/${name}` : `${namespace}/${gateway}/${name}`, key])];
}

function splitKey(key: string) {
  const [namespace = '', kind, first = '', ...rest] = key.split('/');
  if (kind !== 'VirtualMCPServer') return { namespace, gateway: undefined, name: [first, ...rest].join('/') };
  return { namespace, gateway: first, name: rest.join('/') };
}
