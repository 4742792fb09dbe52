import type { VirtualMCPServerSpec } from '#schemas';
import { nearest } from '../check/nearest.ts';
import { mayBeBrokenMember } from '../resolve/group-members.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import type { LoweringContext } from './context.ts';

/**
 * Reports a name that no backend of this gateway has. A setting for a misspelt backend would apply to nobody, and the
 * backend that was meant would keep the defaults: everything advertised.
 */
export function reportUnknownBackend(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  path: Path,
  name: string,
  known: readonly string[],
  at: 'key' | 'value' = 'value',
): void {
  if (known.includes(name)) return;
  // A workload with errors of its own is no backend now, and the error to mend is there.
  const group = { namespace: gateway.namespace, name: gateway.spec.groupRef.name };
  if (mayBeBrokenMember(context.inventory, group, name)) return;
  const close = nearest(name, known);
  context.report(gateway, 'LNT3012', path, `no backend of this gateway is named "${name}"`, {
    at,
    fix: close === undefined ? knownText(known) : `did you mean "${close}"?`,
  });
}

function knownText(known: readonly string[]): string {
  return known.length === 0 ? 'the gateway has no backends in these sources' : `backends: ${known.join(', ')}`;
}
