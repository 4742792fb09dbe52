/** Servers of compiled configurations on free loopback ports, and clients that send given bytes. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { RegistryBundle } from '#schemas';
import { toIncomingAuthPlan } from '#shared/plan';
import { createAuthenticator } from '../../../runtime/auth/incoming/create-authenticator.ts';
import { Secrets } from '../../../runtime/auth/secrets.ts';
import { startListener } from '../../../runtime/http/listener.ts';
import type { ApiDescription, RegistryApi } from '../../../runtime/registry/api.ts';
import { createRegistryServer, type RegistryServerOptions } from '../../../runtime/registry/http/registry-server.ts';
import { compileConfig, formatFindings, getBundle } from '../../compiler/registry/compiling.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { type LogLine, listeningLog } from '../../support/log-lines.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { ISSUED_CERTIFICATE, ISSUED_KEY, TEST_AUTHORITY } from '../../support/tls-fixture.ts';
import { type ApiCall, echoingApi, preparedBody } from './fake-api.ts';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface ServedDoor {
  readonly origin: string;
  readonly bundle: RegistryBundle;
  /** The listing's calls, oldest first. */
  readonly calls: ApiCall[];
  /** Log lines at the default level. */
  readonly lines: LogLine[];
  readonly secrets: Secrets;
  /** Sends a request with the path unchanged. */
  send(path: string, headers?: Record<string, string>, method?: string): Promise<Reply>;
  /** Sends bytes (Latin-1) unchanged; they must make the server close the connection. Returns the response. */
  raw(bytes: string): Promise<string>;
}

export interface OpenDoor extends ServedDoor {
  close(): Promise<void>;
}

export interface DoorParts {
  readonly authenticator?: RegistryServerOptions['authenticator'];
  readonly api?: RegistryApi;
  readonly openapi?: ApiDescription;
  readonly allowedOrigins?: readonly string[];
}

export const OPENAPI = { openapi: '3.1.0' };

/** Serves a configuration (YAML text), or a bundle, until the test ends. */
export async function startDoor(config: string | RegistryBundle, parts: DoorParts = {}): Promise<ServedDoor> {
  const door = await openDoor(config, parts);
  onTestFinished(() => door.close());
  return door;
}

/** Serves a configuration or a bundle until the returned object is closed. */
export async function openDoor(config: string | RegistryBundle, parts: DoorParts = {}): Promise<OpenDoor> {
  const bundle = typeof config === 'string' ? compiled(config) : config;
  const { log, lines } = listeningLog();
  const secrets = new Secrets({ log, env: {} });
  const authenticator = createAuthenticator(toIncomingAuthPlan(bundle.auth), { secrets, log });
  const api = echoingApi();
  const openapi = { json: preparedBody(OPENAPI), yaml: preparedBody(OPENAPI) };
  const door = createRegistryServer({ bundle, authenticator, api, openapi, ...parts });
  const routes = { get: (path: string) => door.find(path).answer };
  const listener = await startListener({ host: '127.0.0.1', port: 0, routes, log });
  const { port } = listener.address;
  return {
    origin: `http://127.0.0.1:${port}`,
    bundle,
    calls: api.calls,
    lines,
    secrets,
    send: (path, headers = {}, method = 'GET') => send(port, path, headers, method),
    raw: bytes => raw(port, bytes),
    close: async () => {
      await listener.close(0);
      await authenticator.close();
      secrets.close();
    },
  };
}

/**
 * The bundle for a provider without `allowPrivateIP`, as the compiler writes it if the provider's host name does not show that its address is
 * private. A host name that shows it would be an error.
 */
export function withoutPrivateAddresses(text: string): RegistryBundle {
  const bundle = compiled(text);
  if (bundle.auth.mode === 'anonymous') return bundle;
  const providers = bundle.auth.providers.map(provider => ({ ...provider, addresses: 'public' as const }));
  return { ...bundle, auth: { ...bundle.auth, providers } };
}

function compiled(text: string): RegistryBundle {
  const compilation = compileConfig(text);
  try {
    return getBundle(compilation);
  } catch {
    throw new Error(formatFindings(compilation).join('\n'));
  }
}

export const bearer = (token: string): { Authorization: string } => ({ Authorization: `Bearer ${token}` });

/** A configuration with one registry for callers with a token and one for all callers, and with these providers. */
export function twoRegistries(providers: string, more = ''): string {
  return `sources: [{ name: ours, file: { path: /srv/ours.json } }, { name: theirs, file: { path: /srv/theirs.json } }]
registries: [{ name: main, sources: [ours, theirs] }, { name: open, sources: [theirs] }]
auth:
  oauth:
    resourceUrl: https://registry.example
    publicPaths: [/registry/open]
    providers:
${providers}
${more}`;
}

/** A real identity provider behind a certificate of a private authority, and its entry in a configuration. */
export interface TrustedProvider {
  readonly idp: IdentityProvider;
  readonly folder: TemporaryFolder;
  /** An element of \`providers\` in YAML, with further fields. */
  yaml(fields?: { readonly [field: string]: string | boolean }): string;
  /** A token for the registry. */
  token(wish?: Parameters<IdentityProvider['issue']>[0]): Promise<string>;
  close(): Promise<void>;
}

export const AUDIENCE = 'https://registry.example';

export async function startTrustedProvider(name = 'corp'): Promise<TrustedProvider> {
  const folder = await temporaryFolder({ 'ca.pem': TEST_AUTHORITY, secret: 'test secret: 50%\n' });
  const tls = { cert: ISSUED_CERTIFICATE, key: ISSUED_KEY, ca: TEST_AUTHORITY };
  const idp = await startIdentityProvider({ tls });
  const usual = {
    name,
    issuerUrl: idp.issuer,
    audience: AUDIENCE,
    caCertPath: folder.file('ca.pem'),
    allowPrivateIP: true,
  };
  return {
    idp,
    folder,
    yaml: (fields = {}) => `      - ${JSON.stringify({ ...usual, ...fields })}`,
    token: (wish = {}) => idp.issue({ audience: AUDIENCE, ...wish, claims: { sub: 'alice', ...wish.claims } }),
    close: async () => {
      await idp.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Fields for introspection with the provider's test client. */
export function introspecting({ idp, folder }: TrustedProvider): { readonly [field: string]: string } {
  return { introspectionUrl: idp.introspectionUrl, clientId: idp.client.id, clientSecretFile: folder.file('secret') };
}

function send(port: number, path: string, headers: Record<string, string>, method: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, answer => {
      const chunks: Buffer[] = [];
      answer.on('data', chunk => chunks.push(chunk)).on('error', reject);
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body, text: body.toString() });
      });
    });
    sent.on('error', reject).end();
  });
}

function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.on('data', chunk => chunks.push(chunk)).on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
  });
}
