import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/** Decimals are strings, so the schema checks their form and not their range. */
const MOST = { hybridSearchSemanticRatio: 1, semanticDistanceThreshold: 2 } as const;

/**
 * Search settings must be within their ranges.
 *
 * @holds The rest of config | `optimizer` decimals | ratio 0–1, threshold 0–2 | LNT1013
 */
export function optimizerRanges(resource: Resource): Diagnostic[] {
  const optimizer = gatewaySpec(resource)?.config?.optimizer;
  if (optimizer === undefined) return [];
  return (Object.keys(MOST) as (keyof typeof MOST)[]).flatMap(field => {
    const text = optimizer[field];
    if (text === undefined || Number(text) <= MOST[field]) return [];
    const form = `a number from 0 to ${MOST[field]}`;
    const message = `expected ${form}, found "${text}"`;
    const help = `Write ${form}, such as "0.5"`;
    return [diagnose(resource.document, 'LNT1013', ['spec', 'config', 'optimizer', field], message, { help })];
  });
}
