/** Applies one bundle with the gateway's own code: computes what a gateway answers to a caller, with given offers of the backends. */

import { createLogger } from '#runtime';
import { type BackendPlan, formatCanonicalJson, type GatewayBundle } from '#schemas';
import { NEVER_SUPERSEDED } from '../../../runtime/auth/auth-generation.ts';
import type { Authorizer } from '../../../runtime/auth/authorization/authorizer.ts';
import { createAuthorizer } from '../../../runtime/auth/authorization/create-authorizer.ts';
import type { Identity } from '../../../runtime/auth/identity.ts';
import { GATEWAY_SENDER, type Sender, selectForwardedHeaders } from '../../../runtime/gateway/backends/sender.ts';
import type { Gateway } from '../../../runtime/gateway/gateway.ts';
import { KINDS } from '../../../runtime/gateway/offers/offered-items.ts';
import { buildTable, type ItemTable } from '../../../runtime/gateway/routing/table.ts';
import {
  findWorkflow,
  type RequestTarget,
  readTarget,
  resolveDestination,
} from '../../../runtime/gateway/routing/targets.ts';
import { getVisibleList } from '../../../runtime/gateway/routing/visible-lists.ts';
import type { Envelope } from '../../../runtime/mcp/envelope.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import type { Answers } from './comparison.ts';
import { listPeers, type SentHeaders } from './sent.ts';
import { CALLER_HEADERS } from './world/callers.ts';
import { ARGUMENTS, URIS } from './world/offers.ts';
import type { World } from './world/worlds.ts';

const log = createLogger('silent');

/** The requests that both sides get. */
export interface Questions {
  readonly worlds: readonly World[];
  /** A policy of either side reads arguments. */
  readonly looksAtArguments: boolean;
}

/** Callers that the policies do not distinguish. */
export interface CallerClass {
  readonly key: string;
  readonly identity: Identity;
}

export class Side {
  readonly bundle: GatewayBundle;
  readonly #questions: Questions;
  readonly #sent: SentHeaders;
  readonly #authorizer: () => Authorizer;
  #rules: string | undefined;
  readonly #tables = new Map<World, Asked>();
  readonly #answers = new Map<string, Promise<Answers>>();

  /** @param authorizer created on demand, because it is the most expensive part */
  constructor(bundle: GatewayBundle, questions: Questions, sent: SentHeaders, authorizer: () => Authorizer) {
    this.bundle = bundle;
    this.#questions = questions;
    this.#sent = sent;
    this.#authorizer = authorizer;
  }

  static authorizerOf(authorization: GatewayBundle['authorization']): Authorizer {
    return createAuthorizer(authorization, log);
  }

  /** The requests that the gateway itself sends to backends for discovery. */
  async own(): Promise<Answers> {
    const answers = new Map<string, string>();
    for (const plan of this.bundle.backends) {
      const sent = await this.#sent.of(plan, this.bundle.passthroughHeaders, GATEWAY_SENDER);
      const where = `${plan.url} (${plan.transport}) with ${sent}`;
      for (const peer of listPeers(plan)) answers.set(`asks ${plan.name}, ${peer}`, where);
    }
    return answers;
  }

  /** The class of a caller, by the properties that policies read. */
  classOf(identity: Identity): CallerClass {
    const { authorization } = this.bundle;
    const { caller } = identity;
    const hasToken = typeof caller?.token === 'string';
    if (caller === undefined || authorization.engine === 'none') return { key: String(hasToken), identity };
    const claims = Object.entries(caller.claims).filter(([name]) => this.#isRead(name));
    return { key: formatCanonicalJson([hasToken, caller.subject, Object.fromEntries(claims)]), identity };
  }

  #isRead(claim: string): boolean {
    this.#rules ??= JSON.stringify(this.bundle.authorization);
    return this.#rules.includes(claim);
  }

  answersTo({ key, identity }: CallerClass, world: World): Promise<Answers> {
    const name = `${world.name} ${key}`;
    const answers = this.#answers.get(name) ?? this.#ask(identity, world);
    this.#answers.set(name, answers);
    return answers;
  }

  async #ask(identity: Identity, world: World): Promise<Answers> {
    const { bundle } = this;
    const { table, requests } = this.#tableOf(world);
    const access = this.#authorizer().getAccess(identity);
    // Everything in a gateway that decides, without its connections.
    const gateway = {
      bundle,
      connections: new Map(bundle.backends.map(({ name }) => [name, { name, monitor: { available: true } }])),
      getTable: () => table,
      getAccess: () => access,
      silentHolder: () => undefined,
      log,
      denials: { call_tool: 0, get_prompt: 0, read_resource: 0 },
    } as unknown as Gateway;
    const passed = selectForwardedHeaders(bundle.passthroughHeaders, CALLER_HEADERS);
    const sender: Sender = { identity, passed, rules: NEVER_SUPERSEDED };
    const plans = new Map<string, { readonly plan: BackendPlan; readonly where: string }>();
    for (const plan of bundle.backends) {
      const sent = await this.#sent.of(plan, bundle.passthroughHeaders, sender);
      plans.set(plan.name, { plan, where: `${plan.url} (${plan.transport}) with ${sent}` });
    }
    const answers = new Map<string, string>();
    for (const { kind, listMethod } of KINDS) {
      const { items } = await getVisibleList(table, kind, access);
      for (const { key, json } of items) answers.set(`${listMethod} shows ${key}`, json);
    }
    // Such a backend offers different items to different callers, so each caller discovers it.
    for (const { plan, where } of plans.values())
      if (plan.auth.type === 'token_exchange')
        for (const peer of listPeers(plan)) answers.set(`asks ${plan.name} for the caller, ${peer}`, where);
    const limit = Error.stackTraceLimit;
    // Most requests are refused by errors whose stacks are never read.
    Error.stackTraceLimit = 0;
    for (const { envelope, target, what } of requests) {
      const workflow = found(() => findWorkflow(gateway, target, envelope, sender));
      if (workflow !== undefined) {
        // The plan of the tool without its name and timeout.
        const { name: _, timeoutMs: __, ...does } = workflow.plan;
        answers.set(`${what} runs`, formatCanonicalJson(does));
        for (const backend of workflow.backends) {
          const { plan, where } = plans.get(backend) as { plan: BackendPlan; where: string };
          for (const peer of listPeers(plan)) answers.set(`${what} calls ${backend}, ${peer}`, where);
        }
        continue;
      }
      const destination = found(() => resolveDestination(gateway, target, envelope, sender));
      if (destination === undefined) continue;
      const { plan, where } = plans.get(destination.connection.name) as { plan: BackendPlan; where: string };
      for (const peer of listPeers(plan)) answers.set(`${what}, ${peer}`, `${destination.originalName} at ${where}`);
    }
    Error.stackTraceLimit = limit;
    return answers;
  }

  #tableOf(world: World): Asked {
    const known = this.#tables.get(world);
    if (known !== undefined) return known;
    const table = buildTable(
      this.bundle,
      this.bundle.backends.map(plan => ({
        plan,
        items: world.offers.get(plan.name) as unknown as Offered,
        available: true,
      })),
    );
    const asked = { table, requests: [...this.#requests(table)] };
    this.#tables.set(world, asked);
    return asked;
  }

  *#requests({ tools, prompts }: ItemTable): Iterable<Request> {
    const all = this.#questions.looksAtArguments ? ARGUMENTS : ARGUMENTS.slice(0, 1);
    for (const name of tools.keys()) for (const args of all) yield request('tools/call', { name, arguments: args });
    for (const name of prompts.keys()) yield request('prompts/get', { name });
    for (const uri of URIS) yield request('resources/read', { uri });
  }
}

type Offered = Parameters<typeof buildTable>[1][number]['items'];

interface Asked {
  readonly table: ItemTable;
  readonly requests: readonly Request[];
}

interface Request {
  readonly envelope: Envelope;
  readonly target: RequestTarget;
  /** For developers. */
  readonly what: string;
}

const requests = new Map<string, Request>();

function request(method: string, params: object): Request {
  const what = `${method} ${JSON.stringify(params)}`;
  let known = requests.get(what);
  if (known === undefined) {
    const envelope = readEnvelope(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    known = { envelope, target: readTarget(envelope), what };
    requests.set(what, known);
  }
  return known;
}

/** Undefined for a refused request. */
function found<T>(decide: () => T): T | undefined {
  try {
    return decide();
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}
