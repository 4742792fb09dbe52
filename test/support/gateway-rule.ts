/** Runs a gateway rule, by its name, over the gateways of a YAML text, with a tool lock from the test. */

import type { Diagnostic } from '#compiler';
import type { CatalogItem, VirtualMCPServerSpec } from '#schemas';
import type { Catalog, LockedItems } from '../../compiler/analysis/catalog/index.ts';
import { buildGatewayModel, type GatewayModel } from '../../compiler/analysis/gateway/model.ts';
import type { GatewaySettings } from '../../compiler/analysis/gateway/settings.ts';
import { lowerGateway } from '../../compiler/lower/gateway.ts';
import { findKnownPart, listRulesWithout } from '../../compiler/rules/gateway/areas.ts';
import { GATEWAY_RULES } from '../../compiler/rules/gateway/index.ts';
import { findRule } from './named-rule.ts';
import { object, readObjects } from './rule.ts';

export type { GatewaySettings };
export { object };

/** Items of backends, by key; a tool may be only its name, and need not have an input schema. */
export type Offers = {
  readonly [key: string]: { readonly protocolVersion?: string } & {
    readonly [K in keyof LockedItems]?: readonly (string | CatalogItem)[];
  };
};

/** The group `tools` with a server entry for each name; their keys are `default/MCPServerEntry/<name>`. */
export function entries(...names: readonly string[]): string {
  const spec = (name: string) =>
    `{ groupRef: { name: tools }, remoteUrl: "https://${name}.example.com/mcp", transport: streamable-http }`;
  return [object('MCPGroup', '{}', 'tools'), ...names.map(name => object('MCPServerEntry', spec(name), name))].join(
    '---\n',
  );
}

/** The key of an entry of {@link entries}. */
export function formatBackendKey(name: string): string {
  return `default/MCPServerEntry/${name}`;
}

export function createCatalog(offers: Offers): Catalog {
  const backends = new Map(
    Object.entries(offers).map(([key, offer]) => [
      key,
      {
        protocolVersion: offer.protocolVersion ?? '2025-11-25',
        tools: itemsOf(offer.tools).map(tool => ({ inputSchema: { type: 'object' }, ...tool })),
        prompts: itemsOf(offer.prompts),
        resources: itemsOf(offer.resources),
        resourceTemplates: itemsOf(offer.resourceTemplates),
      },
    ]),
  );
  return { file: 'lintel.lock.json', isWhole: true, backend: key => backends.get(key) };
}

function itemsOf(items: readonly (string | CatalogItem)[] = []): readonly CatalogItem[] {
  return items.map(item => (typeof item === 'string' ? { name: item } : item));
}

/** The gateways of a text, in their order. */
export function models(
  objects: readonly string[],
  offers: Offers = {},
  settings: GatewaySettings = {},
): readonly GatewayModel[] {
  const { resources, inventory } = readObjects(...objects);
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  return resources.flatMap(resource => {
    if (resource.kind !== 'VirtualMCPServer') return [];
    const gateway = inventory.find<VirtualMCPServerSpec>(resource.kind, resource.namespace, resource.name);
    if (gateway === undefined) return [];
    const lowered = lowerGateway(gateway, inventory, origin);
    return [buildGatewayModel(gateway, inventory, lowered, createCatalog(offers), settings)];
  });
}

/**
 * The findings of each rule about a gateway with and without the parts of its spec at these paths. Only rules that do not read those parts are
 * included.
 */
export function comparedWithout(
  { resource, inventory, catalog, settings, ...gateway }: GatewayModel,
  paths: readonly (readonly string[])[],
): readonly { readonly rule: string; readonly whole: readonly Diagnostic[]; readonly part: readonly Diagnostic[] }[] {
  const known = findKnownPart(resource, paths);
  if (known === undefined) throw new Error(`${JSON.stringify(paths)} are in no area`);
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  const model = (from: GatewayModel['resource']) =>
    buildGatewayModel(from, inventory, lowerGateway(from, inventory, origin, catalog), catalog, settings);
  const [whole, part] = [{ resource, inventory, catalog, settings, ...gateway }, model(known.gateway)];
  return listRulesWithout(known.areas).map(rule => ({ rule: rule.name, whole: rule(whole), part: rule(part) }));
}

/** The findings of a rule about all gateways of a text. */
export function findings(
  rule: string,
  objects: readonly string[],
  offers?: Offers,
  settings?: GatewaySettings,
): Diagnostic[] {
  return models(objects, offers, settings).flatMap(findRule(GATEWAY_RULES, rule));
}

/** The findings of a rule as `LNT3001 error 4:9 the message`. */
export function judge(rule: string, objects: readonly string[], offers?: Offers, settings?: GatewaySettings): string[] {
  return findings(rule, objects, offers, settings).map(
    ({ code, severity, range, message }) => `${code} ${severity} ${range.start.line}:${range.start.column} ${message}`,
  );
}
