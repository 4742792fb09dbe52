/** Authenticators with their dependencies, and requests to them. */
import type { IncomingMessage } from 'node:http';
import { createLogger, type Logger } from '#runtime';
import type { TokenAuthPlan, TokenProviderPlan } from '#schemas';
import type { Identity } from '../../../../runtime/auth/identity.ts';
import { AuthenticationError, type Authenticator } from '../../../../runtime/auth/incoming/authenticator.ts';
import { createAuthenticator } from '../../../../runtime/auth/incoming/create-authenticator.ts';
import { Secrets } from '../../../../runtime/auth/secrets.ts';
import type { IdentityProvider } from '../../../support/identity-provider.ts';

export const AUDIENCE = 'gateway';

const silent = createLogger('silent');

/** A provider that is trusted as far as a test on loopback needs it. */
export function providerPlan(
  { issuer, discoveryUrl }: Pick<IdentityProvider, 'issuer' | 'discoveryUrl'>,
  more: Partial<TokenProviderPlan> = {},
): TokenProviderPlan {
  return {
    name: 'corp',
    issuer,
    audience: AUDIENCE,
    keys: { type: 'discovery', url: discoveryUrl },
    keysToken: null,
    introspection: null,
    trust: { type: 'default' },
    addresses: 'any',
    allowsHttp: true,
    ...more,
  };
}

/** Introspection at the provider with its test client. */
export function introspectionAt(idp: IdentityProvider): Pick<TokenProviderPlan, 'introspection'> {
  const secret = { env: 'CLIENT_SECRET', file: null };
  const credentials = { type: 'basic', clientId: idp.client.id, secret } as const;
  return { introspection: { url: idp.introspectionUrl, credentials } };
}

export function authPlan(providers: readonly TokenProviderPlan[], more: Partial<TokenAuthPlan> = {}): TokenAuthPlan {
  return { type: 'oidc', realm: 'test', providers, requiredScopes: [], resourceMetadata: null, ...more };
}

export type Outcome =
  | { identity: Identity }
  | { status: number; challenge: string | undefined; error: string; text: string };

/** The authenticator's result for a request with these headers: alternating names and values. */
export async function attemptWith(
  authenticator: Authenticator,
  rawHeaders: readonly string[],
  url = '/mcp',
): Promise<Outcome> {
  try {
    return { identity: await authenticator.authenticate({ rawHeaders, url } as unknown as IncomingMessage) };
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    const { error: code, error_description: text } = JSON.parse(error.body);
    return { status: error.status, challenge: error.challenge, error: code, text };
  }
}

export const attempt = (authenticator: Authenticator, token: string): Promise<Outcome> =>
  attemptWith(authenticator, ['Host', 'gateway', 'Authorization', `Bearer ${token}`]);

/** A clock that a test can advance; it starts at the real time. */
export class TestClock {
  #ahead = 0;
  readonly now = (): number => Date.now() + this.#ahead;
  forward(ms: number): void {
    this.#ahead += ms;
  }
}

export interface GateOptions {
  readonly now?: () => number;
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: Logger;
}

/** Creates authenticators and closes them. */
export class Gate {
  readonly #open: { close(): unknown }[] = [];

  make(plan: TokenAuthPlan, { now = Date.now, env = {}, log = silent }: GateOptions = {}): Authenticator {
    const secrets = new Secrets({ log, env: { CLIENT_SECRET: 'test secret: 50%', ...env } });
    const made = createAuthenticator(plan, { secrets, log, now });
    this.#open.push(made, secrets);
    return made;
  }

  /** Registers something else to close. */
  async keep<T extends { close(): unknown }>(starting: Promise<T>): Promise<T> {
    const kept = await starting;
    this.#open.push(kept);
    return kept;
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#open.splice(0).map(one => one.close()));
  }
}
