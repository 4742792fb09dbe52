import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findAuthServer } from './support/auth-servers.ts';

/** The modifier that decodes a token inside of the response. */
const MODIFIER = '@upstreamjwt';

/**
 * Paths into the response of a token endpoint must be valid: names and indices, separated by dots, with at most one modifier.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `…identityFromToken`, `tokenResponseMapping` | paths parse;
 *   `@upstreamjwt` in the former only | LNT4019
 */
export function invalidIdentityPath(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  return (location?.server.upstreamProviders ?? []).flatMap(({ oauth2Config }, index) =>
    (['identityFromToken', 'tokenResponseMapping'] as const).flatMap(block =>
      Object.entries(oauth2Config?.[block] ?? {}).flatMap(([field, text]) => {
        const problem = typeof text === 'string' ? findProblem(text, block === 'identityFromToken') : undefined;
        if (problem === undefined) return [];
        const at = [...(location?.path ?? []), 'upstreamProviders', index, 'oauth2Config', block, field];
        return [diagnose(resource.document, 'LNT4019', at, `${field} is not a path: ${problem}`)];
      }),
    ),
  );
}

/** An empty path reads nothing. A backslash escapes the next character. */
function findProblem(path: string, mayDecode: boolean): string | undefined {
  if (path === '') return undefined;
  const plain = path.replace(/\\[\s\S]/g, 'x');
  if (plain.includes('\\')) return 'it ends in a backslash';
  for (const part of plain.split(/[.|]/)) {
    if (part === '') return 'a name is missing between two dots, or at an end';
    if (part.startsWith('@') && !(mayDecode && part === MODIFIER)) {
      return mayDecode ? `the only modifier is ${MODIFIER}` : 'modifiers are not possible here';
    }
    if (/[*?#[\](){}]/.test(part)) return 'a step is a name or the number of an item, such as users.0.id';
  }
  return plain.startsWith('@') ? `${MODIFIER} needs a token before it, such as id_token|${MODIFIER}|sub` : undefined;
}
