/** Tools and persons that answer as a script says. */
import type { RehearsalScript, RehearsedCall, RehearsedElicitation, ScriptedTool } from '#schemas';
import type { AbortSource } from '#shared/util';
import type { ElicitationResult, ToolResult } from '../gateway/workflow/engine/index.ts';
import { contains } from './contains.ts';
import type { ActorCall, ActorElicitation, Actors } from './rehearse.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Calls a tool of a real backend; undefined for a tool that the script does not permit to call. */
export type LiveCall = (call: ActorCall) => Promise<ScriptedTool['answer']> | undefined;

type Writable<T> = { -readonly [M in keyof T]: T[M] };

export class ScriptedActors implements Actors {
  readonly calls: Writable<RehearsedCall>[] = [];
  readonly questions: RehearsedElicitation[] = [];
  readonly #script: RehearsalScript;
  readonly #live: LiveCall;
  /** How many calls each scripted tool has answered. */
  readonly #used: number[];

  constructor(script: RehearsalScript, live: LiveCall = () => undefined) {
    this.#script = script;
    this.#live = live;
    this.#used = script.tools.map(() => 0);
  }

  async call(call: ActorCall, time: VirtualTime): Promise<ToolResult> {
    const { step, backend, tool, arguments: args } = call;
    const by = this.#script.tools.findIndex((entry, index) => this.#fits(entry, index, call));
    const made: Writable<RehearsedCall> = { step, backend, tool, arguments: args, by: by === -1 ? 'none' : by };
    this.calls.push(made);
    const scripted = this.#script.tools[by];
    if (scripted !== undefined) {
      this.#used[by] = (this.#used[by] ?? 0) + 1;
      await wait(time, scripted.takesMs);
      return readResult(scripted.answer);
    }
    const asked = this.#live(call);
    if (asked === undefined) throw new Error(`the script has no answer of ${backend}.${tool}`);
    made.by = 'live';
    const answer = await time.still(() => asked);
    made.live = answer;
    return readResult(answer);
  }

  async answer({ step, message, signal }: ActorElicitation, time: VirtualTime): Promise<ElicitationResult> {
    const person = this.#script.people[step];
    this.questions.push({ step, message, isAnswered: person !== undefined });
    if (person === undefined) throw new Error(`the script has no answer to step "${step}"`);
    if (person.action === 'none') return waitForAbort(signal);
    await wait(time, person.takesMs);
    const { action, content } = person;
    return content === undefined ? { action } : { action, content };
  }

  #fits({ backend, tool, arguments: expectedArguments, times }: ScriptedTool, index: number, call: ActorCall): boolean {
    if (backend !== call.backend || tool !== call.tool) return false;
    if (times !== undefined && (this.#used[index] ?? 0) >= times) return false;
    return expectedArguments === undefined || contains(call.arguments, expectedArguments);
  }
}

function readResult(answer: ScriptedTool['answer']): ToolResult {
  if ('callFailed' in answer) throw new Error(answer.callFailed);
  return answer.result;
}

async function wait(time: VirtualTime, milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise<void>(resolve => time.after(milliseconds, resolve));
}

function waitForAbort(signal: AbortSource): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', { handleEvent: () => reject(signal.reason) }));
}
