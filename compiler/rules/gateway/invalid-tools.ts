import type { CatalogItem } from '#schemas';
import { getMember } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { findBackend } from '../support/places.ts';

/** Combinations that model interfaces refuse at the top of an input schema. */
const REFUSED_AT_TOP = ['allOf', 'anyOf', 'oneOf'];

/**
 * One tool with a schema that a client cannot read may cost that client the whole list. What no client could read is
 * withheld by the gateway (LNT3027); this is about what some clients refuse.
 */
export function invalidTools(gateway: GatewayModel): Diagnostic[] {
  return gateway.tools.flatMap(({ advertised, backend, originalName, definition }) => {
    const problem = advertised ? toolProblem(definition) : undefined;
    const origin = problem === undefined ? undefined : findBackend(gateway, backend)?.origin;
    if (origin === undefined) return [];
    const message = `clients may refuse the tool "${originalName}" of "${backend}", and all others with it: ${problem}`;
    return [diagnose(origin.resource.document, 'LNT3026', origin.path, message)];
  });
}

function toolProblem({ inputSchema, outputSchema }: CatalogItem): string | undefined {
  const refused = REFUSED_AT_TOP.find(keyword => getMember(inputSchema, keyword) !== undefined);
  if (refused !== undefined) return `its input schema has ${refused} at the top level`;
  // Revisions with sessions demand it of both schemas, and their clients look.
  if (outputSchema === undefined || getMember(outputSchema, 'type') === 'object') return undefined;
  return 'the type of its output schema is not "object"';
}
