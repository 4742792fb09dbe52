/**
 * The hosts of identity providers and token endpoints, as real servers on loopback ports. Each provider's host has its own key and its own
 * opaque tokens, so that a gateway that trusts another host accepts other callers.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { type Authority, USUAL } from './authorities.ts';
import { installNetwork, type NetworkHost } from './network.ts';

/** An address in the internet, and one inside a company. */
const PUBLIC_ADDRESS = '93.184.215.14';
const PRIVATE_ADDRESS = '10.0.0.7';

interface HostTraits {
  readonly address: string;
  /** Where its discovery document says the keys are; by default at the host itself. */
  readonly keysAt?: string;
}

/** The hosts of identity providers, by name. */
export const PROVIDER_HOSTS = {
  'login.example.org': { address: PUBLIC_ADDRESS },
  'partner.example.org': { address: PUBLIC_ADDRESS },
  'keys.example.org': { address: PUBLIC_ADDRESS },
  'plain.example.org': { address: PUBLIC_ADDRESS },
  'inner.example.org': { address: PRIVATE_ADDRESS },
  'mixed.example.org': { address: PUBLIC_ADDRESS, keysAt: 'http://plain.example.org/jwks' },
} as const satisfies Readonly<Record<string, HostTraits>>;

export type ProviderHost = keyof typeof PROVIDER_HOSTS;

export const TOKEN_HOSTS = ['sts.example.org', 'sts2.example.org'] as const;

export interface TokenWish {
  /** The host whose key signs it. */
  readonly host: ProviderHost;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The state of the providers' network. */
export interface ProviderState {
  /** The authority that certifies all of them. */
  readonly authority: Authority;
  /** The addresses that their names resolve to: all internal, all public, or the usual ones. */
  readonly addresses: 'usual' | 'inside' | 'outside';
  /** Their discovery documents give a plain http URL for the keys. */
  readonly hasPlainKeys: boolean;
}

export interface Hosts {
  /** An access token as a JWT, valid for one hour or a hundred years, so that it does not expire during tests. */
  sign(wish: TokenWish): Promise<string>;
  /** Puts the providers into this state. */
  present(state: ProviderState): void;
  close(): Promise<void>;
}

/** The subject token for which a token endpoint issued this token; undefined for other texts. */
export function tokenOfExchange(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Starts the hosts, adds them to the network of this process, and trusts the default authority in it.
 *
 * @param opaque claims of opaque tokens by host and token
 * @param unanswered number of requests to providers, from the first, that get no answer
 */
export async function startHosts(
  opaque: (host: string, token: string) => Readonly<Record<string, unknown>> | undefined,
  unanswered = 0,
): Promise<Hosts> {
  const names = Object.keys(PROVIDER_HOSTS) as ProviderHost[];
  const keys = new Map(
    await Promise.all(
      names.map(async name => {
        const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
        const jwk: JWK = { ...(await exportJWK(publicKey)), kid: name, alg: 'ES256', use: 'sig' };
        return [name, { privateKey, jwk }] as const;
      }),
    ),
  );
  let hasPlainKeys = false;
  let requests = 0;
  const onProvider: RequestListener = (request, response) => {
    if (++requests <= unanswered) return;
    const host = (request.headers.host ?? '').replace(/:\d+$/, '') as ProviderHost;
    const traits: HostTraits | undefined = PROVIDER_HOSTS[host];
    const json = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const issuer = `https://${host}`;
    if (request.url === '/.well-known/openid-configuration') {
      const keys = traits?.keysAt ?? `${hasPlainKeys ? issuer.replace('https:', 'http:') : issuer}/jwks`;
      json({ issuer, jwks_uri: keys, introspection_endpoint: `${issuer}/introspect` });
    } else if (request.url === '/jwks') json({ keys: [keys.get(host)?.jwk] });
    else if (request.url === '/introspect') {
      void bodyOf(request).then(body => {
        const claims = opaque(host, new URLSearchParams(body).get('token') ?? '');
        json(claims === undefined ? { active: false } : { active: true, token_type: 'Bearer', ...claims });
      });
    } else response.writeHead(404).end();
  };
  /** The issued token contains the subject token and the client. */
  const onToken: RequestListener = (request, response) => {
    void bodyOf(request).then(body => {
      const { authorization = '', host } = request.headers;
      const access_token = Buffer.from(JSON.stringify({ host, body, authorization })).toString('base64url');
      const answer = {
        access_token,
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 3_000_000,
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  };
  const secure = await listening(createSecureServer({ cert: USUAL.cert, key: USUAL.key }, onProvider));
  const plain = await listening(createServer(onProvider));
  const tokens = await listening(createSecureServer({ cert: USUAL.cert, key: USUAL.key }, onToken));
  const providerPorts = { 443: portOf(secure), 80: portOf(plain) };
  const network = new Map<string, NetworkHost>([
    ...names.map(name => [name, { address: PROVIDER_HOSTS[name].address, ports: providerPorts }] as const),
    ...TOKEN_HOSTS.map(name => [name, { address: PUBLIC_ADDRESS, ports: { 443: portOf(tokens) } }] as const),
  ]);
  const uninstall = installNetwork(network);
  const authorities = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...authorities, USUAL.ca]);
  return {
    sign: ({ host, claims }) => {
      const key = keys.get(host)?.privateKey;
      if (key === undefined) throw new Error(`no provider ${host}`);
      return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: host, typ: 'at+jwt' }).sign(key);
    },
    present: state => {
      const { cert, key } = state.authority;
      (secure as SecureServer).setSecureContext({ cert, key });
      hasPlainKeys = state.hasPlainKeys;
      for (const name of names) {
        const usual = PROVIDER_HOSTS[name].address;
        const address = { usual, inside: PRIVATE_ADDRESS, outside: PUBLIC_ADDRESS }[state.addresses];
        network.set(name, { address, ports: providerPorts });
      }
    },
    close: async () => {
      uninstall();
      tls.setDefaultCACertificates(authorities);
      await Promise.all([secure, plain, tokens].map(closed));
    },
  };
}

async function bodyOf(request: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function listening<S extends Server | SecureServer>(server: S): Promise<S> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function portOf(server: Server | SecureServer): number {
  return (server.address() as AddressInfo).port;
}

function closed(server: Server | SecureServer): Promise<void> {
  const ended = new Promise<void>(resolve => server.close(() => resolve()));
  server.closeAllConnections();
  return ended;
}
