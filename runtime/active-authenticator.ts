/** Holds the authenticator of the active bundle, until another bundle replaces it. */
import type { IncomingMessage } from 'node:http';
import { formatCanonicalJson, type IncomingAuthPlan } from '#schemas';
import type { AuthGeneration } from './auth/auth-generation.ts';
import type { Identity } from './auth/identity.ts';
import type { Authenticator, ProviderStatus } from './auth/incoming/authenticator.ts';
import { createAuthenticator } from './auth/incoming/create-authenticator.ts';
import type { OwnIssuer } from './auth/incoming/own-issuer.ts';
import { SecretError, Secrets } from './auth/secrets.ts';
import { BundleError } from './bundle/bundle-error.ts';
import type { LoadedBundle } from './bundle/load.ts';
import type { Route } from './http/listener.ts';
import { isLoopbackHost } from './http/origin-check.ts';
import type { RequestAuthenticator } from './mcp/request-gate.ts';
import type { Logger } from './observe/log.ts';

/** An authenticator with its resources. */
export interface CallerPolicy {
  readonly plan: IncomingAuthPlan;
  readonly authenticator: Authenticator;
  close(): Promise<void>;
}

/**
 * Creates the authenticator of a gateway.
 *
 * @param host on which MCP clients connect
 * @param own the issuer in this process
 * @throws BundleError
 */
export function openGatewayPolicy(
  { bundle, file }: LoadedBundle,
  host: string,
  log: Logger,
  own?: OwnIssuer,
): CallerPolicy {
  const plan = bundle.incomingAuth;
  if (plan.type === 'local' && !isLoopbackHost(host.includes(':') ? `[${host}]` : host)) {
    throw new BundleError(
      file,
      `incoming authentication "local" lets every caller in as the user of this process, and ${host} can be reached from ` +
        'other machines; listen on a loopback address (--host 127.0.0.1), or use another kind of authentication',
    );
  }
  return openCallerPolicy(plan, file, log, own);
}

/**
 * Makes the authenticator of a plan.
 *
 * @param file of the bundle, for messages
 * @throws BundleError
 */
export function openCallerPolicy(plan: IncomingAuthPlan, file: string, log: Logger, own?: OwnIssuer): CallerPolicy {
  const secrets = new Secrets({ log });
  try {
    const authenticator = createAuthenticator(plan, { secrets, log, own });
    return {
      plan,
      authenticator,
      close: async () => {
        secrets.close();
        await authenticator.close();
      },
    };
  } catch (error) {
    secrets.close();
    throw error instanceof SecretError ? new BundleError(file, error.message) : error;
  }
}

export class ActiveAuthenticator implements RequestAuthenticator {
  #policy: CallerPolicy;
  #rules = { isSuperseded: false };

  constructor(policy: CallerPolicy) {
    this.#policy = policy;
  }

  authenticate(req: IncomingMessage): Identity | Promise<Identity> {
    return this.#policy.authenticator.authenticate(req);
  }

  challenge(description: string): string | undefined {
    return this.#policy.authenticator.challenge(description);
  }

  get publicOrigin(): string | undefined {
    return this.#policy.authenticator.publicOrigin;
  }

  get rules(): AuthGeneration {
    return this.#rules;
  }

  /** The response at a path that requires no token. */
  route(path: string): Route | undefined {
    return this.#policy.authenticator.routes.get(path);
  }

  /** Whether a new bundle has the same authentication settings: then the gateway keeps this authenticator, with its caches. */
  isSame(plan: IncomingAuthPlan): boolean {
    return formatCanonicalJson(plan) === formatCanonicalJson(this.#policy.plan);
  }

  status(): readonly ProviderStatus[] {
    return this.#policy.authenticator.status();
  }

  close(): Promise<void> {
    return this.#policy.close();
  }

  /** Replaces the policy, also for requests whose caller was admitted but whose body has not arrived completely. */
  replace(policy: CallerPolicy): void {
    const previous = this.#policy;
    this.#policy = policy;
    this.#rules.isSuperseded = true;
    this.#rules = { isSuperseded: false };
    void previous.close();
  }
}
