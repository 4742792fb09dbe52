/** Why a server refuses a request, in its own words. */
import { readChallenges } from '../doctor/index.ts';

/** Parts of a sentence, each empty where the server does not tell. They quote the server, which may repeat the credential that it received. */
export interface Refusal {
  /** Such as `: the server says "the token has expired"`. */
  readonly reason: string;
  /** Such as `; it asks for the scopes "mail.read"`. */
  readonly scopes: string;
}

/**
 * What a server says about the token: RFC 6750, section 3.
 * @param challenge the `WWW-Authenticate` header of the refusal; undefined without one
 */
export function readRefusal(challenge = ''): Refusal {
  const { params } = readChallenges(challenge).find(({ scheme }) => scheme === 'bearer') ?? {};
  const [text, scope] = [params?.get('error_description') ?? params?.get('error'), params?.get('scope')];
  return {
    reason: text === undefined ? '' : `: the server says ${JSON.stringify(text)}`,
    scopes: scope === undefined ? '' : `; it asks for the scopes ${JSON.stringify(scope)}`,
  };
}
