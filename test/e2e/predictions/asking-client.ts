/** Makes the requests of one caller to a running gateway, in a session and without one, and classifies the responses. */

import { StatelessClient } from '../../runtime/workflows/stateless-client.ts';
import { RawClient } from '../../support/raw-client.ts';

/** How a gateway answered a request. */
export type Answer =
  | 'done'
  /** The item does not exist, or not for this caller. */
  | 'unknown'
  /** The caller may make the request with other arguments only. */
  | 'denied'
  /** The gateway refused the request before any policy, because parsers could read its arguments in different ways. */
  | 'ambiguous'
  | { readonly other: unknown };

export type Arguments = Readonly<Record<string, unknown>>;

interface Outcome {
  readonly result?: { readonly isError?: boolean; readonly resultType?: string; readonly content?: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

/** The items that a client lists, by name or URI. */
export interface Lists {
  readonly call_tool: ReadonlySet<string>;
  readonly get_prompt: ReadonlySet<string>;
  /** URIs of resources, and templates. */
  readonly read_resource: ReadonlySet<string>;
}

export type Action = keyof Lists;

const METHODS = { call_tool: 'tools/call', get_prompt: 'prompts/get', read_resource: 'resources/read' } as const;

export class AskingClient {
  readonly #session: RawClient;
  readonly #stateless: StatelessClient;
  readonly #hasOptimizer: boolean;

  private constructor(session: RawClient, stateless: StatelessClient, hasOptimizer: boolean) {
    this.#session = session;
    this.#stateless = stateless;
    this.#hasOptimizer = hasOptimizer;
  }

  /** Opens a session; undefined for a caller that the gateway does not admit. */
  static async open(url: string, token: string | undefined, hasOptimizer: boolean): Promise<AskingClient | undefined> {
    const session = new RawClient(url, token);
    const answer = await session.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'asking', version: '1' },
    });
    if (answer.status === 401) return undefined;
    if (answer.status !== 200) throw new Error(`initialize: ${answer.status} ${answer.text}`);
    await session.open();
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return new AskingClient(session, new StatelessClient(url, { elicitation: {} }, headers), hasOptimizer);
  }

  /** The lists, without the two tools of an optimizer, which lists no others. */
  async lists(): Promise<Lists> {
    const names = async (method: string, list: string, key: string) => {
      const { [list]: items } = await this.#session.result<{ [list: string]: { [key: string]: string }[] }>(method, {});
      return (items ?? []).map(item => item[key] as string);
    };
    const tools = await names('tools/list', 'tools', 'name');
    const resources = await names('resources/list', 'resources', 'uri');
    const templates = await names('resources/templates/list', 'resourceTemplates', 'uriTemplate');
    return {
      call_tool: new Set(tools.filter(name => !this.#hasOptimizer || !['find_tool', 'call_tool'].includes(name))),
      get_prompt: new Set(await names('prompts/list', 'prompts', 'name')),
      read_resource: new Set([...resources, ...templates]),
    };
  }

  /** @param args the arguments of the request; undefined for a request without arguments */
  async ask(action: Action, name: string, args: Arguments | undefined): Promise<Answer> {
    const params = paramsOf(action, name, args);
    const { text } = await this.#session.request(METHODS[action], this.#through(action, params));
    return readAnswer(JSON.parse(text) as Outcome);
  }

  /** Calls a tool without a session, by a client that answers the elicitations of workflows. */
  async call(name: string, args: Arguments | undefined): Promise<Answer> {
    const { name: called, arguments: given = {} } = this.#through('call_tool', paramsOf('call_tool', name, args));
    const first = await this.#stateless.call(called as string, given as object);
    if (first.result?.resultType !== 'input_required') return readAnswer(first as Outcome);
    const inputResponses = { ask: { action: 'accept', content: { go: true } } };
    const more = { requestState: first.result.requestState, inputResponses };
    return readAnswer((await this.#stateless.call(called as string, given as object, more)) as Outcome);
  }

  async close(): Promise<void> {
    await this.#session.end();
  }

  #through(action: Action, params: Arguments): Arguments {
    if (!this.#hasOptimizer || action !== 'call_tool') return params;
    const { name, arguments: parameters } = params;
    return { name: 'call_tool', arguments: { tool_name: name, ...(parameters === undefined ? {} : { parameters }) } };
  }
}

function paramsOf(action: Action, name: string, args: Arguments | undefined): Arguments {
  if (action === 'read_resource') return { uri: name };
  return { name, ...(args === undefined ? {} : { arguments: args }) };
}

function readAnswer({ result, error }: Outcome): Answer {
  if (result !== undefined) {
    if (result.isError !== true) return 'done';
    // The optimizer reports errors in results, because models read those.
    return JSON.stringify(result).includes('tool not found: ') ? 'unknown' : { other: result };
  }
  if (error === undefined) return { other: 'neither a result nor an error' };
  if (error.code === 403) return 'denied';
  if (error.code === -32002 || (error.code === -32602 && /^unknown (tool|prompt) /.test(error.message)))
    return 'unknown';
  if (error.code === -32602 && error.message.startsWith('params.arguments has ')) return 'ambiguous';
  return { other: error };
}
