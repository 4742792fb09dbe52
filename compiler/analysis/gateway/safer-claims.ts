/** Finds the hints of the spec that call a tool safer than its backend does. */
import { SAFETY_CLAIMS, type SafetyHint } from '#shared/plan';

type ReadHint = (hint: SafetyHint) => boolean | undefined;

/**
 * A hint that the backend does not state is not contradicted: stating it is what overrides are for.
 *
 * @param shown the hints that clients see
 * @param own the hints of the backend
 */
export function listSaferClaims(shown: ReadHint, own: ReadHint): readonly SafetyHint[] {
  return SAFETY_CLAIMS.filter(({ hint, safe }) => shown(hint) === safe && isDenied(hint, own)).map(({ hint }) => hint);
}

function isDenied(hint: SafetyHint, own: ReadHint): boolean {
  const readOnly = own('readOnlyHint');
  // MCP gives the hint no meaning for a read-only tool.
  const isDestructive = own('destructiveHint') === true && readOnly !== true;
  switch (hint) {
    case 'readOnlyHint':
      return readOnly === false || isDestructive;
    case 'destructiveHint':
      return isDestructive;
    case 'openWorldHint':
      return own('openWorldHint') === true;
  }
}
