/**
 * Makes random gateways, and asks for every caller, every name and many arguments whether the call is allowed: once the report, which sees only
 * the specs and the tool lock, and once the running gateway. The report must predict what the gateway does.
 */
import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type AccessAnswer,
  type Catalog,
  compile,
  createEvaluationContext,
  decideAccess,
  type Exposure,
  type GatewayModel,
  listReachedTools,
  readCatalog,
  readTexts,
  SourceText,
  type UnknownName,
  type Who,
} from '#compiler';
import { createRandom } from '../../compiler/diff-soundness/random.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../runtime/auth/incoming/scripted-provider.ts';
import { type Outcome, PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS, ready } from '../served.ts';
import { type Action, type Answer, type Arguments, AskingClient, type Lists } from './asking-client.ts';
import { CALLERS, type Claims } from './callers.ts';
import { anyDesign, anyOffer, audienceOf, type Design, NAMES, specsOf } from './designs.ts';
import { OfferedBackends } from './offered-backends.ts';

export interface WorldOptions {
  readonly seed: number;
  /** The number of gateways in the specs. */
  readonly gateways: number;
  /** Runs `lintel`. */
  lintel(args: readonly string[], folder: string): Promise<Outcome>;
  /** Whether backends offer other items when gateways are started than when these were built; the report then gets a new lock. */
  readonly isStale?: boolean;
}

/** The results of all comparisons. */
export interface Tally {
  /** The number of gateways that were built and compared. */
  gateways: number;
  /** The numbers of requests, by the gateway's answer. */
  readonly answers: { [answer: string]: number };
  /** The numbers of compared cells of the matrix, by their content. */
  readonly cells: { [cell: string]: number };
  /** Predictions of the report that the gateway contradicts. */
  readonly disagreements: string[];
}

const ARGUMENTS: readonly (Arguments | undefined)[] = [
  undefined,
  {},
  { q: 'ok then', n: 3 },
  { q: 'no', n: 50 },
  { q: 'a', n: -1, extra: null },
  { Q: 'ok' },
  { n: '11' },
  { n: 10.5, l: [1] },
  { o: {}, flag: true },
  { flag: 'x', N: 11 },
  JSON.parse('{"__proto__":1,"q":"ok"}'),
  { n: Number.MAX_SAFE_INTEGER + 1 },
];

const URIS = ['doc://a', 'doc://b/c', 'doc://z', 'doc://b/x/../a', 'doc://b/%63', 'doc:///a', 'nope://x'];

/** Names that no gateway has. */
const ELSEWHERE = ['find_tool', 'call_tool', 'constructor', 'ONE_GET', ''];

export async function judgeWorld(options: WorldOptions): Promise<Tally> {
  const tally: Tally = { gateways: 0, answers: {}, cells: {}, disagreements: [] };
  const random = createRandom(options.seed);
  const designs = Array.from({ length: options.gateways }, (_, at) => anyDesign(`g${at}`, random));
  const idp = await startScriptedProvider();
  try {
    await using backends = await OfferedBackends.start();
    for (const { name, backends: offers } of designs)
      for (const [backend, offer] of Object.entries(offers)) backends.offers.set(`${name}.${backend}`, offer);
    const text = specsOf(designs, {
      issuer: idp.issuer,
      url: (gateway, backend) => backends.url(`${gateway}.${backend}`),
    });
    await using folder = await temporaryFolder({
      'specs/all.yaml': text,
      ...Object.fromEntries(
        Object.entries(CALLERS).map(([name, claims]) => [`callers/${name}.json`, JSON.stringify(claims)]),
      ),
    });
    const lintel = (...args: readonly string[]) => options.lintel(args, folder.path);
    await expectCode(lintel('lock', 'specs'), [0]);
    // Some designs have errors: these gateways are not built.
    await expectCode(lintel('build', 'specs', '--out', 'out'), [0, 1]);
    let lock = 'lintel.lock.json';
    if (options.isStale === true) {
      for (const key of backends.offers.keys()) if (random.chance(0.7)) backends.offers.set(key, anyOffer(random));
      const found = await lintel('lock', 'specs', '--check');
      lock = 'fresh.json';
      await expectCode(lintel('lock', 'specs', '--out', lock), [0]);
      const isChanged =
        (await readFile(folder.file('lintel.lock.json'), 'utf8')) !== (await readFile(folder.file(lock), 'utf8'));
      if (isChanged !== (found.code === 1)) tally.disagreements.push(`lock --check: exit code ${found.code}`);
    }
    const reports = await readReports(lock, lintel);
    const built = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as { bundles: { name: string }[] };
    for (const design of designs) {
      if (!built.bundles.some(({ name }) => name === design.name)) continue;
      const models = modelsOf(text, await readFile(folder.file(lock), 'utf8'), design);
      // With the items that a backend offers now, the specs may have an error that they did not have before.
      if (models === undefined) continue;
      tally.gateways += 1;
      await using runtime = start(PROGRAM.runtime, ['--bundle', 'out', '--gateway', design.name, ...FREE_PORTS], {
        cwd: folder.path,
      });
      const announced = await runtime.announcement<Announcement>();
      await ready(announced);
      const can = (...args: readonly string[]) =>
        lintel('can', ...args, '--gateway', design.name, '--catalog', lock, '--format', 'json', 'specs');
      const judge = new Judge(design, announced.url, idp, backends, reports, models, tally, can);
      await judge.askAll(options.seed);
    }
  } finally {
    await idp.close();
  }
  return tally;
}

async function expectCode(running: Promise<Outcome>, codes: readonly number[]): Promise<Outcome> {
  const outcome = await running;
  if (!codes.includes(outcome.code ?? -1)) throw new Error(`exit code ${outcome.code}: ${outcome.stderr}`);
  return outcome;
}

interface Reports {
  readonly matrices: readonly MatrixOfGateway[];
  readonly exposures: readonly Exposure[];
}

interface MatrixOfGateway {
  readonly name: string;
  readonly items: readonly {
    readonly type: 'tool' | 'prompt' | 'resource' | 'resourceTemplate';
    readonly name: string;
    readonly access: { readonly [caller: string]: 'yes' | 'no' | 'arguments' };
  }[];
}

async function readReports(lock: string, lintel: (...args: readonly string[]) => Promise<Outcome>): Promise<Reports> {
  const catalog = ['--catalog', lock, 'specs', '--format', 'json'];
  const matrix = await expectCode(lintel('matrix', '--as', 'callers', ...catalog), [0, 3]);
  const exposure = await expectCode(lintel('exposure', ...catalog), [0, 1, 3]);
  return {
    matrices: (JSON.parse(matrix.stdout) as { gateways: MatrixOfGateway[] }).gateways,
    exposures: (JSON.parse(exposure.stdout) as { gateways: Exposure[] }).gateways,
  };
}

/** A gateway as the report sees it with the whole lock, with a part of the lock, and without a lock. */
interface Models {
  readonly whole: GatewayModel;
  readonly lessKnown: readonly GatewayModel[];
}

function modelsOf(text: string, lock: string, { name, backends }: Design): Models | undefined {
  const { catalog } = readCatalog(new SourceText('lintel.lock.json', lock));
  const [first = ''] = Object.keys(backends);
  const without: Catalog = {
    ...catalog,
    backend: key => (key.endsWith(`/${name}/${first}`) ? undefined : catalog.backend(key)),
  };
  const [whole, ...lessKnown] = [catalog, without, undefined].map(known => {
    const { gateways } = compile(readTexts([new SourceText('all.yaml', text)]), {
      purpose: 'language',
      origin: { compilerVersion: '0.0.0', sourceRevision: null },
      catalog: known,
    });
    return gateways.find(({ object }) => object.name === name)?.model() ?? undefined;
  });
  return whole === undefined ? undefined : { whole, lessKnown: lessKnown.filter(model => model !== undefined) };
}

const TYPES = {
  tool: 'call_tool',
  prompt: 'get_prompt',
  resource: 'read_resource',
  resourceTemplate: 'read_resource',
} as const;

class Judge {
  readonly #design: Design;
  readonly #url: string;
  readonly #idp: ScriptedProvider;
  readonly #backends: OfferedBackends;
  readonly #matrix: MatrixOfGateway | undefined;
  readonly #exposure: Exposure | undefined;
  readonly #models: Models;
  readonly #tally: Tally;
  readonly #can: (...args: readonly string[]) => Promise<Outcome>;
  readonly #context = createEvaluationContext();
  #asked = 0;

  constructor(
    design: Design,
    url: string,
    idp: ScriptedProvider,
    backends: OfferedBackends,
    { matrices, exposures }: Reports,
    models: Models,
    tally: Tally,
    can: (...args: readonly string[]) => Promise<Outcome>,
  ) {
    this.#design = design;
    this.#url = url;
    this.#idp = idp;
    this.#backends = backends;
    this.#matrix = matrices.find(({ name }) => name === design.name);
    this.#exposure = exposures.find(({ name }) => name === design.name);
    this.#models = models;
    this.#tally = tally;
    this.#can = can;
  }

  async askAll(seed: number): Promise<void> {
    if (this.#matrix === undefined || this.#exposure === undefined) {
      this.#complain('', 'the report lacks a gateway that is served');
      return;
    }
    const callers = this.#design.isAnonymous ? { ann: CALLERS.ann as Claims } : CALLERS;
    for (const [caller, claims] of Object.entries(callers)) await this.#askAs(caller, claims);
    await this.#askCommand(seed);
    await this.#askBySdk();
  }

  async #askAs(caller: string, claims: Claims): Promise<void> {
    const client = await AskingClient.open(this.#url, await this.#tokenOf(claims), this.#design.hasOptimizer);
    const lists = await client?.lists();
    this.#compareMatrix(caller, lists);
    if (client === undefined || lists === undefined) return;
    this.#compareWho(caller, lists);
    const { tools = [], composites = [] } = this.#exposure ?? {};
    const names = new Set([
      ...NAMES,
      ...ELSEWHERE,
      ...[...tools, ...composites].map(({ name }) => name),
      ...lists.call_tool,
    ]);
    const reached = new Set<string>();
    const rows = new Set((this.#matrix?.items ?? []).map(({ name }) => name));
    for (const name of names) {
      // For a name that is not in the report, one call by each kind of client is enough.
      for (const [at, args] of (rows.has(name) ? ARGUMENTS : ARGUMENTS.slice(1, 3)).entries()) {
        // Only a client with the capability for elicitation can answer that of this workflow.
        const isSession = at % 2 === 0 && !(name === 'sure' && lists.call_tool.has('sure'));
        this.#backends.forget();
        const answer = isSession ? await client.ask('call_tool', name, args) : await client.call(name, args);
        const question = { action: 'call_tool', name, args: isSession ? args : (args ?? {}), claims } as const;
        this.#compare(caller, question, lists, answer);
        this.#compareReached(caller, name, answer);
        for (const one of this.#backends.reached) reached.add(`${one.backend} ${one.name}`);
      }
    }
    this.#compareWays(caller, claims, reached);
    for (const name of new Set([...lists.get_prompt, 'ask', 'get', 'one_ask', 'one_get', 'two_ask'])) {
      for (const args of [undefined, { q: 'ok then' }, { q: 'no' }, { Q: 'ok' }]) {
        this.#compare(
          caller,
          { action: 'get_prompt', name, args, claims },
          lists,
          await client.ask('get_prompt', name, args),
        );
      }
    }
    for (const name of URIS) {
      const answer = await client.ask('read_resource', name, undefined);
      this.#compare(caller, { action: 'read_resource', name, args: undefined, claims }, lists, answer);
    }
    await client.close();
  }

  #tokenOf(claims: Claims): Promise<string> | undefined {
    return this.#design.isAnonymous ? undefined : this.#idp.sign({ aud: audienceOf(this.#design), ...claims });
  }

  /** Compares the cells of the matrix with the caller's lists, which are undefined for a caller that the gateway does not admit. */
  #compareMatrix(caller: string, lists: Lists | undefined): void {
    const { items = [] } = this.#matrix ?? {};
    for (const { type, name, access } of items) {
      const cell = access[caller] ?? 'missing';
      this.#tally.cells[cell] = (this.#tally.cells[cell] ?? 0) + 1;
      if (type === 'tool' && this.#design.hasOptimizer) continue;
      const isListed = lists?.[TYPES[type]].has(name) ?? false;
      if (isListed !== (cell !== 'no'))
        this.#complain(caller, `the matrix says ${cell} of ${type} ${name}`, `listed: ${isListed}`);
    }
    for (const [action, names] of Object.entries(lists ?? {})) {
      const known = new Set(items.filter(({ type }) => TYPES[type] === action).map(({ name }) => name));
      for (const name of names as Lists[Action])
        if (!known.has(name)) this.#complain(caller, 'the matrix has no row', name);
    }
  }

  #compareWho(caller: string, lists: Lists): void {
    const { tools = [], composites = [], prompts = [], resources = [], resourceTemplates = [] } = this.#exposure ?? {};
    const shown = tools.filter(({ visibility }) => visibility === 'advertised');
    // The exposure also shows a workflow whose step calls a missing tool; the gateway does not serve it.
    const served = composites.filter(({ calls }) => calls.every(({ tool }) => tool !== null));
    const of = (action: Action, items: readonly { readonly direct: Who; readonly name: string }[]) => {
      if (action === 'call_tool' && this.#design.hasOptimizer) return;
      for (const { name, direct } of items) {
        const isListed = lists[action].has(name);
        if (
          (direct.type === 'everyone' && !isListed) ||
          (direct.type === 'nobody' && isListed) ||
          direct.type === 'unknown'
        )
          this.#complain(caller, `the exposure says ${direct.type} of ${name}`, `listed: ${isListed}`);
      }
    };
    of('call_tool', [...shown, ...served]);
    of('get_prompt', prompts);
    of(
      'read_resource',
      [...resources, ...resourceTemplates].map(({ uri, direct }) => ({ name: uri, direct })),
    );
  }

  #compare(
    caller: string,
    question: {
      readonly action: Action;
      readonly name: string;
      readonly args: Arguments | undefined;
      readonly claims: Claims;
    },
    lists: Lists,
    answer: Answer,
  ): void {
    const key = typeof answer === 'string' ? answer : 'other';
    this.#tally.answers[key] = (this.#tally.answers[key] ?? 0) + 1;
    const about = `${question.action} ${JSON.stringify(question.name)} ${JSON.stringify(question.args) ?? ''}`;
    const did = typeof answer === 'string' ? answer : JSON.stringify(answer);
    if (typeof answer !== 'string') this.#complain(caller, about, `the gateway answers ${did}`);
    const said = decideAccess(this.#models.whole, question, this.#context);
    if (!this.#fits(said, question, lists, answer))
      this.#complain(caller, about, `said: ${saidBy(said)}; done: ${did}`);
    if (said.decision === 'undecided') this.#complain(caller, about, `undecided with a whole lock: ${saidBy(said)}`);
    const cell = this.#matrix?.items.find(
      ({ type, name }) => TYPES[type] === question.action && name === question.name,
    );
    if (cell !== undefined && Object.keys(question.args ?? {}).length === 0) {
      const isYes = cell.access[caller] === 'yes';
      if (isYes !== (answer === 'done') && cell.type !== 'resourceTemplate')
        this.#complain(caller, about, `the matrix says ${cell.access[caller]}; done: ${did}`);
    }
    for (const [at, model] of this.#models.lessKnown.entries()) {
      // Without the whole lock a tool may have any definition, and a decision then takes long, so only every fourth is made.
      if (this.#asked++ % 4 !== 0) continue;
      const guess = decideAccess(model, question, this.#context);
      if (guess.decision === 'undecided' || this.#isWithheld(question.name)) continue;
      if (this.#fits(guess, question, lists, answer)) continue;
      this.#complain(
        caller,
        about,
        `said ${at === 0 ? 'with a part of the lock' : 'without a lock'}: ${saidBy(guess)}; done: ${did}`,
      );
    }
  }

  /** Whether a step of the workflow calls a tool that does not exist, which only the whole lock shows. */
  #isWithheld(name: string): boolean {
    return (
      this.#exposure?.composites.some(one => one.name === name && one.calls.some(({ tool }) => tool === null)) ?? false
    );
  }

  #fits(
    said: AccessAnswer | UnknownName,
    { action, name }: { action: Action; name: string },
    lists: Lists,
    answer: Answer,
  ): boolean {
    if (said.decision === 'no-such-name') return answer === 'unknown';
    if (said.decision === 'allowed' && answer !== 'done') return false;
    if (said.decision === 'denied' && answer === 'done') return false;
    const isAsked = action === 'call_tool' && this.#design.hasOptimizer;
    return said.listed === null || isAsked || said.listed === lists[action].has(name);
  }

  /** Expects that exactly those backends were called that the exposure names for the tool, or for the workflow's steps. */
  #compareReached(caller: string, name: string, answer: Answer): void {
    const { tools = [], composites = [] } = this.#exposure ?? {};
    const tool = tools.find(one => one.name === name && one.visibility === 'advertised');
    const workflow = composites.find(one => one.name === name);
    const called =
      tool === undefined ? (workflow?.calls ?? []).map(call => tools.find(one => one.name === call.tool)) : [tool];
    const expected = answer !== 'done' ? [] : called.map(one => `${one?.backend} ${one?.originalName}`);
    const reached = this.#backends.reached.map(one => `${one.backend.slice(this.#design.name.length + 1)} ${one.name}`);
    if (JSON.stringify(reached) !== JSON.stringify(expected))
      this.#complain(
        caller,
        `call of ${JSON.stringify(name)}`,
        `expected at backends: ${expected.join(', ')}; reached: ${reached.join(', ')}`,
      );
  }

  /** Expects that each tool that was reached is one that callers may reach according to the report, with any part of the lock. */
  #compareWays(caller: string, claims: Claims, reached: ReadonlySet<string>): void {
    const { tools = [] } = this.#exposure ?? {};
    for (const model of [this.#models.whole, ...this.#models.lessKnown]) {
      const said = listReachedTools(model, claims, this.#context);
      for (const { name, backend, originalName, reach } of tools) {
        if (!reached.has(`${this.#design.name}.${backend} ${originalName}`)) continue;
        if (reach.type === 'nobody') this.#complain(caller, `nobody reaches ${name}`, 'it was reached');
        if (said?.ways.has(name) !== true && said?.mayReach(name) !== true)
          this.#complain(caller, `cannot reach ${name}`, 'it was reached');
      }
    }
  }

  /** Runs `lintel can` for a few calls. It must give the same answer as the analysis in this process. */
  async #askCommand(seed: number): Promise<void> {
    const random = createRandom(seed);
    const { items = [] } = this.#matrix ?? {};
    const tools = items.filter(({ type }) => type === 'tool').map(({ name }) => name);
    if (tools.length === 0) return;
    for (let asked = 0; asked < 2; asked++) {
      const [caller, name, args = {}] = [random.pick(Object.keys(CALLERS)), random.pick(tools), random.pick(ARGUMENTS)];
      const { code } = await this.#can('call', name, '--as', `callers/${caller}.json`, '--args', JSON.stringify(args));
      const said = decideAccess(
        this.#models.whole,
        { action: 'call_tool', name, args, claims: CALLERS[caller] },
        this.#context,
      );
      const expected = { allowed: 0, denied: 1, undecided: 3, 'no-such-name': 2 }[said.decision];
      if (code !== expected) this.#complain(caller, `can call ${name}`, `exit code ${code}, and not ${expected}`);
    }
  }

  /** Compares the matrix with what a client of the official SDK lists, which does not share Lintel's code for the protocol. */
  async #askBySdk(): Promise<void> {
    const token = await this.#tokenOf(CALLERS.ann as Claims);
    const requestInit = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
    const client = new Client({ name: 'sdk', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(this.#url), { requestInit }) as never);
    const listed = (await client.listTools()).tools.map(({ name }) => name).toSorted();
    const rows = (this.#matrix?.items ?? []).filter(({ type, access }) => type === 'tool' && access.ann !== 'no');
    const expected = this.#design.hasOptimizer ? ['call_tool', 'find_tool'] : rows.map(({ name }) => name).toSorted();
    if (JSON.stringify(listed) !== JSON.stringify(expected))
      this.#complain('ann', `the matrix lists ${expected.join(', ')}`, `the SDK lists ${listed.join(', ')}`);
    for (const name of listed.slice(0, this.#design.hasOptimizer ? 0 : 3)) {
      const answer = await client.callTool({ name, arguments: {} }).then(
        ({ isError }) => isError !== true,
        () => false,
      );
      const cell = rows.find(row => row.name === name)?.access.ann;
      if (answer !== (cell === 'yes') && name !== 'sure')
        this.#complain('ann', `the matrix says ${cell} of ${name}`, `by the SDK: ${answer}`);
    }
    await client.close();
  }

  #complain(caller: string, ...what: readonly string[]): void {
    this.#tally.disagreements.push([this.#design.name, caller, ...what].join(' | '));
  }
}

function saidBy(answer: AccessAnswer | UnknownName): string {
  return answer.decision === 'no-such-name'
    ? 'no such name'
    : `${answer.decision} (${JSON.stringify(answer.reason)}), listed: ${answer.listed}`;
}
