/** The three servers behind the gateway of `examples/ci`, as they were when its tool lock was written. */

import { offering } from '../../e2e/lock/peers.ts';
import { type RawServer, startRawServer } from '../../support/raw-server.ts';

const READ = { annotations: { readOnlyHint: true } };

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

const tool = (name: string, description: string, parameter: string, rest: object = {}): Tool => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
  ...rest,
});

const OFFERED: Readonly<Record<string, readonly Tool[]>> = {
  docs: [
    tool('search', 'Finds pages.', 'words', READ),
    tool('read', 'Gives a page.', 'page', READ),
    tool('write', 'Replaces a page.', 'page'),
  ],
  issues: [
    tool('search', 'Finds issues.', 'words', READ),
    tool('show', 'Gives an issue.', 'number', READ),
    tool('close', 'Closes an issue.', 'number'),
  ],
  metrics: [tool('query', 'Gives a series.', 'expression', READ), tool('delete', 'Deletes a series.', 'expression')],
};

/** The servers, which listen on free ports of this machine until they are disposed of. */
export class Backends implements AsyncDisposable {
  readonly #servers: ReadonlyMap<string, RawServer>;
  readonly #changed = new Map<string, readonly Tool[]>();

  static async start(): Promise<Backends> {
    const backends: Backends = new Backends(
      new Map(
        await Promise.all(
          Object.entries(OFFERED).map(
            async ([name, tools]) =>
              [name, await startRawServer(offering(() => backends.#changed.get(name) ?? tools))] as const,
          ),
        ),
      ),
    );
    return backends;
  }

  private constructor(servers: ReadonlyMap<string, RawServer>) {
    this.#servers = servers;
  }

  /** The servers' URLs, by the name of the backend. */
  get urls(): readonly (readonly [name: string, url: string])[] {
    return [...this.#servers].map(([name, { origin }]) => [name, `${origin}/mcp`] as const);
  }

  /** Gives a tool another description from now on, as on a compromised server. */
  redescribe(backend: string, name: string, description: string): void {
    const tools = OFFERED[backend] ?? [];
    this.#changed.set(
      backend,
      tools.map(tool => (tool.name === name ? { ...tool, description } : tool)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#servers.values()].map(server => server.close()));
  }
}
