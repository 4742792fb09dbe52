/** Last hop: authorization codes are bound to the client that requested them (RFC 7636, with S256). */
import { createHash, randomBytes } from 'node:crypto';
import { readTexts } from './documents.ts';
import { type HttpClient, type HttpResponse, NoResponseError } from './http.ts';
import type { IssuerFound } from './issuer-metadata.ts';
import type { RegisteredClient } from './registration.ts';
import { type AuthProblem, type Hop, summarizeHop } from './report.ts';
import type { ResourceFound } from './resource-metadata.ts';

/** The parameters of an authorization request as clients send it. */
export interface AuthorizationRequest extends Pick<ResourceFound, 'resource' | 'scopes'> {
  /** The scope of the challenge takes precedence over the metadata's. */
  readonly scope: string | undefined;
}

const MCP = 'MCP 2025-11-25, Authorization Code Protection';

/** @param client a registered client; without one nothing is tried */
export async function examinePkce(
  issuer: IssuerFound,
  http: HttpClient,
  client: RegisteredClient | undefined,
  request: AuthorizationRequest,
): Promise<Hop> {
  const problems = checkDeclared(issuer);
  const methods = readTexts(issuer.document, 'code_challenge_methods_supported');
  if (client === undefined || problems.some(({ isBreaking }) => isBreaking))
    return summarizeHop('PKCE', methods === undefined ? 'not mentioned' : methods.join(', ') || 'no method', problems);
  problems.push(...(await tryPkce(issuer, http, client, request)));
  return summarizeHop(
    'PKCE',
    problems.length > 0 ? 'tried' : 'a request with S256 is taken, one without is refused',
    problems,
  );
}

function checkDeclared({ document }: IssuerFound): AuthProblem[] {
  const methods = readTexts(document, 'code_challenge_methods_supported');
  if (methods?.includes('S256') !== true)
    return [
      {
        id: 'no-s256',
        isBreaking: true,
        what: `"code_challenge_methods_supported" ${methods === undefined ? 'is missing' : 'leaves out "S256"'}: clients refuse to go on`,
        advice: 'support PKCE with S256, and add "code_challenge_methods_supported": ["S256"]',
        reference: MCP,
      },
    ];
  if (!methods.includes('plain')) return [];
  return [
    {
      id: 'plain-pkce',
      isBreaking: false,
      what: '"code_challenge_methods_supported" has "plain", which does not protect a person whose request is read',
      advice: 'take it out, and refuse it',
      reference: 'RFC 9700, section 2.1.1',
    },
  ];
}

/** Begins sign-ins that are never finished, one with a PKCE challenge and one without. */
async function tryPkce(
  { authorizationEndpoint }: IssuerFound,
  http: HttpClient,
  { clientId, redirectUri }: RegisteredClient,
  { resource, scope, scopes }: AuthorizationRequest,
): Promise<readonly AuthProblem[]> {
  const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
  const requestedScope = scope ?? (scopes.length > 0 ? scopes.join(' ') : undefined);
  const request = (more: Readonly<Record<string, string>>) => {
    const url = new URL(authorizationEndpoint);
    const params = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      state: randomBytes(16).toString('base64url'),
      ...(requestedScope === undefined ? {} : { scope: requestedScope }),
      ...(resource === undefined ? {} : { resource }),
      ...more,
    };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    return http.send(url, { headers: { accept: 'text/html' } });
  };
  try {
    const refusal = findRefusal(
      await request({ code_challenge: challenge, code_challenge_method: 'S256' }),
      redirectUri,
    );
    if (refusal !== undefined)
      return [
        {
          id: 'request-refused',
          isBreaking: true,
          what: `an authorization request as clients send it is refused: ${refusal}`,
          advice: 'look for the reason in the log of the authorization server: scopes, resource, or redirect URI',
          reference: 'RFC 6749, section 4.1.2.1',
        },
      ];
    if (findRefusal(await request({}), redirectUri) !== undefined) return [];
    return [
      {
        id: 'pkce-not-demanded',
        isBreaking: false,
        what: 'an authorization request without PKCE is taken as well: a code that is stolen can be redeemed',
        advice: 'demand a code challenge of every client',
        reference: 'RFC 9700, section 2.1.1',
      },
    ];
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    return [
      {
        id: 'authorization-endpoint-unreachable',
        isBreaking: true,
        what: error.message,
        advice: 'look into the log of the authorization server',
        reference: 'RFC 6749, section 3.1',
      },
    ];
  }
}

/** How the server refused a request: by an error in the redirect, or by an error page. */
function findRefusal({ status, headers }: HttpResponse, redirectUri: string): string | undefined {
  if (status >= 400) return `HTTP ${status}`;
  const location = headers.get('location') ?? '';
  if (!location.startsWith(redirectUri)) return undefined;
  const error = URL.parse(location)?.searchParams.get('error');
  return error === null || error === undefined ? undefined : error.replace(/[^\w.-]/g, '').slice(0, 64);
}
