/** A client that registers itself at an upstream (RFC 7591), once for all replicas and restarts. */

import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { UpstreamPlan, UpstreamRegistrationPlan } from '#schemas';
import { isObject } from '#schemas';
import type { Secret } from '../../auth/secrets.ts';
import type { Logger } from '../../observe/log.ts';
import type { OutgoingClient, OutgoingRequest, OutgoingResponse } from '../host.ts';
import type { SecretRing } from '../secret-ring.ts';
import type { Store } from '../storage/store.ts';
import type { ClientAuthentication, ClientIdentity, ClientSource } from './client-source.ts';
import { toText } from './paths.ts';
import { UpstreamError } from './upstream-error.ts';

/** How long one replica may hold the registration lock; milliseconds. */
const LOCK_MS = 45_000;

/** How long a request waits for another replica's registration, and the polling interval; milliseconds. */
const WAIT_MS = 20_000;
const POLL_MS = 200;

/** How long before the expiry of its secret the client registers again; seconds. */
const SPARE_SECONDS = 60;

export interface RegisteredClientOptions {
  readonly plan: UpstreamPlan;
  readonly registration: UpstreamRegistrationPlan;
  readonly initialAccessToken: Secret | undefined;
  readonly client: OutgoingClient;
  readonly store: Store;
  readonly ring: SecretRing;
  readonly log: Logger;
}

/** The upstream's registration response, with the secret's expiry. */
interface RegisteredIdentity extends ClientIdentity {
  /** Seconds since 1970; 0 for never. */
  readonly expiresAt: number;
}

export class RegisteredClient implements ClientSource {
  readonly #options: RegisteredClientOptions;
  /** Identifies the registration: with other scopes or another callback URL, the gateway registers another client. */
  readonly #name: string;
  #known: RegisteredIdentity | undefined;
  #asking: Promise<RegisteredIdentity> | undefined;

  constructor(options: RegisteredClientOptions) {
    const { plan, registration } = options;
    this.#options = options;
    const about = [plan.name, registration.discoveryUrl, registration.endpoint, plan.redirectUri, plan.scopes];
    this.#name = createHash('sha256').update(JSON.stringify(about)).digest('base64url');
  }

  async now(): Promise<ClientIdentity> {
    if (this.#known !== undefined && isFresh(this.#known)) return this.#known;
    this.#asking ??= this.#find().finally(() => {
      this.#asking = undefined;
    });
    this.#known = await this.#asking;
    return this.#known;
  }

  async refused({ id }: ClientIdentity): Promise<void> {
    const { store, log, plan } = this.#options;
    if (this.#known?.id === id) this.#known = undefined;
    // Another replica may have registered meanwhile.
    if ((await this.#loadStored())?.id !== id) return;
    log.warn(
      { upstream: plan.name },
      'an upstream no longer knows the client of the gateway: the gateway registers again',
    );
    await store.delete('upstream-client', this.#name);
  }

  async #find(): Promise<RegisteredIdentity> {
    const { store, plan } = this.#options;
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const stored = await this.#loadStored();
      if (stored !== undefined) return stored;
      const release = await store.lock(`register ${this.#name}`, LOCK_MS);
      if (release !== undefined) {
        try {
          return (await this.#loadStored()) ?? (await this.#register());
        } finally {
          await release().catch(() => {});
        }
      }
      if (Date.now() > deadline)
        throw new UpstreamError('unavailable', plan.name, 'another replica is registering there and has not finished');
      await pause(POLL_MS);
    }
  }

  async #loadStored(): Promise<RegisteredIdentity | undefined> {
    const { store, ring } = this.#options;
    const { sealed } = (await store.get('upstream-client', this.#name)) ?? {};
    const text = typeof sealed === 'string' ? ring.open(sealed, this.#name) : undefined;
    const registered: RegisteredIdentity | undefined = text === undefined ? undefined : JSON.parse(text);
    return registered !== undefined && isFresh(registered) ? registered : undefined;
  }

  async #register(): Promise<RegisteredIdentity> {
    const { plan, store, ring, log } = this.#options;
    const { url, authentication } = await this.#findEndpoint();
    const registered = readRegistered(plan, await this.#ask(this.#request(url, authentication)), authentication);
    const sealed = ring.seal(JSON.stringify(registered), this.#name);
    await store.put('upstream-client', this.#name, { sealed }, { ttlSeconds: null });
    log.info({ upstream: plan.name, client: registered.id }, 'the gateway registered at an upstream');
    return registered;
  }

  #request(url: URL, authentication: ClientAuthentication | 'none'): OutgoingRequest {
    const { plan, registration, initialAccessToken } = this.#options;
    const { softwareId, softwareStatement } = registration;
    return {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(initialAccessToken === undefined ? {} : { authorization: `Bearer ${initialAccessToken.value}` }),
      },
      body: JSON.stringify({
        client_name: 'Lintel gateway',
        redirect_uris: [plan.redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: authentication,
        ...(plan.scopes.length === 0 ? {} : { scope: plan.scopes.join(' ') }),
        ...(softwareId === null ? {} : { software_id: softwareId }),
        ...(softwareStatement === null ? {} : { software_statement: softwareStatement }),
      }),
    };
  }

  /** The registration endpoint, and the authentication method. */
  async #findEndpoint(): Promise<{ readonly url: URL; readonly authentication: ClientAuthentication | 'none' }> {
    const { plan, registration } = this.#options;
    const { discoveryUrl, endpoint } = registration;
    if (discoveryUrl === null) return { url: this.#parseUrl(endpoint), authentication: 'client_secret_basic' };
    const headers = { accept: 'application/json' };
    const body = await this.#ask({ method: 'GET', url: this.#parseUrl(discoveryUrl), headers });
    const { registration_endpoint: found, token_endpoint_auth_methods_supported: methods } = body;
    if (typeof found !== 'string')
      throw new UpstreamError('refused', plan.name, 'its metadata has no registration endpoint');
    const authentication = (['client_secret_basic', 'client_secret_post', 'none'] as const).find(
      // Without a list, the upstream supports HTTP Basic (RFC 8414, section 2).
      method => !Array.isArray(methods) || methods.includes(method),
    );
    if (authentication === undefined)
      throw new UpstreamError(
        'refused',
        plan.name,
        'it supports no method of client authentication that the gateway supports',
      );
    return { url: this.#parseUrl(found), authentication };
  }

  #parseUrl(text: string | null): URL {
    const { name, allowsHttp } = this.#options.plan;
    const url = URL.parse(text ?? '');
    if (url?.protocol === 'https:' || (allowsHttp && url?.protocol === 'http:')) return url;
    throw new UpstreamError('refused', name, 'its registration endpoint is not an https URL');
  }

  /** @throws UpstreamError for any response but a JSON object */
  async #ask(request: OutgoingRequest): Promise<Readonly<Record<string, unknown>>> {
    const { client, plan } = this.#options;
    const what = request.method === 'GET' ? 'its metadata' : 'its registration endpoint';
    let answer: OutgoingResponse;
    try {
      answer = await client.request(request);
    } catch (error) {
      throw new UpstreamError('unavailable', plan.name, `${what}: ${(error as Error).message}`);
    }
    if (answer.status !== 200 && answer.status !== 201) {
      const reason = answer.status >= 500 || answer.status === 429 ? 'unavailable' : 'refused';
      throw new UpstreamError(reason, plan.name, `${what} answers ${answer.status}`);
    }
    try {
      const body: unknown = JSON.parse(answer.body);
      if (isObject(body)) return body;
    } catch {
      // Invalid JSON gets the same error as JSON that is not an object.
    }
    throw new UpstreamError('unavailable', plan.name, `${what} answers with something other than a JSON object`);
  }
}

function readRegistered(
  { name }: UpstreamPlan,
  body: Readonly<Record<string, unknown>>,
  requested: ClientAuthentication | 'none',
): RegisteredIdentity {
  const id = toText(body.client_id);
  if (id === undefined)
    throw new UpstreamError('refused', name, 'the response of its registration endpoint has no client_id');
  // The upstream may have chosen another method than requested (RFC 7591, section 3.2.1).
  const method = toText(body.token_endpoint_auth_method) ?? requested;
  const secret = method === 'none' ? undefined : toText(body.client_secret);
  if (method !== 'none' && secret === undefined)
    throw new UpstreamError('refused', name, 'the response of its registration endpoint has no client_secret');
  if (method !== 'none' && method !== 'client_secret_basic' && method !== 'client_secret_post')
    throw new UpstreamError(
      'refused',
      name,
      'it has registered the gateway with a client authentication that the gateway does not support',
    );
  const { client_secret_expires_at: expires } = body;
  return {
    id,
    secret,
    authentication: method === 'none' ? undefined : method,
    expiresAt: typeof expires === 'number' && secret !== undefined ? expires : 0,
  };
}

function isFresh({ expiresAt }: RegisteredIdentity): boolean {
  return expiresAt === 0 || expiresAt - SPARE_SECONDS > Date.now() / 1000;
}
