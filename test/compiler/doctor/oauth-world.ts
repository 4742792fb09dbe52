/** An MCP server with its authorization server at the same origin; each response can be broken. */
import type { ServerResponse } from 'node:http';
import { type RawHandler, type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';

/** The server's responses by `METHOD path`. An undefined one gives 404. */
export type Answers = Readonly<Record<string, RawHandler | undefined>>;

export interface OAuthWorld extends RawServer {
  readonly url: string;
}

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
export const ISSUER_METADATA = '/.well-known/oauth-authorization-server';

export const json =
  (body: object, status = 200): RawHandler =>
  (_request, response) =>
    sendJson(response, JSON.stringify(body), {}, status);

export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): RawHandler =>
  (_request, response: ServerResponse) =>
    void response.writeHead(code, headers).end(body);

export const html: RawHandler = status(200, { 'content-type': 'text/html' }, '<!doctype html><p>Sign in</p>');

export function resourceDocument(origin: string, change: object = {}): object {
  return {
    resource: `${origin}/mcp`,
    authorization_servers: [origin],
    bearer_methods_supported: ['header'],
    scopes_supported: ['tools'],
    ...change,
  };
}

export function issuerDocument(origin: string, change: object = {}): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    ...change,
  };
}

/** Secrets in the registration response: none of them may be shown. */
export const REGISTRATION_SECRETS = ['the-client-secret-0123456789', 'the-registration-token-0123456789'] as const;

function soundAnswers(origin: string): Answers {
  return {
    'POST /mcp': status(401, {
      'www-authenticate': `Bearer realm="mcp", resource_metadata="${origin}${RESOURCE_METADATA}/mcp", scope="tools"`,
    }),
    [`GET ${RESOURCE_METADATA}/mcp`]: json(resourceDocument(origin)),
    [`GET ${ISSUER_METADATA}`]: json(issuerDocument(origin)),
    'GET /authorize': ({ path }, response) => {
      const { searchParams } = new URL(path, origin);
      if (!searchParams.has('client_id')) return void response.writeHead(400).end();
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      if (searchParams.get('code_challenge_method') !== 'S256') {
        back.searchParams.set('error', 'invalid_request');
        return void response.writeHead(302, { location: back.href }).end();
      }
      response.writeHead(302, { location: '/login' }).end();
    },
    'POST /token': json({ error: 'invalid_request' }, 400),
    'POST /register': ({ message }, response) => {
      const [secret, token] = REGISTRATION_SECRETS;
      const client = {
        ...message,
        client_id: 'registered',
        client_secret: secret,
        registration_access_token: token,
        registration_client_uri: `${origin}/register/registered`,
      };
      sendJson(response, JSON.stringify(client), {}, 201);
    },
    'DELETE /register/registered': status(204),
  };
}

/** @param change gets the origin, and returns the responses that differ */
export async function startOAuthWorld(change: (origin: string) => Answers = () => ({})): Promise<OAuthWorld> {
  let answers: Answers = {};
  const server = await startRawServer((request, response) => {
    const [path = ''] = request.path.split('?', 1);
    const answer = answers[`${request.method} ${path}`];
    if (answer === undefined) return void response.writeHead(404).end();
    return answer(request, response);
  });
  answers = { ...soundAnswers(server.origin), ...change(server.origin) };
  return { ...server, url: `${server.origin}/mcp` };
}
