/** Tools and people that answer what a script says. */
import type { RehearsalScript, RehearsedCall, RehearsedQuestion, ScriptedTool } from '#schemas';
import type { ElicitationAnswer, ToolResult } from '../gateway/workflow/index.ts';
import { contains } from './contains.ts';
import type { ActorCall, ActorQuestion, Actors } from './rehearse.ts';
import type { VirtualTime } from './virtual-time.ts';

export class ScriptedActors implements Actors {
  readonly calls: RehearsedCall[] = [];
  readonly questions: RehearsedQuestion[] = [];
  readonly #script: RehearsalScript;
  /** How many calls each of the tools has answered. */
  readonly #used: number[];

  constructor(script: RehearsalScript) {
    this.#script = script;
    this.#used = script.tools.map(() => 0);
  }

  async call(call: ActorCall, time: VirtualTime): Promise<ToolResult> {
    const { step, backend, tool, arguments: args } = call;
    const by = this.#script.tools.findIndex((one, index) => this.#fits(one, index, call));
    this.calls.push({ step, backend, tool, arguments: args, by: by === -1 ? 'none' : by });
    const scripted = this.#script.tools[by];
    if (scripted === undefined) throw new Error(`there is no answer of ${backend}.${tool}`);
    this.#used[by] = (this.#used[by] ?? 0) + 1;
    await wait(time, scripted.takesMs);
    return resultOf(scripted.answer);
  }

  async answer({ step, message, signal }: ActorQuestion, time: VirtualTime): Promise<ElicitationAnswer> {
    const person = this.#script.people[step];
    this.questions.push({ step, message, isAnswered: person !== undefined });
    if (person === undefined) throw new Error(`there is no answer to step "${step}"`);
    if (person.action === 'none') return never(signal);
    await wait(time, person.takesMs);
    const { action, content } = person;
    return content === undefined ? { action } : { action, content };
  }

  #fits({ backend, tool, arguments: wanted, times }: ScriptedTool, index: number, call: ActorCall): boolean {
    if (backend !== call.backend || tool !== call.tool) return false;
    if (times !== undefined && (this.#used[index] ?? 0) >= times) return false;
    return wanted === undefined || contains(call.arguments, wanted);
  }
}

function resultOf(answer: ScriptedTool['answer']): ToolResult {
  if ('callFailed' in answer) throw new Error(answer.callFailed);
  return answer.result;
}

async function wait(time: VirtualTime, milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise<void>(resolve => time.after(milliseconds, resolve));
}

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
