import type { Tracked } from '../resolve/tracked.ts';

/** A block with a switch of its own: if it is off, the rest of the block has no effect. */
export function refuseWhenEnabled<T extends { readonly enabled?: boolean }>(
  block: Tracked<T> | undefined,
  feature: string,
): void {
  if (block === undefined) return;
  if (block.peek('enabled') === true) {
    block.refuse(feature);
    return;
  }
  block.get('enabled');
  block.ignoreRest('enabled is not true');
}
