/** The parts of an object that a rule reads, recorded by proxies. */
import type { Inventory, Resource } from '../../../compiler/resolve/inventory.ts';
import { Inventory as Objects } from '../../../compiler/resolve/inventory.ts';
import type { Rule } from '../../../compiler/rules/index.ts';
import type { Path } from '../mutated-specs/sites.ts';

const ALL = '*';

export function readPaths(resource: Resource, inventory: Inventory, rule: Rule) {
  const seen = new Set<string>();
  const textOf = (path: Path) => path.map(String).join('\u0000');
  const recorded = (value: unknown, path: Path): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const members = new Map<string | symbol, unknown>();
    const note = (key: string | symbol) => {
      if (typeof key === 'string') seen.add(textOf([...path, key]));
    };
    return new Proxy(Array.isArray(value) ? [...value] : { ...value }, {
      get(of, key) {
        note(key);
        if (typeof key === 'symbol' || !Object.hasOwn(of, key) || key === 'length') return Reflect.get(of, key);
        if (!members.has(key)) members.set(key, recorded(Reflect.get(of, key), [...path, key]));
        return members.get(key);
      },
      has(of, key) {
        note(key);
        return Reflect.has(of, key);
      },
      getOwnPropertyDescriptor(of, key) {
        note(key);
        return Reflect.getOwnPropertyDescriptor(of, key);
      },
      ownKeys(of) {
        seen.add(textOf([...path, ALL]));
        return Reflect.ownKeys(of);
      },
    });
  };
  const own = {
    ...resource,
    spec: recorded(resource.spec, ['spec']) as object,
    written: recorded(resource.authored, ['spec']),
  };
  const kinds = [...new Set([...ALL_KINDS, resource.kind])];
  const others = kinds.flatMap(kind => inventory.listAll(kind)).map(one => (one === resource ? own : one));
  rule(own, new Objects(others));
  /** A path, the members of its parent, or the parent in which it would be. */
  const touches = (paths: readonly Path[]): boolean =>
    paths.some(path => {
      const [last, ...holder] = path.toReversed();
      return seen.has(textOf(path)) || (last !== undefined && seen.has(textOf([...holder.toReversed(), ALL])));
    });
  return { touches };
}

const ALL_KINDS = [
  ...['VirtualMCPServer', 'MCPGroup', 'MCPServer', 'MCPRemoteProxy', 'MCPServerEntry', 'MCPToolConfig'],
  ...['MCPOIDCConfig', 'MCPExternalAuthConfig', 'MCPAuthzConfig', 'MCPTelemetryConfig', 'EmbeddingServer'],
  ...['VirtualMCPCompositeToolDefinition', 'MCPRegistry', 'GatewaySource', 'Secret', 'ConfigMap'],
];
