/**
 * Runs the services that the specs name on this machine: an identity provider and two MCP servers that check credentials.
 *
 *     node examples/identity/services.mjs [--free-ports]
 *
 * The provider is only for this example: it issues a token to every client that names a user. The program prints the addresses of all
 * three services as one line of JSON.
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

const { values } = parseArgs({ options: { 'free-ports': { type: 'boolean', default: false } } });

const PEOPLE = new Map([
  ['ann', ['staff', 'accounting']],
  ['ben', ['staff']],
  ['gus', []],
]);
const GATEWAY = { audience: 'office-gateway', id: 'gateway', secret: 'the secret of the gateway' };
const LETTERS_KEY = 'the key of the gateway';
const LEDGER = 'ledger';

/** Listens on a loopback port and returns the origin, such as `http://127.0.0.1:4510`. */
async function listen(port, handle) {
  const server = createServer((req, res) => {
    handle(req, res).catch(error => res.headersSent || res.writeHead(400).end(error.message));
  });
  const { promise, resolve, reject } = Promise.withResolvers();
  server.once('error', reject).listen(values['free-ports'] ? 0 : port, '127.0.0.1', resolve);
  await promise;
  return `http://127.0.0.1:${server.address().port}`;
}

const { publicKey, privateKey } = await generateKeyPair('RS256');
const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256', kid: 'today', use: 'sig' };

const login = await listen(4510, async (req, res) => {
  const json = body => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const [, folder, name] = req.url.split('/');
  if (req.url === '/.well-known/openid-configuration') return json({ issuer: login, jwks_uri: `${login}/keys` });
  if (folder === 'keys') return json({ keys: [jwk] });
  if (folder === 'tokens' && PEOPLE.has(name)) {
    return res.end(await tokenFor(GATEWAY.audience, { sub: name, groups: PEOPLE.get(name) }));
  }
  if (folder === 'exchange' && req.method === 'POST') return json(await exchange(req));
  return res.writeHead(404).end();
});

const keys = createRemoteJWKSet(new URL(`${login}/keys`));

function tokenFor(audience, claims) {
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'today' });
  return token.setIssuer(login).setAudience(audience).setIssuedAt().setExpirationTime('10 minutes').sign(privateKey);
}

/**
 * Token exchange (RFC 8693): for a person's token for the gateway, the gateway gets a token of the same person for a backend. With client
 * credentials, the gateway gets a token of its own, to ask the backend for its tools.
 */
async function exchange(req) {
  let text = '';
  for await (const chunk of req) text += chunk;
  const form = new URLSearchParams(text);
  const basic = [GATEWAY.id, GATEWAY.secret].map(part => encodeURIComponent(part).replaceAll('%20', '+')).join(':');
  if (req.headers.authorization !== `Basic ${btoa(basic)}`) throw new Error('unknown client');
  const isOwn = form.get('grant_type') === 'client_credentials';
  const claims = isOwn
    ? { sub: GATEWAY.id }
    : { sub: await subjectOf(form.get('subject_token')), act: { sub: GATEWAY.id } };
  return {
    access_token: await tokenFor(form.get('audience'), claims),
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 600,
  };
}

async function subjectOf(token) {
  const { payload } = await jwtVerify(token, keys, { issuer: login, audience: GATEWAY.audience });
  return payload.sub;
}

/** Serves an MCP server without sessions. `callerOf` returns the name of the caller by the headers of a request, or throws. */
function serve(port, name, callerOf, addTools) {
  return listen(port, async (req, res) => {
    let caller;
    try {
      caller = await callerOf(req.headers);
    } catch {
      return res.writeHead(401).end();
    }
    if (req.method !== 'POST') return res.writeHead(405).end();
    const server = new McpServer({ name, version: '1.0.0' });
    const say = what => ({ content: [{ type: 'text', text: `${name}, to ${caller}: ${what}` }] });
    addTools(server, say);
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    res.on('close', () => server.close());
    await server.connect(transport);
    return transport.handleRequest(req, res);
  });
}

const letters = await serve(
  4511,
  'letters',
  async headers => {
    if (headers['x-letters-key'] !== LETTERS_KEY) throw new Error('not the key');
    return 'the gateway';
  },
  (server, say) => {
    server.registerTool('read', { description: 'Read the letters.' }, () => say('no letters today'));
    server.registerTool('burn', { description: 'Burn all letters.' }, () => say('nothing is left'));
  },
);

const ledger = await serve(
  4512,
  LEDGER,
  async ({ authorization = '' }) => {
    const { payload } = await jwtVerify(authorization.replace('Bearer ', ''), keys, {
      issuer: login,
      audience: LEDGER,
    });
    return payload.act === undefined ? payload.sub : `${payload.sub} by way of ${payload.act.sub}`;
  },
  (server, say) => {
    server.registerTool('balance', { description: 'Tell the balance.' }, () => say('12,000'));
    const inputSchema = { amount: z.number().int().positive() };
    server.registerTool('pay', { description: 'Pay a bill.', inputSchema }, ({ amount }) => say(`paid ${amount}`));
  },
);

console.log(JSON.stringify({ login, letters, ledger }));
