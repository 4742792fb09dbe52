import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { remoteUrl } from './remote-url.ts';
import { staticBackendUrl } from './static-backend-url.ts';

/** Judges one object beyond its schema. */
export type Rule = (resource: Resource) => Diagnostic[];

/** Every rule, in the order in which its findings are easiest to read. */
export const RULES: readonly Rule[] = [remoteUrl, staticBackendUrl];
