/**
 * A token issuer for trying policies on one machine. The gateway admits every caller whom this issuer names, so only the bundle that `lintel
 * dev` serves from its own folder may trust it. Its key exists only in the memory of this process.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { GatewayBundle, TokenAuthPlan } from '#schemas';
import type { Claims } from '../../analysis/access/index.ts';
import { listSecrets } from '../../resolve/requirements.ts';

/** Lifetime of each token, which claims cannot change: longer than a development session lasts. */
export const LIFETIME = '24h';

const ALGORITHM = 'ES256';

const KEYS_PATH = '/jwks';

export class ThrowAwayIssuer implements AsyncDisposable {
  readonly #server: Server;
  readonly #key: CryptoKey;
  readonly #kid: string;

  private constructor(server: Server, key: CryptoKey, kid: string) {
    this.#server = server;
    this.#key = key;
    this.#kid = kid;
  }

  /** Listens on a loopback address at a free port. */
  static async start(): Promise<ThrowAwayIssuer> {
    const { privateKey, publicKey } = await generateKeyPair(ALGORITHM);
    const jwk = await exportJWK(publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    const keys = JSON.stringify({ keys: [{ ...jwk, kid, alg: ALGORITHM, use: 'sig' }] });
    const server = createServer((request, response) => {
      const isKeys = request.method === 'GET' && request.url === KEYS_PATH;
      response.writeHead(isKeys ? 200 : 404, { 'content-type': 'application/json' }).end(isKeys ? keys : '{}');
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    // The process lives as long as the gateway does, so this server must not keep it alive.
    server.unref();
    return new ThrowAwayIssuer(server, privateKey, kid);
  }

  /** The gateway with the keys of this issuer instead of those of its identity providers. Policies still see the original issuer. */
  addTo(bundle: GatewayBundle): GatewayBundle {
    const { incomingAuth } = bundle;
    if (incomingAuth.type !== 'oidc') return bundle;
    const { port } = this.#server.address() as AddressInfo;
    const [provider] = incomingAuth.providers;
    if (provider === undefined) return bundle;
    const trusting: TokenAuthPlan = {
      ...incomingAuth,
      providers: [
        {
          ...provider,
          keys: { type: 'jwks', url: `http://127.0.0.1:${port}${KEYS_PATH}` },
          keysToken: null,
          introspection: null,
          trust: { type: 'default' },
          addresses: 'any',
          allowsHttp: true,
        },
      ],
    };
    const changed = { ...bundle, incomingAuth: trusting };
    // The providers' secrets are not needed, and may not exist on this machine.
    return { ...changed, secrets: listSecrets(changed) };
  }

  /**
   * A token that is valid from now on, for `LIFETIME`.
   *
   * @param plan of the gateway: required values that the claims lack are filled in from it
   */
  issueToken(claims: Claims, { providers, requiredScopes }: TokenAuthPlan): Promise<string> {
    const [provider] = providers;
    return new SignJWT({
      ...(provider && { iss: provider.issuer, aud: provider.audience }),
      ...(requiredScopes.length > 0 && { scope: requiredScopes.join(' ') }),
      ...claims,
    })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt', kid: this.#kid })
      .setIssuedAt()
      .setExpirationTime(LIFETIME)
      .sign(this.#key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}
