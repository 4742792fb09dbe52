/**
 * What a bundle really does, asked of the code that a gateway decides with: it authenticates every token, lists, finds the way of every
 * request, and puts the credential on it. Brute force: every caller, every item, every state of the network.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthorizationPlan,
  type BackendPlan,
  canonicalJson,
  type GatewayBundle,
  type IncomingAuthPlan,
  MOUNT_ROOT,
} from '#schemas';
import type { Authorizer } from '../../../runtime/auth/authorization/authorizer.ts';
import { createAuthorizer } from '../../../runtime/auth/authorization/create-authorizer.ts';
import { LASTING_RULES } from '../../../runtime/auth/entry-rules.ts';
import type { Identity } from '../../../runtime/auth/identity.ts';
import { AuthenticationError, type Authenticator } from '../../../runtime/auth/incoming/authenticator.ts';
import { createAuthenticator } from '../../../runtime/auth/incoming/create-authenticator.ts';
import { Secrets } from '../../../runtime/auth/secrets.ts';
import { KINDS } from '../../../runtime/gateway/capabilities.ts';
import type { Gateway } from '../../../runtime/gateway/gateway.ts';
import { openCredentials } from '../../../runtime/gateway/open-credentials.ts';
import { passedHeaders, type Sender } from '../../../runtime/gateway/sender.ts';
import { buildTable } from '../../../runtime/gateway/table.ts';
import { destinationOf, targetOf } from '../../../runtime/gateway/targets.ts';
import { visibleList } from '../../../runtime/gateway/visible-lists.ts';
import { refusedAddress } from '../../../runtime/http/address-policy.ts';
import type { HttpClient, SentRequest } from '../../../runtime/http/client.ts';
import type { Envelope } from '../../../runtime/mcp/envelope.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { createLogger } from '../../../runtime/observe/log.ts';
import { SECRET_KEY, SECRETS } from './design.ts';
import { AUTHORITIES, type Authority, USUAL } from './world/authorities.ts';
import { CALLER_HEADERS, claimsOf, opaqueToken, peopleOf, TOKEN_CLASSES } from './world/callers.ts';
import { type Hosts, startHosts } from './world/hosts.ts';
import { ARGUMENTS, OFFERS, URIS } from './world/offers.ts';

/**
 * What callers get, by caller, request and the circumstances in which it is answered: where the request goes and what goes with it, or
 * what a list shows. What is refused is absent.
 */
export type Facts = ReadonlyMap<string, string>;

/** `changed`: the same callers reach the same, which is elsewhere, gets another credential, or is described otherwise. */
export type OracleVerdict = 'equivalent' | 'wider' | 'narrower' | 'mixed' | 'changed';

export interface Comparison {
  readonly verdict: OracleVerdict;
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  readonly changed: readonly string[];
}

export function compareFacts(before: Facts, after: Facts): Comparison {
  const gained = [...after.keys()].filter(key => !before.has(key));
  const lost = [...before.keys()].filter(key => !after.has(key));
  const changed = [...after].filter(([key, what]) => before.has(key) && before.get(key) !== what).map(([key]) => key);
  return { verdict: verdictOf(gained.length > 0, lost.length > 0, changed.length > 0), gained, lost, changed };
}

function verdictOf(gains: boolean, loses: boolean, changes: boolean): OracleVerdict {
  if (gains && loses) return 'mixed';
  if (changes) return gains || loses ? 'mixed' : 'changed';
  if (gains) return 'wider';
  return loses ? 'narrower' : 'equivalent';
}

/** Who certifies the providers, and whether the name service leads inside. */
const PROVIDER_STATES: readonly (readonly [Authority, isInside: boolean])[] = [
  ...AUTHORITIES.map(authority => [authority, false] as const),
  [USUAL, true],
];

/** A caller, let in. */
interface Admitted {
  readonly name: string;
  readonly identity: Identity;
}

const log = createLogger('silent');
const SECRET_FOLDER = `${MOUNT_ROOT}/secrets/`;

/** A gateway on a network of its own. Keeps what it found out about parts that many bundles share. */
export class Oracle {
  readonly #hosts: Hosts;
  readonly #folder: string;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #admitted = new Map<string, Promise<readonly Admitted[]>>();
  readonly #sent = new Map<string, Promise<string>>();
  readonly #envelopes = new Map<string, Envelope>();

  #authorizer: { readonly key: string; readonly authorizer: Authorizer } | undefined;

  private constructor(hosts: Hosts, folder: string, tokens: ReadonlyMap<string, string>) {
    this.#hosts = hosts;
    this.#folder = folder;
    this.#tokens = tokens;
  }

  static async start(): Promise<Oracle> {
    const opaque = new Map<string, Readonly<Record<string, unknown>>>();
    const hosts = await startHosts((host, token) => opaque.get(`${host} ${token}`));
    const tokens = new Map<string, string>();
    for (const tokenClass of TOKEN_CLASSES) {
      for (const person of peopleOf(tokenClass)) {
        const claims = claimsOf(tokenClass, person);
        const { name, host } = tokenClass;
        const token = tokenClass.opaque ? opaqueToken(tokenClass, person) : await hosts.sign({ host, claims });
        if (tokenClass.opaque) opaque.set(`${host} ${token}`, claims);
        tokens.set(`${person} (${name})`, token);
      }
    }
    const folder = mkdtempSync(join(tmpdir(), 'lintel-oracle-'));
    for (const secret of SECRETS) {
      mkdirSync(join(folder, secret));
      writeFileSync(join(folder, secret, SECRET_KEY), `secret-${secret}`);
    }
    return new Oracle(hosts, folder, tokens);
  }

  async close(): Promise<void> {
    await this.#hosts.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** @throws Error for a bundle that no gateway serves */
  async factsOf(built: GatewayBundle): Promise<Facts> {
    const bundle = this.#mounted(built);
    const authorizer = this.#authorizerOf(bundle.authorization);
    const table = buildTable(
      bundle,
      bundle.backends.map(plan => ({ plan, capabilities: offerOf(plan.name), available: true })),
    );
    const connections = new Map(bundle.backends.map(({ name }) => [name, { name, monitor: { available: true } }]));
    // All that decides of a gateway; what it lacks are the connections.
    const gateway = {
      connections,
      tableOf: () => table,
      accessOf: (identity: Identity) => authorizer.accessOf(identity),
      silentHolder: () => undefined,
      log,
    } as unknown as Gateway;
    const plans = new Map(bundle.backends.map(plan => [plan.name, plan]));
    const facts = new Map<string, string>();
    for (const { name, identity } of await this.#letIn(bundle.incomingAuth)) {
      const passed = passedHeaders(bundle.passthroughHeaders, CALLER_HEADERS);
      const sender: Sender = { identity, passed, rules: LASTING_RULES };
      for (const { kind, listMethod } of KINDS) {
        const { items } = await visibleList(table, kind, gateway.accessOf(identity));
        for (const { key, json } of items) facts.set(`${name}: ${listMethod} shows ${key}`, json);
      }
      for (const envelope of this.#requests([...table.tools.keys()], [...table.prompts.keys()])) {
        const destination = found(() => destinationOf(gateway, targetOf(envelope), envelope, sender));
        if (destination === undefined) continue;
        const plan = plans.get(destination.connection.name) as BackendPlan;
        const sent = await this.#sentTo(plan, bundle.passthroughHeaders, sender, name);
        const { method, name: item, uri } = envelope;
        const args = JSON.stringify((envelope.paramsValue() as { arguments?: object }).arguments ?? {});
        const what = `${name}: ${method} ${(item ?? uri)?.value} ${args}`;
        const where = `${destination.originalName} at ${plan.url} (${plan.transport}) with ${sent}`;
        for (const peer of peersOf(plan)) facts.set(`${what}, ${peer}`, where);
      }
    }
    return facts;
  }

  /** Secrets are in a folder of the test. */
  #mounted(bundle: GatewayBundle): GatewayBundle {
    return JSON.parse(JSON.stringify(bundle).replaceAll(SECRET_FOLDER, `${this.#folder}/`));
  }

  /** The former one where the policies are the same, as when a gateway swaps bundles. */
  #authorizerOf(plan: AuthorizationPlan): Authorizer {
    const key = canonicalJson(plan);
    if (this.#authorizer?.key !== key) this.#authorizer = { key, authorizer: createAuthorizer(plan, log) };
    return this.#authorizer.authorizer;
  }

  *#requests(tools: readonly string[], prompts: readonly string[]): Iterable<Envelope> {
    for (const name of tools)
      for (const args of ARGUMENTS) yield this.#request('tools/call', { name, arguments: args });
    for (const name of prompts) yield this.#request('prompts/get', { name });
    for (const uri of URIS) yield this.#request('resources/read', { uri });
  }

  #request(method: string, params: object): Envelope {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const envelope = this.#envelopes.get(text) ?? readEnvelope(text);
    this.#envelopes.set(text, envelope);
    return envelope;
  }

  #letIn(plan: IncomingAuthPlan): Promise<readonly Admitted[]> {
    const key = canonicalJson(plan);
    const admitted = this.#admitted.get(key) ?? this.#authenticateAll(plan);
    this.#admitted.set(key, admitted);
    return admitted;
  }

  /** Whoever holds a certificate of an authority may be the provider: the network is tried with each. */
  async #authenticateAll(plan: IncomingAuthPlan): Promise<readonly Admitted[]> {
    const admitted: Admitted[] = [];
    for (const [authority, isInside] of PROVIDER_STATES) {
      this.#hosts.present(authority);
      this.#hosts.moveInside(isInside);
      const secrets = new Secrets({ log });
      const authenticator = createAuthenticator(plan, { secrets, log });
      const callers = [['nobody', undefined] as const, ...this.#tokens];
      const identities = await Promise.all(callers.map(([, token]) => identityOf(authenticator, token)));
      for (const [at, identity] of identities.entries()) {
        if (identity === undefined) continue;
        admitted.push({
          name: `${callers[at]?.[0]}, providers ${isInside ? 'inside, ' : ''}certified by ${authority.name}`,
          identity,
        });
      }
      await authenticator.close();
      secrets.close();
      // Without tokens there are no providers.
      if (plan.type !== 'oidc') break;
    }
    return admitted;
  }

  /** The headers that a backend gets. */
  #sentTo(plan: BackendPlan, passed: readonly string[], sender: Sender, caller: string): Promise<string> {
    const { auth, headers, name } = plan;
    const token = auth.type === 'token_exchange' ? caller : '';
    const key = canonicalJson({ auth, headers, passed, token, name });
    const sent = this.#sent.get(key) ?? headersSent(plan, passed, sender);
    this.#sent.set(key, sent);
    return sent;
  }
}

/** Undefined for a caller that is not let in. */
async function identityOf(authenticator: Authenticator, token: string | undefined): Promise<Identity | undefined> {
  const rawHeaders = token === undefined ? [] : ['Authorization', `Bearer ${token}`];
  try {
    return await authenticator.authenticate({ rawHeaders } as unknown as IncomingMessage);
  } catch (error) {
    if (error instanceof AuthenticationError) return undefined;
    throw error;
  }
}

function offerOf(backend: string) {
  const offer = OFFERS[backend];
  if (offer === undefined) throw new Error(`backend ${backend} is not in the world`);
  return offer as unknown as Parameters<typeof buildTable>[1][number]['capabilities'];
}

/** Undefined for what is refused. */
function found<T>(decide: () => T): T | undefined {
  try {
    return decide();
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** Who may answer in the name of a backend: by which authority its certificate may be, and where its name may lead. */
function peersOf({ addresses, caPem, url }: BackendPlan): readonly string[] {
  const places = [
    ['outside', '93.184.215.14'],
    ['inside', '10.0.0.7'],
    ['on this machine', '127.0.0.1'],
  ].flatMap(([place, address]) => (refusedAddress(address as string, addresses) === undefined ? [place] : []));
  const authorities = url.startsWith('http:')
    ? ['nobody']
    : AUTHORITIES.flatMap(({ name, ca }) => (name === 'usual' || caPem?.includes(ca.trim()) ? [name] : []));
  return places.flatMap(place => authorities.map(by => `peer ${place} certified by ${by}`));
}

/** What goes out with a request of a caller, or why nothing does. */
async function headersSent(plan: BackendPlan, passed: readonly string[], sender: Sender): Promise<string> {
  const opened = await openCredentials([plan], passed, log);
  const credentials = opened.get(plan.name);
  if (credentials === undefined) return '[]';
  try {
    return await new Promise<string>(resolve => {
      const wire = {
        dispatch: ({ headers }: SentRequest) => {
          resolve(JSON.stringify(headers));
          return true;
        },
      };
      const client = credentials.clientOf({ calls: wire, requests: wire } as unknown as HttpClient, () => sender);
      const { origin, pathname } = new URL(plan.url);
      client.calls.dispatch(
        { origin, path: pathname, method: 'POST', headers: [], body: '{}' },
        { onResponseError: (_controller, error) => resolve(`nothing: ${error.message}`) },
      );
    });
  } finally {
    await credentials.close();
  }
}
