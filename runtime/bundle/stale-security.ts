import { canonicalJson, type GatewayBundle } from '#schemas';

/** A part of a bundle that says who gets in, or who may do what. */
export type SecurityPart = 'incomingAuth' | 'authorization';

const PARTS: readonly SecurityPart[] = ['incomingAuth', 'authorization'];

/**
 * Which of these parts are still those of the running bundle, though the one that was refused has others. All of them where
 * the refused one could not be read: then nobody knows.
 */
export function staleSecurity(running: GatewayBundle, refused: GatewayBundle | undefined): readonly SecurityPart[] {
  if (refused === undefined) return PARTS;
  return PARTS.filter(part => canonicalJson(running[part]) !== canonicalJson(refused[part]));
}
