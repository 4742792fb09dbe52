/**
 * The entry of this folder: creates the authorization server of a plan. In `dist/` it is a separate file, loaded only for bundles that need it.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthServerPlan, TrustedIssuerPlan, UpstreamPlan } from '#schemas';
import type { UpstreamTokensOfCaller } from '../auth/identity.ts';
import type { Secret } from '../auth/secrets.ts';
import { ClientDocuments } from './client-documents.ts';
import { ForeignIssuer } from './delegation/foreign-issuer.ts';
import { JwtBearer } from './delegation/jwt-bearer.ts';
import { TokenExchange } from './delegation/token-exchange.ts';
import { buildMetadataDocuments } from './documents.ts';
import { createEngine } from './engine.ts';
import type { AuthServerHost } from './host.ts';
import { RecentValues } from './recent-values.ts';
import { findClientSecretProblem, findHmacSecretProblem, SecretRing } from './secret-ring.ts';
import { createServer, type Server } from './server.ts';
import type { ActiveConfiguration } from './serving.ts';
import { SignIn } from './sign-in.ts';
import {
  findSigningKeyProblem,
  formatPublicKeySet,
  makeSigningKey,
  readSigningKey,
  type SigningKey,
} from './signing-keys.ts';
import { serializeForEngine } from './storage/for-engine.ts';
import { MeasuredStore } from './storage/measured-store.ts';
import { openStore } from './storage/open.ts';
import type { Store } from './storage/store.ts';
import { type ClientSource, createStaticClient } from './upstream/client-source.ts';
import { RegisteredClient, type RegisteredClientOptions } from './upstream/registered-client.ts';
import { UpstreamProvider } from './upstream/upstream.ts';
import { UpstreamTokens, UpstreamTokensError } from './upstream-tokens.ts';
import { prepareDocument } from './well-known.ts';

export { type Store, UpstreamTokensError };

/** For `/status`. */
export interface AuthServerStatus {
  readonly issuer: string;
  /** The current signing key of access tokens. */
  readonly signingKey: string;
  /** Number of verifying keys. */
  readonly keys: number;
  /** Whether keys or secrets were generated at the start, so that tokens become invalid when the process ends. */
  readonly isEphemeral: { readonly signingKeys: boolean; readonly hmacSecrets: boolean };
  readonly storage: Store['kind'];
  /** Why the storage is unavailable; null when it is available. */
  readonly storageProblem: string | null;
}

export interface AuthServer {
  readonly plan: AuthServerPlan;
  readonly store: Store;
  route(path: string): ((req: IncomingMessage, res: ServerResponse) => void | Promise<void>) | undefined;
  /** The current public keys as a JSON Web Key Set. */
  keySet(): Promise<string>;
  /** The upstream tokens of a sign-in. Each access returns the current tokens. */
  upstreamTokens(signIn: string): UpstreamTokensOfCaller;
  /** Renews the upstream tokens of a sign-in if needed; undefined if they are valid. Rejects with UpstreamTokensError. */
  ready(signIn: string): Promise<void> | undefined;
  status(): AuthServerStatus;
  /** @param keepsStore whether another server keeps using the store */
  close(keepsStore?: boolean): Promise<void>;
}

/**
 * @param store of a server that this one replaces; default: a new one for the plan
 * @throws SecretError
 */
export async function openAuthServer(plan: AuthServerPlan, host: AuthServerHost, store?: Store): Promise<AuthServer> {
  const { log, secrets, observer } = host;
  const signing = new RecentValues(
    plan.signingKeys.map((source, index) =>
      secrets.open(source, `signing key ${index} of the authorization server`, findSigningKeyProblem),
    ),
  );
  const hmac = new RecentValues(
    plan.hmacSecrets.map((source, index) =>
      secrets.open(source, `HMAC secret ${index} of the authorization server`, findHmacSecretProblem),
    ),
  );
  const clients = plan.upstreams.map(upstream => openUpstreamSecrets(upstream, host));
  const delegates = plan.delegateClients.map(({ id, secret }) =>
    secrets.open(secret, `secret of delegate client "${id}"`, findClientSecretProblem),
  );
  const isEphemeral = { signingKeys: plan.signingKeys.length === 0, hmacSecrets: plan.hmacSecrets.length === 0 };
  if (isEphemeral.signingKeys || isEphemeral.hmacSecrets) {
    const what = [
      ...(isEphemeral.signingKeys ? ['signing key'] : []),
      ...(isEphemeral.hmacSecrets ? ['HMAC secret'] : []),
    ].join(' and a ');
    log.warn(
      `the authorization server made a temporary ${what}: tokens that it issues become invalid when this process ends`,
    );
  }
  const ephemeralSecret = randomBytes(32).toString('base64url');
  const ring = new SecretRing(() => (isEphemeral.hmacSecrets ? [ephemeralSecret] : hmac.values));
  const measuredStore = store ?? new MeasuredStore(await openStore(plan.storage, host), observer);
  const upstreams = plan.upstreams.map((upstream, index) => {
    const client = host.client(upstream.addresses);
    const identity = createClientSource({ plan: upstream, ...clients[index], client, store: measuredStore, ring, log });
    return new UpstreamProvider({ plan: upstream, identity, client });
  });
  const tokens = new UpstreamTokens({
    store: measuredStore,
    ring,
    upstreams,
    lifeSeconds: plan.lifespans.refreshTokenSeconds,
    log,
    observer,
  });
  const signIn = new SignIn({
    plan,
    upstreams,
    tokens,
    store: measuredStore,
    ring,
    log,
    onOutcome: (upstream, outcome) => observer.signIn(upstream, outcome),
  });
  const { clientDocuments: settings } = plan;
  const clientDocuments =
    settings === null ? undefined : new ClientDocuments({ plan, settings, client: host.client('public') });
  const issuers = await Promise.all(plan.trustedIssuers.map(trusted => openForeignIssuer(trusted, host)));
  const close = () =>
    Promise.all([...upstreams, ...issuers, ...(clientDocuments ? [clientDocuments] : [])].map(value => value.close()));
  const makeEngine = (keys: readonly SigningKey[]) =>
    createEngine({
      plan,
      keys,
      ring,
      store: serializeForEngine(measuredStore),
      clientDocuments,
      delegateSecrets: delegates.map(({ value }) => value),
      exchange: new TokenExchange({
        plan,
        keys,
        keySet: formatPublicKeySet(keys),
        issuers,
        store: serializeForEngine(measuredStore),
        log,
      }),
      log,
      observer,
    });
  const current = new CurrentEngine({ signing, hmac, delegates }, keys => {
    const { oauth, openid } = buildMetadataDocuments(plan, [...new Set(keys.map(({ algorithm }) => algorithm))]);
    const keySet = formatPublicKeySet(keys);
    return {
      provider: makeEngine(keys),
      keys,
      documents: {
        oauth: prepareDocument(oauth),
        openid: prepareDocument(openid),
        keySet: prepareDocument(keySet),
      },
    };
  });
  let server: Server;
  let first: CurrentServing;
  try {
    first = await current.now();
    server = await createServer({
      plan,
      now: () => current.now(),
      signIn,
      jwtBearer: new JwtBearer({ plan, issuers, store: measuredStore, log, observer }),
      log,
      onRegistration: outcome => observer.registration(outcome),
    });
  } catch (error) {
    await close();
    if (store === undefined) measuredStore.close();
    throw error;
  }
  return {
    plan,
    store: measuredStore,
    route: path => server.route(path),
    keySet: async () => (await current.now()).documents.keySet.text,
    upstreamTokens: id => tokens.get(id),
    ready: id => tokens.ready(id),
    status: () => {
      const { keys } = current.latest ?? first;
      return {
        issuer: plan.issuer,
        signingKey: keys[0]?.kid ?? '',
        keys: keys.length,
        isEphemeral,
        storage: measuredStore.kind,
        storageProblem: measuredStore.problem ?? null,
      };
    },
    close: async (keepsStore = false) => {
      await server.close();
      await close();
      if (!keepsStore) measuredStore.close();
    },
  };
}

function openUpstreamSecrets(upstream: UpstreamPlan, { secrets }: AuthServerHost) {
  const { name, clientSecret } = upstream;
  const token = upstream.type === 'oauth2' ? upstream.registration?.initialAccessToken : undefined;
  return {
    secret: clientSecret === null ? undefined : secrets.open(clientSecret, `client secret at upstream "${name}"`),
    initialAccessToken: token == null ? undefined : secrets.open(token, `token for registration at upstream "${name}"`),
  };
}

function createClientSource({
  secret,
  initialAccessToken,
  ...options
}: Omit<RegisteredClientOptions, 'registration' | 'initialAccessToken'> &
  Partial<ReturnType<typeof openUpstreamSecrets>>): ClientSource {
  const { plan } = options;
  const registration = plan.type === 'oauth2' ? plan.registration : null;
  if (registration === null) return createStaticClient(plan, secret);
  return new RegisteredClient({ ...options, registration, initialAccessToken });
}

/** Creates the verifier of a trusted issuer. It fetches the issuer's keys when the first token arrives. */
async function openForeignIssuer(plan: TrustedIssuerPlan, host: AuthServerHost): Promise<ForeignIssuer> {
  const { exchange, addresses } = plan;
  const expression = exchange?.actorMatcher ?? null;
  const matcher = expression === null ? undefined : await host.matcher(expression);
  return new ForeignIssuer({ plan, matcher, client: host.client(addresses) });
}

type ServingParts = Omit<ActiveConfiguration, 'handle'>;
type CurrentServing = ActiveConfiguration & ServingParts;
type Values = Readonly<Record<keyof EngineSecrets, readonly string[]>>;

/** The keys and secrets of oidc-provider's configuration. */
interface EngineSecrets {
  readonly signing: RecentValues;
  readonly hmac: RecentValues;
  /** The secrets of delegate clients. */
  readonly delegates: readonly Secret[];
}

/**
 * The instance of oidc-provider with the current keys and secrets. If a file changes, a new instance replaces it; no tokens are lost, because they
 * are in the store.
 */
class CurrentEngine {
  latest: CurrentServing | undefined;
  readonly #secrets: EngineSecrets;
  readonly #make: (keys: readonly SigningKey[]) => ServingParts;
  #ephemeral: Promise<SigningKey> | undefined;
  #madeWith: Values | undefined;
  #making: Promise<CurrentServing> | undefined;

  constructor(secrets: EngineSecrets, make: (keys: readonly SigningKey[]) => ServingParts) {
    this.#secrets = secrets;
    this.#make = make;
  }

  /** The current instance. A promise only after keys or secrets have changed, so that documents are usually served synchronously. */
  now(): CurrentServing | Promise<CurrentServing> {
    if (this.latest !== undefined && this.#isCurrent()) return this.latest;
    this.#making ??= this.#renew().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  /** Whether keys and secrets are unchanged. Called for each request. */
  #isCurrent(): boolean {
    const { signing, hmac, delegates } = this.#secrets;
    const made = this.#madeWith;
    return (
      made !== undefined &&
      signing.values === made.signing &&
      hmac.values === made.hmac &&
      delegates.every(({ value }, index) => value === made.delegates[index])
    );
  }

  async #renew(): Promise<CurrentServing> {
    const { signing, hmac, delegates } = this.#secrets;
    const values = {
      signing: signing.values,
      hmac: hmac.values,
      delegates: delegates.map(({ value }) => value),
    };
    const made = this.#make(await this.#readKeys(values.signing));
    this.#madeWith = values;
    this.latest = { ...made, handle: made.provider.callback() };
    return this.latest;
  }

  async #readKeys(pems: readonly string[]): Promise<readonly SigningKey[]> {
    if (pems.length > 0) return Promise.all(pems.map(readSigningKey));
    this.#ephemeral ??= makeSigningKey();
    return [await this.#ephemeral];
  }
}
