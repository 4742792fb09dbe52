/** The identity provider of a company: the library oidc-provider, with a sign-in page on which a person chooses a name. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const PEOPLE = { ann: 'Ann Ames', ben: 'Ben Brook' };

/**
 * @param {{ port: number, client: { id: string, secret: string, redirectUri: string } }} options
 * @returns the origin of the identity provider
 */
export async function startCompany({ port, client }) {
  const server = createServer();
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(origin, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [client.redirectUri] }],
    claims: { openid: ['sub'], profile: ['name'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, name: PEOPLE[id] }) }),
    interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: [randomBytes(32).toString('hex')] },
  });
  const handle = provider.callback();
  server.on('request', (req, res) => {
    if (!req.url.startsWith('/sign-in/')) return handle(req, res);
    return signIn(provider, client, req, res).catch(() => res.writeHead(400).end('This sign-in is over.'));
  });
  return origin;
}

async function signIn(provider, client, req, res) {
  const details = await provider.interactionDetails(req, res);
  if (req.method !== 'POST') {
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(details.uid));
    return;
  }
  let text = '';
  for await (const chunk of req) text += chunk;
  const person = new URLSearchParams(text).get('person');
  await provider.interactionFinished(req, res, await resultOf(provider, client, person));
}

async function resultOf(provider, client, person) {
  if (!Object.hasOwn(PEOPLE, person)) return { error: 'access_denied', error_description: 'nobody signed in' };
  const grant = new provider.Grant({ accountId: person, clientId: client.id });
  grant.addOIDCScope('openid profile');
  return { login: { accountId: person }, consent: { grantId: await grant.save() } };
}

function page(uid) {
  const buttons = Object.entries(PEOPLE).map(([id, name]) => `<button name="person" value="${id}">${name}</button>`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>The company</title><style>body{font:1.2rem system-ui;margin:3rem auto;max-width:30rem}button{font:inherit;padding:.5rem 1rem}</style>
<h1>The company</h1><p>Who are you?</p>
<form method="post" action="/sign-in/${uid}">${buttons.join(' ')} <button name="person" value="">Nobody</button></form></html>`;
}
