/**
 * The real effect of a change of a bundle, computed with the code by which a gateway decides. It authenticates every token, makes every list,
 * finds the backend of every request, and adds the credential. Brute force: every caller, every item, in every state of the network, with
 * several sets of items that backends may offer.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { formatCanonicalJson, type GatewayBundle, type IncomingAuthPlan, MOUNT_ROOT } from '#schemas';
import type { Authorizer } from '../../../runtime/auth/authorization/authorizer.ts';
import type { Identity } from '../../../runtime/auth/identity.ts';
import { AuthenticationError, type Authenticator } from '../../../runtime/auth/incoming/authenticator.ts';
import { createAuthenticator } from '../../../runtime/auth/incoming/create-authenticator.ts';
import { Secrets } from '../../../runtime/auth/secrets.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { type Comparison, Findings } from './comparison.ts';
import { SECRET_KEY, SECRETS } from './design.ts';
import { SentHeaders } from './sent.ts';
import { type CallerClass, Side } from './side.ts';
import { AUTHORITIES, USUAL } from './world/authorities.ts';
import { opaqueToken, TOKEN_CLASSES, toClaims } from './world/callers.ts';
import { type Hosts, type ProviderState, startHosts } from './world/hosts.ts';
import { createVariant, listVariants } from './world/variants.ts';
import { listWorlds } from './world/worlds.ts';

/** The usual state of the providers: which authority certifies them, which addresses their names have, and where they publish their keys. */
const USUALLY: ProviderState = { authority: USUAL, addresses: 'usual', hasPlainKeys: false };
const PROVIDER_STATES: readonly ProviderState[] = [
  ...AUTHORITIES.map((authority): ProviderState => ({ ...USUALLY, authority })),
  { ...USUALLY, addresses: 'inside' },
  { ...USUALLY, addresses: 'outside' },
  { ...USUALLY, hasPlainKeys: true },
];

/** The maximum number of combinations of claims with which callers are tried if the policies of the two sides differ. */
const MAX_COMBINATIONS = 24;

/** How often providers are queried for which callers they accept. */
const MAX_ATTEMPTS = 20;

/** The number of tokens that are validated concurrently, because a provider must answer each of their requests in time. */
const MAX_TOKENS_AT_ONCE = 8;

const SECRET_FOLDER = `${MOUNT_ROOT}/secrets/`;

/** Authenticated callers, by name. */
type Admitted = ReadonlyMap<string, Identity>;

export interface CompareOptions {
  /** Whether to continue when the verdict is already neither wider nor narrower. By default false. */
  readonly isWhole?: boolean;
}

/** A gateway on its own simulated network. It caches results for parts that many bundles share. */
export class Oracle {
  readonly #hosts: Hosts;
  readonly #folder: string;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #admitted = new Map<string, Promise<Admitted>>();
  readonly #sent = new SentHeaders();
  #authorizers = new Map<string, Authorizer>();

  private constructor(hosts: Hosts, folder: string, tokens: ReadonlyMap<string, string>) {
    this.#hosts = hosts;
    this.#folder = folder;
    this.#tokens = tokens;
  }

  /** @param options `unanswered`: number of requests, from the first, that identity providers leave unanswered */
  static async start({ unanswered = 0 }: { readonly unanswered?: number } = {}): Promise<Oracle> {
    const opaque = new Map<string, Readonly<Record<string, unknown>>>();
    const hosts = await startHosts((host, token) => opaque.get(`${host} ${token}`), unanswered);
    const tokens = new Map<string, string>();
    for (const tokenClass of TOKEN_CLASSES) {
      const claims = toClaims(tokenClass);
      const { name, host } = tokenClass;
      const token = tokenClass.opaque ? opaqueToken(tokenClass) : await hosts.sign({ host, claims });
      if (tokenClass.opaque) opaque.set(`${host} ${token}`, claims);
      tokens.set(`a token of ${name}`, token);
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

  /**
   * Compares, for every caller, two bundles of the same gateway.
   *
   * @throws Error for a bundle that no gateway serves
   */
  async compare(
    before: GatewayBundle,
    after: GatewayBundle,
    { isWhole = false }: CompareOptions = {},
  ): Promise<Comparison> {
    const findings = new Findings();
    const bundles = [this.#mounted(before), this.#mounted(after)] as const;
    const plans = bundles.map(({ authorization }) => authorization);
    const looksAtArguments = JSON.stringify(plans).includes('arg_');
    const [ways, others] = bundles.map(({ backends, aggregation, workflows = [] }) =>
      formatCanonicalJson([backends, aggregation, workflows]),
    );
    const questions = { worlds: listWorlds(bundles, ways !== others), looksAtArguments };
    const isSamePolicies = formatCanonicalJson(plans[0]) === formatCanonicalJson(plans[1]);
    const hasSameRules =
      ways === others && isSamePolicies && `${bundles[0].passthroughHeaders}` === `${bundles[1].passthroughHeaders}`;
    const sideOf = (bundle: GatewayBundle) =>
      new Side(bundle, questions, this.#sent, () => this.#authorizerOf(bundle, plans));
    const [was, is] = [sideOf(bundles[0]), sideOf(bundles[1])];
    const isEnough = () => findings.isSettled && !isWhole;
    findings.compare('the gateway', await was.own(), await is.own());
    if (isEnough()) return findings;

    const callers = new Map<string, readonly [string, CallerClass, CallerClass]>();
    const add = (name: string, old: Identity, now: Identity) => {
      const classes = [was.classOf(old), is.classOf(now)] as const;
      // Where only authentication differs, a caller that both sides accept gets the same answers.
      if (hasSameRules && classes[0].key === classes[1].key) return;
      const key = classes.map(({ key }) => key).join(' ');
      if (!callers.has(key)) callers.set(key, [name, ...classes]);
    };
    const entries = bundles.map(({ incomingAuth }) => formatCanonicalJson(incomingAuth)) as [string, string];
    let base: readonly [Identity, Identity] | undefined;
    for (const state of PROVIDER_STATES) {
      // Both sides accept the same callers, so any of them can represent the others.
      if (entries[0] === entries[1] && base !== undefined) break;
      const [old, now] = [
        await this.#letIn(was.bundle.incomingAuth, entries[0], state),
        await this.#letIn(is.bundle.incomingAuth, entries[1], state),
      ];
      const who = (name: string) => `${name}, ${textOf(state)}`;
      for (const name of new Set([...old.keys(), ...now.keys()])) {
        const both = [old.get(name), now.get(name)] as const;
        const answers = (identity: Identity | undefined) => new Map(identity === undefined ? [] : [['gets in', 'yes']]);
        findings.compare(who(name), answers(both[0]), answers(both[1]));
        if (both[0] === undefined || both[1] === undefined) continue;
        add(who(name), both[0], both[1]);
        base ??= [both[0], both[1]];
      }
      if (isEnough()) return findings;
    }
    if (base !== undefined)
      for (const claims of listVariants(plans, isSamePolicies ? 0 : MAX_COMBINATIONS))
        add(`someone with ${JSON.stringify(claims)}`, createVariant(base[0], claims), createVariant(base[1], claims));

    for (const world of questions.worlds) {
      for (const [name, old, now] of callers.values()) {
        findings.compare(
          `${name}, where backends are ${world.name}`,
          await was.answersTo(old, world),
          await is.answersTo(now, world),
        );
        if (isEnough()) return findings;
      }
    }
    return findings;
  }

  /** The bundle with its secrets in a folder of the test. */
  #mounted(bundle: GatewayBundle): GatewayBundle {
    return JSON.parse(JSON.stringify(bundle).replaceAll(SECRET_FOLDER, `${this.#folder}/`));
  }

  /** The authorizer of a bundle. The previous one is reused if the policies are equal, as a gateway does when it swaps bundles. */
  #authorizerOf({ authorization }: GatewayBundle, kept: readonly GatewayBundle['authorization'][]): Authorizer {
    const key = formatCanonicalJson(authorization);
    const keys = new Set(kept.map(formatCanonicalJson));
    for (const known of this.#authorizers.keys()) if (!keys.has(known)) this.#authorizers.delete(known);
    const authorizer = this.#authorizers.get(key) ?? Side.authorizerOf(authorization);
    this.#authorizers.set(key, authorizer);
    return authorizer;
  }

  #letIn(plan: IncomingAuthPlan, text: string, state: ProviderState): Promise<Admitted> {
    // Without tokens there are no providers.
    const key = plan.type === 'oidc' ? `${textOf(state)} ${text}` : plan.type;
    const admitted = this.#admitted.get(key) ?? this.#authenticateAll(plan, state);
    this.#admitted.set(key, admitted);
    return admitted;
  }

  /** Authenticates all callers. A provider that does not answer in time on a busy machine does not refuse the caller, so it is queried again. */
  async #authenticateAll(plan: IncomingAuthPlan, state: ProviderState): Promise<Admitted> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      this.#hosts.present(state);
      const admitted = await this.#authenticateInTime(plan);
      if (admitted !== undefined) return admitted;
    }
    throw new Error(`identity providers did not answer in time in ${MAX_ATTEMPTS} attempts`);
  }

  /** Authenticates all callers once; undefined when a provider did not answer in time. */
  async #authenticateInTime(plan: IncomingAuthPlan): Promise<Admitted | undefined> {
    const { log, lines } = listeningLog('debug');
    const secrets = new Secrets({ log });
    const authenticator = createAuthenticator(plan, { secrets, log });
    const callers = [['nobody', undefined] as const, ...this.#tokens];
    const identities = await pLimit(MAX_TOKENS_AT_ONCE).map(callers, ([, token]) => identityOf(authenticator, token));
    await authenticator.close();
    secrets.close();
    if (lines.some(({ cause }) => /no complete answer within|TIMEOUT/.test(String(cause)))) return undefined;
    return new Map(
      callers.flatMap(([name], at) => {
        const identity = identities[at];
        return identity === undefined ? [] : [[name, identity] as const];
      }),
    );
  }
}

function textOf({ authority, addresses, hasPlainKeys }: ProviderState): string {
  const where = addresses === 'usual' ? '' : `${addresses}, `;
  return `providers ${where}${hasPlainKeys ? 'with keys by plain http, ' : ''}certified by ${authority.name}`;
}

/** The identity of the caller with a token; undefined for a caller that is refused. */
async function identityOf(authenticator: Authenticator, token: string | undefined): Promise<Identity | undefined> {
  const rawHeaders = token === undefined ? [] : ['Authorization', `Bearer ${token}`];
  try {
    return await authenticator.authenticate({ rawHeaders } as unknown as IncomingMessage);
  } catch (error) {
    if (error instanceof AuthenticationError) return undefined;
    throw error;
  }
}
