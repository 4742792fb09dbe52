import { KINDS_FILE, type KindSchemas } from '#schemas';

/** All kinds of Lintel's group, by name. */
export const KINDS: ReadonlyMap<string, KindSchemas> = new Map(Object.entries(KINDS_FILE));
