import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { quote } from '../text/describe.ts';
import { listStrategies } from './support/outgoing-strategies.ts';

const TYPE = /^(?:access_token|id_token|jwt|urn:.+)?$/;

const HELP = 'Write access_token, id_token or jwt, or a URN such as urn:ietf:params:oauth:token-type:access_token';

/**
 * The subject token type must be a URN (RFC 8693, section 3) or its short form. In an MCPExternalAuthConfig the schema checks it.
 *
 * @holds outgoingAuth and config.outgoingAuth | `tokenExchange.subjectTokenType` | a URN or one of the short forms | LNT1012
 */
export function subjectTokenTypes(resource: Resource): Diagnostic[] {
  return listStrategies(resource).flatMap(({ strategy: { type, tokenExchange }, path }) => {
    const tokenType = tokenExchange?.subjectTokenType ?? '';
    if (type !== 'token_exchange' || TYPE.test(tokenType)) return [];
    const message = `expected access_token, id_token, jwt or a URN, found ${quote(tokenType)}`;
    return [
      diagnose(resource.document, 'LNT1012', [...path, 'tokenExchange', 'subjectTokenType'], message, { help: HELP }),
    ];
  });
}
