/** AWS roles: one for each caller, and a signature on every request. */
import type { AwsStsPlan } from '#schemas';
import type { HttpClient } from '../../../http/client.ts';
import type { Logger } from '../../../observe/log.ts';
import type { ClaimsMatcher } from '../../claims-matcher.ts';
import type { AuthenticatedCaller, Identity } from '../../identity.ts';
import type { Credential, OutgoingAuth, OutgoingRequest } from '../credential.ts';
import { ExpiringCache, type Perishable } from '../expiring-cache.ts';
import { getSubjectToken, presentToken, requireCaller } from '../subject-token.ts';
import { toEndpointUrl } from '../token-endpoint.ts';
import { assumeRole } from './assume-role.ts';
import { RoleChoice } from './role-choice.ts';
import { toSessionName } from './session-name.ts';
import { sign } from './sign.ts';
import type { AwsCredentials } from './sts-answer.ts';

const STRATEGY = 'aws_sts';

/** How long before their expiry credentials are renewed; milliseconds. The shortest AWS session lasts 15 minutes. */
const EXPIRY_SKEW_MS = 5 * 60_000;

/** Maximum number of cached credentials for one backend. */
const MAX_SESSIONS = 10_000;

interface RoleSession {
  readonly credentials: AwsCredentials;
  readonly keys: Map<string, ArrayBuffer>;
}

/** A role assumed for a caller. */
interface Role {
  readonly key: string;
  readonly roleArn: string;
  readonly sessionName: string;
}

/**
 * Creates the strategy. CEL is loaded when a mapping needs it.
 * @param client closed together with the strategy
 */
export async function createAwsSts(
  plan: AwsStsPlan,
  client: HttpClient,
  log: Logger,
  now: () => number,
): Promise<OutgoingAuth> {
  const needsCel = plan.mappings.some(({ type }) => type === 'cel');
  const compile = needsCel ? (await import('./cel-matcher.ts')).compileMatcher : createIdleMatcher;
  return new AwsRoles(plan, client, new RoleChoice(plan, compile, log), now);
}

function createIdleMatcher(): ClaimsMatcher {
  return () => false;
}

class AwsRoles implements OutgoingAuth {
  readonly isPerCaller = true;
  readonly own = undefined;
  readonly #plan: AwsStsPlan;
  readonly #stsUrl: URL;
  readonly #client: HttpClient;
  readonly #choice: RoleChoice;
  readonly #now: () => number;
  readonly #sessions: ExpiringCache<RoleSession>;

  constructor(plan: AwsStsPlan, client: HttpClient, choice: RoleChoice, now: () => number) {
    this.#plan = plan;
    this.#stsUrl = toEndpointUrl(STRATEGY, plan.stsUrl);
    this.#client = client;
    this.#choice = choice;
    this.#now = now;
    this.#sessions = new ExpiringCache(MAX_SESSIONS, now);
  }

  getCredential(identity: () => Identity): Credential {
    return new AwsCredential(this, identity);
  }

  async close(): Promise<void> {
    this.#sessions.clear();
    await this.#client.close();
  }

  chooseRole({ claims }: AuthenticatedCaller, identityKey: string): Role {
    const roleArn = this.#choice.chooseRole(claims);
    const name = toSessionName(claims, this.#plan.sessionNameClaim);
    return { key: JSON.stringify([identityKey, roleArn, name]), roleArn, sessionName: name };
  }

  getSession(role: Role, identity: Identity): RoleSession | Promise<RoleSession> {
    // Checked even if credentials are cached, because they must not be used after the caller's own token has expired.
    const subject = getSubjectToken(STRATEGY, this.#plan.subject, identity, this.#now());
    return this.#sessions.obtain(role.key, () => presentToken(subject, token => this.#assume(role, token)));
  }

  sign(request: OutgoingRequest, { credentials, keys }: RoleSession): Promise<readonly string[]> {
    const { region, service } = this.#plan;
    return sign(request, credentials, { region, service, keys }, this.#now());
  }

  renew(role: Role, refused: RoleSession): boolean {
    return this.#sessions.renew(role.key, refused);
  }

  async #assume({ roleArn, sessionName }: Role, webIdentityToken: string): Promise<Perishable<RoleSession>> {
    const durationSeconds = this.#plan.sessionDurationSeconds;
    const request = { roleArn, sessionName, durationSeconds, webIdentityToken };
    const credentials = await assumeRole(this.#client, this.#stsUrl, request);
    return { value: { credentials, keys: new Map() }, usableUntil: credentials.expiresAt - EXPIRY_SKEW_MS };
  }
}

class AwsCredential implements Credential {
  readonly #roles: AwsRoles;
  readonly #identity: () => Identity;
  /** The role and session with which each request was signed, by its headers, because many requests may run concurrently. */
  readonly #signed = new WeakMap<readonly string[], { readonly role: Role; readonly session: RoleSession }>();
  #known: { readonly caller: AuthenticatedCaller; readonly role: Role } | undefined;

  constructor(roles: AwsRoles, identity: () => Identity) {
    this.#roles = roles;
    this.#identity = identity;
  }

  async getHeaders(request: OutgoingRequest): Promise<readonly string[]> {
    const identity = this.#identity();
    const role = this.#getRole(requireCaller(STRATEGY, identity), identity.key);
    const session = await this.#roles.getSession(role, identity);
    const headers = await this.#roles.sign(request, session);
    this.#signed.set(headers, { role, session });
    return headers;
  }

  rejected(headers: readonly string[]): boolean {
    const signed = this.#signed.get(headers);
    return signed === undefined || this.#roles.renew(signed.role, signed.session);
  }

  /** Claims change only with the token, so the mappings are evaluated once for each token. */
  #getRole(caller: AuthenticatedCaller, identityKey: string): Role {
    if (this.#known?.caller !== caller) this.#known = { caller, role: this.#roles.chooseRole(caller, identityKey) };
    return this.#known.role;
  }
}
