/** Fourth hop: the endpoints exist at the addresses in the metadata, and refuse incomplete requests. */
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import { type HttpClient, type HttpResponse, NoResponseError } from './http.ts';
import type { IssuerFound } from './issuer-metadata.ts';
import { type AuthProblem, type Hop, summarizeHop } from './report.ts';

export async function examineEndpoints(
  { authorizationEndpoint, tokenEndpoint }: IssuerFound,
  http: HttpClient,
): Promise<Hop> {
  const problems = [
    await probeEndpoint('authorization', authorizationEndpoint, () => http.send(authorizationEndpoint)),
    await probeEndpoint('token', tokenEndpoint, () =>
      http.send(tokenEndpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'grant_type=authorization_code',
      }),
    ),
  ].filter(problem => problem !== undefined);
  return summarizeHop(
    'endpoints',
    `authorization at ${redactUrl(authorizationEndpoint.href)}, tokens at ${redactUrl(tokenEndpoint.href)}`,
    problems,
  );
}

async function probeEndpoint(
  name: 'authorization' | 'token',
  url: URL,
  send: () => Promise<HttpResponse>,
): Promise<AuthProblem | undefined> {
  const reference = name === 'token' ? 'RFC 6749, section 3.2' : 'RFC 6749, section 3.1';
  const shown = redactUrl(url.href);
  try {
    const { status } = await send();
    if (status === 404 || status === 405 || status === 410)
      return {
        id: `no-${name}-endpoint`,
        isBreaking: true,
        what: `the ${name} endpoint is not there: ${shown} answers HTTP ${status}`,
        advice: 'check the URL in the metadata of the issuer, and that the proxy lets its path through',
        reference,
      };
    if (status >= 500)
      return {
        id: `${name}-endpoint-failing`,
        isBreaking: false,
        what: `${shown} answers HTTP ${status} to a request without parameters, in place of an error of OAuth`,
        advice: 'look into the log of the authorization server, or of the proxy in front of it',
        reference,
      };
    return undefined;
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    return {
      id: `${name}-endpoint-unreachable`,
      isBreaking: true,
      what: `the ${name} endpoint cannot be reached: ${error.message}`,
      advice: 'check the URL in the metadata of the issuer, and that it can be reached from where clients are',
      reference,
    };
  }
}
