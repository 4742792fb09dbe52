/**
 * What oidc-provider keeps, in our store. Codes and refresh tokens are stored under names that the HMAC secrets make of them, and without
 * themselves: who reads the store cannot use them, and they end with the secret that named them.
 */
import { errors } from 'oidc-provider';
import type { Logger } from '../observe/log.ts';
import { ClientDocumentError, type ClientDocuments, isDocumentUrl } from './client-documents.ts';
import type { SecretRing } from './secret-ring.ts';
import type { Area, EntryKey, Store, Value } from './storage/store.ts';

/** Registered clients that send no request for this long are deleted; seconds. */
export const CLIENT_TTL_SECONDS = 30 * 24 * 60 * 60;

/**
 * How long a refresh token that was used already is accepted once more, for a client that did not receive the first answer; seconds. Later,
 * or a third time, its use ends the whole family (see ADR 0022), unless nothing came of its first use.
 */
const GRACE_SECONDS = 10;

const AREAS: { readonly [model: string]: Area | undefined } = {
  AuthorizationCode: 'code',
  Client: 'client',
  Grant: 'grant',
  Interaction: 'interaction',
  RefreshToken: 'refresh',
};

/** Presented by clients: everything else is found by names that only we know, or that are no secret. */
const OPAQUE: ReadonlySet<Area> = new Set<Area>(['code', 'refresh']);

export interface AdapterOptions {
  readonly log: Logger;
  readonly store: Store;
  readonly ring: SecretRing;
  /** The algorithm that signs ID tokens now. Clients that registered under another key get this one, too. */
  readonly algorithm: string;
  readonly refreshSeconds: number;
  /** Names of the upstreams whose tokens are kept with a sign-in. */
  readonly upstreams: readonly string[];
  /** Undefined where a client cannot be known by a URL. */
  readonly clientDocuments: ClientDocuments | undefined;
}

/** The parts of an adapter that oidc-provider calls with the features that are on. */
export interface Adapter {
  upsert(id: string, payload: Value, ttlSeconds?: number): Promise<void>;
  find(id: string): Promise<Value | undefined>;
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
 * Sessions of browsers are not kept: each sign-in goes to the upstreams, who know whether a person is signed in there, so that no person who
 * uses the browser next gets in as the person before. Access tokens are JWTs, which need no store.
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

  async upsert(id: string, payload: Value, ttlSeconds?: number): Promise<void> {
    const { store, ring, refreshSeconds, upstreams } = this.#options;
    const isOpaque = OPAQUE.has(this.#area);
    const { jti: _, ...unnamed } = payload;
    const ttl = this.#area === 'client' ? CLIENT_TTL_SECONDS : (ttlSeconds ?? null);
    await store.put(this.#area, isOpaque ? ring.name(this.#area, id) : id, isOpaque ? unnamed : payload, {
      ttlSeconds: ttl,
      group: findGroup(this.#area, id, payload),
    });
    if (this.#area !== 'refresh' || typeof payload.grantId !== 'string') return;
    this.#options.clientDocuments?.keep(String(payload.clientId));
    // A family lives as long as its youngest token, and so do the person's sign-in and the client.
    const family: EntryKey[] = [
      ['grant', payload.grantId],
      ['sign-in', payload.grantId],
    ];
    const given = upstreams.map((name): EntryKey => ['upstream', `${payload.accountId}:${name}`]);
    await Promise.all([
      store.touch(family, refreshSeconds, payload.grantId),
      store.touch(given, refreshSeconds),
      store.touch([['client', String(payload.clientId)]], CLIENT_TTL_SECONDS),
    ]);
  }

  async find(id: string): Promise<Value | undefined> {
    const { store, algorithm, refreshSeconds } = this.#options;
    if (!OPAQUE.has(this.#area)) {
      const found = (await this.#documented(id)) ?? (await store.get(this.#area, id));
      if (found === undefined) return undefined;
      if (this.#area === 'client') return { ...found, id_token_signed_response_alg: algorithm };
      // What is there has not expired: its life is that of the entry.
      return this.#area === 'grant' ? { ...found, exp: nowSeconds() + refreshSeconds } : found;
    }
    const held = await this.#held(id);
    if (held === undefined) return undefined;
    const { consumed, ...unused } = held.value;
    // Whether a refresh token may be used again is decided when it is used.
    return { ...unused, ...(this.#area === 'refresh' || consumed === undefined ? {} : { consumed }), jti: id };
  }

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}

  async consume(id: string): Promise<void> {
    const { store } = this.#options;
    const held = await this.#held(id);
    const now = nowSeconds();
    const uses = held && (await store.use(this.#area, held.name, now));
    if (held === undefined || uses === undefined) throw new errors.InvalidGrant('the grant is not there any more');
    if (uses.times === 1) return;
    if (this.#area === 'refresh') {
      const isGraced = now - uses.firstAt <= GRACE_SECONDS;
      if (isGraced && uses.times === 2) return;
      // The server ended, or lost its store, before there was an answer. Of several that try now, one is the first.
      if (!isGraced && (await this.#cameToNothing(held.value))) {
        const renewed = await store.use(this.#area, held.name, now, uses.firstAt);
        if (renewed?.times === 1) return;
      }
    }
    if (typeof held.value.grantId === 'string') await store.deleteGroup(held.value.grantId);
    throw new errors.InvalidGrant('it was used already');
  }

  async destroy(id: string): Promise<void> {
    const { store } = this.#options;
    const name = OPAQUE.has(this.#area) ? (await this.#held(id))?.name : id;
    if (name !== undefined) await store.delete(this.#area, name);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#options.store.deleteGroup(grantId);
  }

  /** A client that describes itself at a URL, which is its identifier. */
  async #documented(id: string): Promise<Value | undefined> {
    const { clientDocuments, log } = this.#options;
    if (this.#area !== 'client' || clientDocuments === undefined || !isDocumentUrl(id)) return undefined;
    try {
      return { ...(await clientDocuments.find(id)) };
    } catch (error) {
      if (!(error instanceof ClientDocumentError)) throw error;
      const { message, cause } = error;
      log.debug({ client: id, cause: cause instanceof Error ? cause.message : message }, 'a client is not known');
      // Clients forget what they have on an answer that they are not known.
      throw error.reason === 'refused' ? new errors.InvalidClient(message) : new errors.TemporarilyUnavailable(message);
    }
  }

  async #held(id: string): Promise<{ readonly name: string; readonly value: Value } | undefined> {
    const { store, ring } = this.#options;
    for (const name of ring.names(this.#area, id)) {
      const value = await store.get(this.#area, name);
      if (value !== undefined) return { name, value };
    }
    return undefined;
  }

  /** Whether no token was made in exchange for this one. */
  async #cameToNothing({ grantId, rotations }: Value): Promise<boolean> {
    const family = await this.#options.store.ofGroup(String(grantId), 'refresh');
    return family.every(other => readRotations(other.rotations) <= readRotations(rotations));
  }
}

function readRotations(rotations: unknown): number {
  return typeof rotations === 'number' ? rotations : 0;
}

function findGroup(area: Area, id: string, { grantId }: Value): string | undefined {
  if (area === 'grant') return id;
  return typeof grantId === 'string' && area !== 'interaction' ? grantId : undefined;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
