/**
 * A client that works like those of real users: the official SDK finds the authorization server, registers the client there, and sends the
 * person to its sign-in page.
 *
 *     node examples/sign-in/client.mjs [--no-browser] [URL]
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'no-browser': { type: 'boolean', default: false } },
});
const [serverUrl = 'http://127.0.0.1:4483/mcp'] = positionals;

/** Receives the redirect after the sign-in, on any free port of the loopback interface (RFC 8252, section 7.3). */
const listener = createServer();
listener.listen(0, '127.0.0.1');
await once(listener, 'listening');
const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`;

const state = randomBytes(16).toString('base64url');
let registered;
let tokens;
let verifier;
const provider = {
  redirectUrl,
  clientMetadata: { client_name: 'The client of the example', redirect_uris: [redirectUrl] },
  state: () => state,
  clientInformation: () => registered,
  saveClientInformation: client => {
    registered = client;
  },
  tokens: () => tokens,
  // A real client stores the tokens where no other user of the machine can read them.
  saveTokens: saved => {
    tokens = saved;
  },
  codeVerifier: () => verifier,
  saveCodeVerifier: saved => {
    verifier = saved;
  },
  redirectToAuthorization: url => {
    console.log(`Sign in at ${url}`);
    if (!values['no-browser']) openBrowser(url.href);
  },
};

const answered = comeBack();
if ((await auth(provider, { serverUrl })) === 'REDIRECT') {
  await auth(provider, { serverUrl, authorizationCode: await answered });
}
listener.close();
listener.closeAllConnections();

const client = new Client({ name: 'sign-in', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider }));
for (const { name, description } of (await client.listTools()).tools) console.log(`${name}  ${description}`);
const { content } = await client.callTool({ name: 'notes_whoami', arguments: {} });
console.log(`notes_whoami says: ${content[0].text}`);
await client.close();

/** Waits for the redirect after the sign-in. @returns {Promise<string>} the authorization code */
function comeBack() {
  return new Promise((resolve, reject) => {
    listener.on('request', (req, res) => {
      const url = new URL(req.url, redirectUrl);
      if (url.pathname !== '/callback') return res.writeHead(404).end();
      const { code, error, ...answer } = Object.fromEntries(url.searchParams);
      res.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      res.end(error === undefined ? 'You are signed in. You can close this page.' : `You are not signed in: ${error}.`);
      // A wrong `state`: another web page sent this request, or it belongs to another sign-in.
      if (answer.state !== state) return;
      if (error === undefined) resolve(code);
      else reject(new Error(`nobody is signed in: ${error}`));
    });
  });
}

function openBrowser(url) {
  const [command, ...args] = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] }[
    process.platform
  ] ?? ['xdg-open'];
  spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => console.log('No browser could be opened: open the address above yourself.'))
    .unref();
}
