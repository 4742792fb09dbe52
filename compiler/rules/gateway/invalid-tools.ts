import type { CatalogItem } from '#schemas';
import { getMember } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { findBackend } from '../support/gateway-locations.ts';

/** Combinators that model APIs refuse at the top level of an input schema. */
const REFUSED_AT_TOP = ['allOf', 'anyOf', 'oneOf'];

/**
 * One tool with an unsupported schema may make a client drop the whole list. The gateway withholds tools that no client supports (LNT3027); this
 * rule is about tools that some clients refuse.
 *
 * @holds config.aggregation, backends | (schemas of tools) | have a form that clients accept | LNT3026
 */
export function invalidTools(gateway: GatewayModel): Diagnostic[] {
  return gateway.tools.flatMap(({ advertised, backend, originalName, definition }) => {
    const problem = advertised ? findToolProblem(definition) : undefined;
    const origin = problem === undefined ? undefined : findBackend(gateway, backend)?.origin;
    if (origin === undefined) return [];
    const message = `clients may refuse the tool "${originalName}" of "${backend}", and all other tools with it: ${problem}`;
    return [diagnose(origin.resource.document, 'LNT3026', origin.path, message)];
  });
}

function findToolProblem({ inputSchema, outputSchema }: CatalogItem): string | undefined {
  const refused = REFUSED_AT_TOP.find(keyword => getMember(inputSchema, keyword) !== undefined);
  if (refused !== undefined) return `its input schema has ${refused} at the top level`;
  // Revisions with sessions require `type: object` of both schemas, and their clients check it.
  if (outputSchema === undefined || getMember(outputSchema, 'type') === 'object') return undefined;
  return 'the type of its output schema is not "object"';
}
