import type { RehearsalRequest, ScriptedResult, ScriptedTool } from '#schemas';
import { collect } from '../gateway/backends/collect.ts';
import type { Logger } from '../observe/log.ts';
import { describeFailure, openBackend, type QueriedBackend } from '../queried-backend.ts';
import type { ActorCall } from './rehearse.ts';

/** Calls real backends during a rehearsal; all runs share one session with each backend. */
export class LiveBackends {
  readonly #live: NonNullable<RehearsalRequest['live']>;
  readonly #log: Logger;
  readonly #open = new Map<string, Promise<QueriedBackend>>();
  #calls = 0;

  constructor(live: NonNullable<RehearsalRequest['live']>, log: Logger) {
    this.#live = live;
    this.#log = log;
  }

  /** @param key the key of the backend; undefined for a tool that the script does not permit to call. Then the result is undefined as well. */
  call(key: string | undefined, call: ActorCall): Promise<ScriptedTool['answer']> | undefined {
    const query = this.#live.backends.find(backend => backend.key === key);
    return query && this.#ask(query, call);
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    await Promise.all(
      opened.map(promiseSettledResult =>
        promiseSettledResult.status === 'fulfilled' ? promiseSettledResult.value.close() : undefined,
      ),
    );
  }

  async #ask(
    query: NonNullable<RehearsalRequest['live']>['backends'][number],
    { tool, arguments: args }: ActorCall,
  ): Promise<ScriptedTool['answer']> {
    let backend = this.#open.get(query.key);
    if (backend === undefined) {
      backend = openBackend(query, this.#live.denial, this.#log);
      this.#open.set(query.key, backend);
    }
    const late = AbortSignal.timeout(query.deadlineMs);
    try {
      const { session } = await backend;
      const method = 'tools/call';
      const id = JSON.stringify(`lintel-test-${++this.#calls}`);
      const params = JSON.stringify({ name: tool, arguments: args });
      const text = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
      const request = { text, id, method, name: tool };
      const result = await collect(query.key, request, { signal: late }, (sent, sink) => session.request(sent, sink));
      const { content, structuredContent, isError } = result as ScriptedResult;
      return { result: { content, structuredContent, isError } as ScriptedResult };
    } catch (error) {
      return {
        callFailed: late.aborted
          ? `did not finish within ${query.deadlineMs / 1000}s`
          : describeFailure(error, 'the call'),
      };
    }
  }
}
