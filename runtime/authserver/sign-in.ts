/** A person's sign-in: consent, then each upstream in order, then back to the client. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import type { Interaction } from 'oidc-provider';
import { AUTH_SERVER_PATHS, type AuthServerPlan, type UpstreamPlan } from '#schemas';
import type { Logger } from '../observe/log.ts';
import { isDocumentUrl } from './client-documents.ts';
import { SIGN_IN_SECONDS } from './engine.ts';
import { isResource } from './is-resource.ts';
import { PAGE_HEADERS, renderConsentPage, renderErrorPage, START_AGAIN } from './pages.ts';
import type { SecretRing } from './secret-ring.ts';
import type { Store } from './storage/store.ts';
import type { Person } from './upstream/person.ts';
import type { LegSecrets, UpstreamProvider } from './upstream/upstream.ts';
import { UpstreamError } from './upstream/upstream-error.ts';
import type { UpstreamTokens } from './upstream-tokens.ts';

/** Maximum number of sign-ins of one person that are in use at the same time: each client on each device has one. */
export const MAX_SIGN_INS = 50;

export interface SignInOptions {
  readonly plan: AuthServerPlan;
  readonly upstreams: readonly UpstreamProvider[];
  readonly tokens: UpstreamTokens;
  readonly store: Store;
  readonly ring: SecretRing;
  readonly log: Logger;
  /** Called with the result each time a person comes back from the sign-in page of an upstream. */
  readonly onOutcome: (upstream: string, outcome: SignInOutcome) => void;
}

export type SignInOutcome = 'signed_in' | 'denied' | 'failed';

/** A redirect of the person's browser to one upstream, stored until the browser comes back. */
interface Leg extends LegSecrets {
  readonly interaction: string;
  readonly index: number;
  /** Identifies the sign-in, and later its grant. */
  readonly signIn: string;
  /** SHA-256 of the cookie that identifies the browser. */
  readonly browser: string;
  /** The person according to the first upstream; null before the browser has come back from it. */
  readonly person: Person | null;
}

const OVER = ['This sign-in is over', 'It took too long, or it was finished already.'] as const;

/** The query parameter of a callback that was forwarded to the host where the sign-in began. */
const FORWARDED = 'lintel_forwarded';

export class SignIn {
  readonly #options: SignInOptions;
  readonly #base: URL;
  readonly #basePath: string;
  readonly #isSecure: boolean;
  readonly #reportedScopes = new Set<string>();

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#base = new URL(options.plan.browserBase);
    this.#basePath = this.#base.pathname.replace(/\/$/, '');
    this.#isSecure = this.#base.protocol === 'https:';
  }

  /** Asks the person for consent. */
  async ask(provider: Provider, req: IncomingMessage, res: ServerResponse, uid: string): Promise<void> {
    const interaction = await this.#findInteraction(provider, req, res, uid);
    if (interaction === undefined) return;
    const { plan, upstreams } = this.#options;
    const { client_id: clientId = '', redirect_uri: redirectUri = '', scope = '' } = interaction.params;
    const client = await provider.Client.find(clientId);
    respondPage(
      res,
      200,
      renderConsentPage({
        client: client?.clientName ?? clientId,
        describedAt: plan.clientDocuments !== null && isDocumentUrl(clientId) ? new URL(clientId).host : null,
        redirectUri,
        resource: plan.resource,
        scopes: scope.split(' ').filter(Boolean),
        upstreams: upstreams.map(upstream => ({ name: upstream.plan.name, host: findHost(upstream.plan) })),
        action: `${this.#basePath}${AUTH_SERVER_PATHS.signIn}/${uid}`,
      }),
    );
  }

  /** Handles the person's decision. */
  async decide(
    provider: Provider,
    req: IncomingMessage,
    res: ServerResponse,
    uid: string,
    decision: string | null,
  ): Promise<void> {
    const { origin } = req.headers;
    if (origin !== undefined && origin !== this.#base.origin) {
      respondPage(
        res,
        403,
        renderErrorPage('This sign-in cannot go on', 'The answer came from another page.', START_AGAIN),
      );
      return;
    }
    const interaction = await this.#findInteraction(provider, req, res, uid);
    if (interaction === undefined) return;
    if (decision !== 'allow') {
      await this.#end(res, interaction, { error: 'access_denied', error_description: 'the person did not agree' });
      return;
    }
    const browser = this.#bindBrowser(req, res, uid);
    const signIn = randomBytes(24).toString('base64url');
    await this.#send(res, { interaction: uid, index: 0, signIn, browser, person: null });
  }

  /** Handles the callback of an upstream. */
  async comeBack(provider: Provider, req: IncomingMessage, res: ServerResponse, query: URLSearchParams): Promise<void> {
    const { store, upstreams, log } = this.#options;
    const state = query.get('state');
    if (state === null || (!query.has('code') && !query.has('error'))) {
      respondPage(
        res,
        400,
        renderErrorPage(
          'This page was opened without an answer',
          'The page where you signed in sent no answer.',
          START_AGAIN,
        ),
      );
      return;
    }
    const found = await this.#findLeg(state);
    if (found === undefined) {
      respondPage(res, 400, renderErrorPage(...OVER, START_AGAIN));
      return;
    }
    const { name, leg } = found;
    if (!this.#isBrowserOf(leg, req)) {
      if (this.#sendOn(req, res, query)) return;
      const what = 'It began in another browser, or this browser does not store cookies.';
      respondPage(res, 400, renderErrorPage('This sign-in began elsewhere', what, START_AGAIN));
      return;
    }
    // `take` is atomic, so that only one of several requests with this callback continues.
    if ((await store.take('pending', name)) === undefined) {
      respondPage(res, 400, renderErrorPage(...OVER, START_AGAIN));
      return;
    }
    const interaction = await provider.Interaction.find(leg.interaction);
    const upstream = upstreams[leg.index];
    if (interaction === undefined || upstream === undefined) {
      respondPage(res, 400, renderErrorPage(...OVER, START_AGAIN));
      return;
    }
    query.delete(FORWARDED);
    let person: Person;
    try {
      const answer = await upstream.exchange(query, leg);
      person = leg.person ?? (await answer.person());
      await this.#options.tokens.keepNew(person.id, upstream.plan.name, answer.tokens, leg.index === 0);
      this.#reportMissingScopes(upstream.plan.name, answer.missingScopes);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      this.#options.onOutcome(upstream.plan.name, error.reason === 'denied' ? 'denied' : 'failed');
      log.warn({ upstream: upstream.plan.name, cause: error.message }, 'a sign-in at an upstream did not succeed');
      if (error.reason === 'denied') {
        await this.#end(res, interaction, {
          error: 'access_denied',
          error_description: `the sign-in at ${upstream.plan.name} was refused`,
        });
        return;
      }
      const what = `The sign-in at ${upstream.plan.name} did not work: upstream authentication failed.`;
      respondPage(
        res,
        502,
        renderErrorPage(
          'This sign-in did not work',
          what,
          'Try again in a moment. If it goes on, tell the operator of this server.',
        ),
      );
      return;
    }
    this.#options.onOutcome(upstream.plan.name, 'signed_in');
    const { interaction: uid, signIn, browser } = leg;
    const next = await this.#findNextAfter(leg.index, person);
    if (next !== undefined) {
      await this.#send(res, { interaction: uid, index: next, signIn, browser, person });
      return;
    }
    await this.#finish(provider, res, interaction, signIn, person);
  }

  /** Logs missing scopes once for each upstream and list of scopes, because each further person probably lacks the same scopes. */
  #reportMissingScopes(upstream: string, scopes: readonly string[]): void {
    const key = `${upstream} ${scopes.join(' ')}`;
    if (scopes.length === 0 || this.#reportedScopes.has(key)) return;
    this.#reportedScopes.add(key);
    this.#options.log.warn({ upstream, scopes }, 'an upstream grants fewer scopes than the spec asks for');
  }

  /** The next upstream at which the person has to sign in. Upstreams with valid tokens of an earlier sign-in are skipped. */
  async #findNextAfter(index: number, person: Person): Promise<number | undefined> {
    const { upstreams, tokens, log } = this.#options;
    for (const [at, upstream] of upstreams.entries()) {
      if (at <= index) continue;
      if (!(await tokens.isGood(person.id, upstream))) return at;
      log.debug(
        { subject: person.id, upstream: upstream.plan.name },
        'a sign-in skips an upstream whose token is still valid',
      );
    }
    return undefined;
  }

  /** Redirects the browser to the upstream of `leg`. */
  async #send(res: ServerResponse, leg: Omit<Leg, keyof LegSecrets>): Promise<void> {
    const { store, ring, upstreams, log } = this.#options;
    const upstream = upstreams[leg.index] as UpstreamProvider;
    const secrets: LegSecrets = { state: createRandomText(), nonce: createRandomText(), verifier: createRandomText() };
    let url: URL;
    try {
      url = await upstream.buildAuthorizationUrl(secrets);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      this.#options.onOutcome(upstream.plan.name, 'failed');
      log.warn({ upstream: upstream.plan.name, cause: error.message }, 'people cannot be redirected to an upstream');
      const what = `${upstream.plan.name}, where you sign in, cannot be reached now.`;
      respondPage(res, 502, renderErrorPage('This sign-in cannot go on now', what, 'Try again in a moment.'));
      return;
    }
    const name = ring.deriveName('pending', secrets.state);
    const sealed = ring.seal(JSON.stringify({ ...leg, ...secrets } satisfies Leg), name);
    await store.put('pending', name, { sealed }, { ttlSeconds: SIGN_IN_SECONDS });
    redirect(res, url.href);
  }

  async #findLeg(state: string): Promise<{ readonly name: string; readonly leg: Leg } | undefined> {
    const { store, ring } = this.#options;
    for (const name of ring.deriveNames('pending', state)) {
      const { sealed } = (await store.get('pending', name)) ?? {};
      const text = typeof sealed === 'string' ? ring.open(sealed, name) : undefined;
      if (text !== undefined) return { name, leg: JSON.parse(text) };
    }
    return undefined;
  }

  /** Stores the person's grant and sign-in, and redirects the browser so that the client gets its code. */
  async #finish(
    provider: Provider,
    res: ServerResponse,
    interaction: Interaction,
    signIn: string,
    person: Person,
  ): Promise<void> {
    const { plan, store, upstreams, log } = this.#options;
    const { client_id: clientId = '', scope = '', resource = plan.resource } = interaction.params;
    const grant = new provider.Grant({ accountId: person.id, clientId });
    grant.jti = signIn;
    const requested = [resource].flat().filter(value => isResource(value, plan.resource));
    if (scope !== '') {
      grant.addOIDCScope(scope);
      for (const value of requested) grant.addResourceScope(value, scope);
    }
    const { name, email, id } = person;
    grant.names = { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
    await grant.save();
    const ttlSeconds = plan.lifespans.refreshTokenSeconds + plan.lifespans.authCodeSeconds;
    await store.put('sign-in', signIn, { accountId: id }, { ttlSeconds, group: signIn });
    if (!person.isSynthetic) await this.#endOldest(id, signIn, ttlSeconds);
    log.info(
      { subject: id, client: clientId, upstreams: upstreams.map(upstream => upstream.plan.name) },
      'a person signed in',
    );
    await this.#end(res, interaction, { login: { accountId: id, remember: false }, consent: { grantId: signIn } });
  }

  /** At the limit, a new sign-in ends the oldest sign-in of the same person. */
  async #endOldest(person: string, signIn: string, ttlSeconds: number): Promise<void> {
    const { store } = this.#options;
    const { signIns = [] } = (await store.get('person', person)) ?? {};
    const all = [...(signIns as readonly string[]), signIn];
    await store.put('person', person, { signIns: all.slice(-MAX_SIGN_INS) }, { ttlSeconds });
    for (const ended of all.slice(0, -MAX_SIGN_INS)) await store.deleteGroup(ended);
  }

  async #end(res: ServerResponse, interaction: Interaction, result: object): Promise<void> {
    interaction.result = result;
    await interaction.persist();
    redirect(res, interaction.returnTo);
  }

  /** The sign-in that this browser began; undefined if there is none, after an error page was sent. */
  async #findInteraction(
    provider: Provider,
    req: IncomingMessage,
    res: ServerResponse,
    uid: string,
  ): Promise<Interaction | undefined> {
    try {
      const interaction = await provider.interactionDetails(req, res);
      if (interaction.uid === uid && interaction.result === undefined) return interaction;
    } catch (error) {
      if ((error as { readonly error?: unknown }).error === undefined) throw error;
    }
    respondPage(res, 400, renderErrorPage(...OVER, START_AGAIN));
    return undefined;
  }

  /** Binds the interaction to the browser, so that no other browser can finish it. */
  #bindBrowser(req: IncomingMessage, res: ServerResponse, uid: string): string {
    const mark = readCookie(req, this.#formatCookieName(uid)) ?? createRandomText();
    const attributes = [`Path=/`, 'HttpOnly', 'SameSite=Lax', `Max-Age=${SIGN_IN_SECONDS}`];
    if (this.#isSecure) attributes.push('Secure');
    res.appendHeader('Set-Cookie', `${this.#formatCookieName(uid)}=${mark}; ${attributes.join('; ')}`);
    return computeDigest(mark);
  }

  #isBrowserOf({ interaction, browser }: Leg, req: IncomingMessage): boolean {
    const mark = readCookie(req, this.#formatCookieName(interaction));
    return mark !== undefined && timingSafeEqual(Buffer.from(computeDigest(mark)), Buffer.from(browser));
  }

  /** The name of the cookie. With the prefix `__Host-`, no other host can set it. */
  #formatCookieName(uid: string): string {
    return `${this.#isSecure ? '__Host-' : ''}lintel_at_${computeDigest(uid).slice(0, 12)}`;
  }

  /**
   * Forwards a callback to the host at which the browser began the sign-in (`authorizationEndpointBaseUrl`). Upstreams redirect to the gateway's
   * host, but the browser sends its cookie only to that other host. Returns false if there is nothing to forward.
   */
  #sendOn(req: IncomingMessage, res: ServerResponse, query: URLSearchParams): boolean {
    if (req.headers.host === this.#base.host || query.has(FORWARDED)) return false;
    query.set(FORWARDED, '1');
    redirect(res, `${this.#base.origin}${this.#basePath}${AUTH_SERVER_PATHS.callback}?${query}`);
    return true;
  }
}

/** The host of an upstream, as the consent page shows it. */
function findHost(upstream: UpstreamPlan): string {
  const url = upstream.type === 'oidc' ? upstream.issuer : upstream.authorizationEndpoint;
  return URL.parse(url)?.host ?? url;
}

export function respondPage(res: ServerResponse, status: number, page: string): void {
  res.writeHead(status, { ...PAGE_HEADERS, 'Content-Length': Buffer.byteLength(page) });
  res.end(page);
}

function redirect(res: ServerResponse, url: string): void {
  res.writeHead(303, {
    Location: url,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'Content-Length': 0,
  });
  res.end();
}

function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

function createRandomText(): string {
  return randomBytes(32).toString('base64url');
}

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
