import type { AnyBackend } from '../backend.ts';
import type { Tool } from '../tool.ts';
import type { ToolNaming } from './tool-naming.ts';

/**
 * Names that two tools of a gateway want, one of them offered: both would be withheld.
 *
 * @param offered tools that clients see
 * @param ownTools names of the gateway's own tools, which are offered
 */
export function nameCollisions(
  backends: readonly AnyBackend[],
  offered: readonly Tool[],
  ownTools: readonly string[],
  naming: ToolNaming,
): readonly string[] {
  const locked = backends.flatMap(({ name: backend, locked }) =>
    (locked?.toolNames ?? []).map(name => ({ backend, name })),
  );
  const described = new Map<string, { readonly name: string; readonly isOffered: boolean }>();
  for (const name of ownTools) described.set(`"${name}" of the gateway`, { name, isOffered: true });
  for (const [tools, isOffered] of [
    [locked, false],
    [offered, true],
  ] as const) {
    for (const tool of tools) {
      const named = naming.tool(tool);
      if ('name' in named) described.set(`"${tool.name}" of "${tool.backend}"`, { name: named.name, isOffered });
    }
  }
  return [...Map.groupBy(described, ([, { name }]) => name)].flatMap(([name, holders]) =>
    holders.length > 1 && holders.some(([, { isOffered }]) => isOffered)
      ? [`${holders.map(([text]) => text).join(' and ')} would be called "${name}": rename one of them`]
      : [],
  );
}
