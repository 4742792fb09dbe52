import { extractTerms, type ToolDefinition, toolWords } from '#search';
import { hasOptimizer } from '../../analysis/gateway/has-optimizer.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { type ListedTool, offeredTools } from '../support/listed-tools.ts';
import { findBackend } from '../support/places.ts';
import { quotedList } from '../support/texts.ts';

/**
 * Tools that the search of the optimizer cannot tell apart: each query that finds one finds the others as well, so that at most one of
 * them is first. One finding for each group, at the backend of its first.
 */
export function alikeTools(gateway: GatewayModel): Diagnostic[] {
  if (!hasOptimizer(gateway)) return [];
  const groups = Map.groupBy(offeredTools(gateway), wordsOf);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0 || !('backend' in first.source)) return [];
    const origin = findBackend(gateway, first.source.backend)?.origin;
    if (origin === undefined) return [];
    const names = quotedList([first, ...others].map(({ name }) => name));
    const message = `no query finds each of ${names} first: their names, titles and descriptions have the same words`;
    return [diagnose(origin.resource.document, 'LNT3029', origin.path, message)];
  });
}

function wordsOf({ definition }: ListedTool): string {
  return [...new Set(extractTerms(toolWords(definition as unknown as ToolDefinition)))].sort().join(' ');
}
