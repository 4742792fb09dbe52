import { WATCH_ENABLED, WATCH_LABEL } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import type { LoweringContext } from './context.ts';

/**
 * Reports a ConfigMap whose content belongs in the bundle but is not in the sources: content that was not reviewed is not served.
 * @param what the content, such as "the policies"
 * @param path of the name of the ConfigMap
 */
export function reportOutsideConfigMap(
  context: LoweringContext,
  owner: Resource,
  { name, what }: { readonly name: string; readonly what: string },
  path: Path,
): void {
  const { inventory } = context;
  const where = ['ConfigMap', owner.namespace, name] as const;
  if (inventory.find(...where) !== undefined || inventory.isBroken(...where)) return;
  const message = `ConfigMap "${name}" is not in these sources, and ${what} in it are part of the bundle`;
  const fix = `add ConfigMap "${name}" to these sources, or where a controller compiles them give the ConfigMap in the cluster the label ${WATCH_LABEL}: ${WATCH_ENABLED}`;
  context.report(owner, 'LNT2010', path, message, { fix });
}
