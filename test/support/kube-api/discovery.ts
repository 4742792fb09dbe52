/** The server's responses about its health, its versions, groups and types. */
import type { JsonObject } from './json.ts';
import { formatApiVersion, type ResourceType, type ResourceTypes } from './resource-types.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** The response to a GET; undefined for another path. */
export function discover(path: string, types: ResourceTypes): JsonObject | string | undefined {
  switch (path.replace(/\/$/, '')) {
    case '/healthz':
    case '/livez':
    case '/readyz':
      return 'ok';
    case '/version':
      return { major: '1', minor: '36', gitVersion: 'v1.36.0', platform: 'linux/amd64' };
    case '/api':
      return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    case '/apis':
      return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups(types.all) };
    default:
      return resources(path, types.all);
  }
}

function groups(types: readonly ResourceType[]): JsonObject[] {
  return [...new Set(types.map(({ group }) => group))]
    .filter(group => group !== '')
    .map(name => {
      const versions = [...new Set(types.filter(({ group }) => group === name).map(({ version }) => version))];
      const shown = versions.map(version => ({ groupVersion: `${name}/${version}`, version }));
      return { name, versions: shown, ...(shown[0] !== undefined && { preferredVersion: shown[0] }) };
    });
}

function resources(path: string, types: readonly ResourceType[]): JsonObject | undefined {
  const groupVersion = /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))\/?$/.exec(path);
  const wanted = groupVersion?.[1] ?? groupVersion?.[2];
  const found = types.filter(type => formatApiVersion(type) === wanted);
  if (wanted === undefined || found.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: wanted,
    resources: found.flatMap(({ plural, kind, namespaced, hasStatus }) => [
      { name: plural, singularName: kind.toLowerCase(), namespaced, kind, verbs: VERBS },
      ...(hasStatus
        ? [{ name: `${plural}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] }]
        : []),
    ]),
  };
}
