/**
 * Stores oidc-provider's data in the store of the authorization server. A code or refresh token is stored under its HMAC and without the token
 * itself. So a reader of the store cannot use it, and it becomes invalid when the HMAC secret is removed.
 */
import { errors } from 'oidc-provider';
import type { Logger } from '../observe/log.ts';
import { ClientDocumentError, type ClientDocuments, isDocumentUrl } from './client-documents.ts';
import type { SecretRing } from './secret-ring.ts';
import type { Area, EntryKey, Store, StoredValue } from './storage/store.ts';

/** A registered client that gets no refresh token for this time is deleted; seconds. */
export const CLIENT_TTL_SECONDS = 30 * 24 * 60 * 60;

/**
 * How long a used refresh token is accepted a second time, for a client that did not receive the response to the first use; seconds. A later or
 * a third use revokes the whole family of tokens (ADR 0022), unless the first use issued no token.
 */
const GRACE_SECONDS = 10;

const AREAS: { readonly [model: string]: Area | undefined } = {
  AuthorizationCode: 'code',
  Client: 'client',
  Grant: 'grant',
  Interaction: 'interaction',
  RefreshToken: 'refresh',
};

/** Areas whose names are tokens that clients present. The names in all other areas are not secret, or only the server knows them. */
const OPAQUE: ReadonlySet<Area> = new Set<Area>(['code', 'refresh']);

export interface AdapterOptions {
  readonly log: Logger;
  readonly store: Store;
  readonly ring: SecretRing;
  /** The current signing algorithm of ID tokens; it also applies to clients that registered when another key was in use. */
  readonly algorithm: string;
  readonly refreshSeconds: number;
  /** Names of the upstreams whose tokens are stored with a sign-in. */
  readonly upstreams: readonly string[];
  /** Undefined when clients cannot be identified by a URL. */
  readonly clientDocuments: ClientDocuments | undefined;
}

/** The adapter methods that oidc-provider calls with the enabled features. */
export interface Adapter {
  upsert(id: string, payload: StoredValue, ttlSeconds?: number): Promise<void>;
  find(id: string): Promise<StoredValue | undefined>;
  findByUid(uid: string): Promise<undefined>;
  findByUserCode(code: string): Promise<undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

export function createAdapter(options: AdapterOptions): (model: string) => Adapter {
  return model => {
    const area = AREAS[model];
    return area === undefined ? FORGETFUL : new StoreAdapter(area, options);
  };
}

/**
 * Stores nothing; for browser sessions and access tokens. Without browser sessions, each sign-in redirects to the upstreams, so a person who
 * uses the same browser later is never signed in as the earlier person. Access tokens are JWTs, which need no store.
 */
const FORGETFUL: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

class StoreAdapter implements Adapter {
  readonly #area: Area;
  readonly #options: AdapterOptions;

  constructor(area: Area, options: AdapterOptions) {
    this.#area = area;
    this.#options = options;
  }

  async upsert(id: string, payload: StoredValue, ttlSeconds?: number): Promise<void> {
    const { store, ring, refreshSeconds, upstreams } = this.#options;
    const isOpaque = OPAQUE.has(this.#area);
    const { jti: _, ...unnamed } = payload;
    const ttl = this.#area === 'client' ? CLIENT_TTL_SECONDS : (ttlSeconds ?? null);
    await store.put(this.#area, isOpaque ? ring.deriveName(this.#area, id) : id, isOpaque ? unnamed : payload, {
      ttlSeconds: ttl,
      group: findGroup(this.#area, id, payload),
    });
    if (this.#area !== 'refresh' || typeof payload.grantId !== 'string') return;
    this.#options.clientDocuments?.keep(String(payload.clientId));
    // The person's grant, sign-in and upstream tokens, and the client, live at least as long as this newest refresh token.
    const family: EntryKey[] = [
      ['grant', payload.grantId],
      ['sign-in', payload.grantId],
    ];
    const upstreamKeys = upstreams.map((name): EntryKey => ['upstream', `${payload.accountId}:${name}`]);
    await Promise.all([
      store.touch(family, refreshSeconds, payload.grantId),
      store.touch(upstreamKeys, refreshSeconds),
      store.touch([['client', String(payload.clientId)]], CLIENT_TTL_SECONDS),
    ]);
  }

  async find(id: string): Promise<StoredValue | undefined> {
    const { store, algorithm, refreshSeconds } = this.#options;
    if (!OPAQUE.has(this.#area)) {
      const found = (await this.#findDocumented(id)) ?? (await store.get(this.#area, id));
      if (found === undefined) return undefined;
      if (this.#area === 'client') return { ...found, id_token_signed_response_alg: algorithm };
      // A grant that is in the store has not expired, because the store drops it at the end of its lifetime. `exp` must not say otherwise.
      return this.#area === 'grant' ? { ...found, exp: getNowSeconds() + refreshSeconds } : found;
    }
    const storedEntry = await this.#findHeld(id);
    if (storedEntry === undefined) return undefined;
    const { consumed, ...unused } = storedEntry.value;
    // Without `consumed`, oidc-provider accepts a used refresh token here; `consume` decides whether it may be used again.
    return { ...unused, ...(this.#area === 'refresh' || consumed === undefined ? {} : { consumed }), jti: id };
  }

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}

  async consume(id: string): Promise<void> {
    const { store } = this.#options;
    const storedEntry = await this.#findHeld(id);
    const now = getNowSeconds();
    const uses = storedEntry && (await store.use(this.#area, storedEntry.name, now));
    if (storedEntry === undefined || uses === undefined) throw new errors.InvalidGrant('the grant no longer exists');
    if (uses.times === 1) return;
    if (this.#area === 'refresh') {
      const isGraced = now - uses.firstAt <= GRACE_SECONDS;
      if (isGraced && uses.times === 2) return;
      // The first use issued no token, because the server ended or lost its store meanwhile. The client may try again; of its concurrent attempts,
      // exactly one counts as the first use.
      if (!isGraced && (await this.#cameToNothing(storedEntry.value))) {
        const renewed = await store.use(this.#area, storedEntry.name, now, uses.firstAt);
        if (renewed?.times === 1) return;
      }
    }
    if (typeof storedEntry.value.grantId === 'string') await store.deleteGroup(storedEntry.value.grantId);
    throw new errors.InvalidGrant('the grant was used already');
  }

  async destroy(id: string): Promise<void> {
    const { store } = this.#options;
    const name = OPAQUE.has(this.#area) ? (await this.#findHeld(id))?.name : id;
    if (name !== undefined) await store.delete(this.#area, name);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#options.store.deleteGroup(grantId);
  }

  /** A client whose id is the URL of a document that describes the client. */
  async #findDocumented(id: string): Promise<StoredValue | undefined> {
    const { clientDocuments, log } = this.#options;
    if (this.#area !== 'client' || clientDocuments === undefined || !isDocumentUrl(id)) return undefined;
    try {
      return { ...(await clientDocuments.find(id)) };
    } catch (error) {
      if (!(error instanceof ClientDocumentError)) throw error;
      const { message, cause } = error;
      log.debug({ client: id, cause: cause instanceof Error ? cause.message : message }, 'a client is not known');
      // For an unknown client, a client would drop its registration; these errors do not say that.
      throw error.reason === 'refused' ? new errors.InvalidClient(message) : new errors.TemporarilyUnavailable(message);
    }
  }

  async #findHeld(id: string): Promise<{ readonly name: string; readonly value: StoredValue } | undefined> {
    const { store, ring } = this.#options;
    for (const name of ring.deriveNames(this.#area, id)) {
      const value = await store.get(this.#area, name);
      if (value !== undefined) return { name, value };
    }
    return undefined;
  }

  /** Whether the first use of this refresh token issued no token. */
  async #cameToNothing({ grantId, rotations }: StoredValue): Promise<boolean> {
    const family = await this.#options.store.listGroup(String(grantId), 'refresh');
    return family.every(other => readRotations(other.rotations) <= readRotations(rotations));
  }
}

function readRotations(rotations: unknown): number {
  return typeof rotations === 'number' ? rotations : 0;
}

function findGroup(area: Area, id: string, { grantId }: StoredValue): string | undefined {
  if (area === 'grant') return id;
  return typeof grantId === 'string' && area !== 'interaction' ? grantId : undefined;
}

function getNowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
