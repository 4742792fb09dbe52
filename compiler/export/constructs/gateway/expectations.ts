/** `expect`, from the annotation that a program of constructs leaves. */
import type { CallerExpectation, ExpectedTool, TokenClaims } from '../../../cdk8s/gateway/expectations.ts';
import { isMapping } from '../../../source/is-mapping.ts';
import { type CallCode, type Code, call, method, plain } from '../../typescript/code.ts';
import { valueCode } from '../plain-value.ts';
import { Unsayable } from '../unsayable.ts';
import { type Saying, text, toolCode, type Words } from './saying.ts';

interface Expectation {
  readonly caller: 'anonymous' | TokenClaims;
  readonly canCall?: readonly string[];
  readonly cannotReach?: readonly string[];
  readonly reaches?: number;
}

/**
 * @param toolOf a tool by the name that clients see, where that is certain
 * @throws Unsayable for an annotation of another form
 */
export function expectationSayings(
  annotation: string,
  toolOf: (name: string) => ExpectedTool,
  codeOf: (tool: ExpectedTool, words: Words) => Code,
): readonly Saying[] {
  const expectations = parsed(annotation);
  if (!Array.isArray(expectations) || expectations.length === 0 || !expectations.every(isExpectation))
    throw new Unsayable('what is expected of it has no usual form.');
  return expectations.map((one: Expectation): Saying => {
    const [firstCan, ...moreCan] = (one.canCall ?? []).map(toolOf);
    const [firstCannot, ...moreCannot] = (one.cannotReach ?? []).map(toolOf);
    return {
      tell: draft => {
        const all = draft.expectations;
        const said: CallerExpectation = one.caller === 'anonymous' ? all.anonymous() : all.caller(one.caller);
        if (firstCan !== undefined) said.canCall(firstCan, ...moreCan);
        if (firstCannot !== undefined) said.cannotReach(firstCannot, ...moreCannot);
        if (one.reaches !== undefined) said.reaches(one.reaches);
      },
      code: words => {
        let said: CallCode = one.caller === 'anonymous' ? call('e.anonymous') : call('e.caller', valueCode(one.caller));
        const tools = (all: readonly ExpectedTool[]) => all.map(tool => codeOf(tool, words));
        if (firstCan !== undefined) said = method(said, 'canCall', ...tools([firstCan, ...moreCan]));
        if (firstCannot !== undefined) said = method(said, 'cannotReach', ...tools([firstCannot, ...moreCannot]));
        if (one.reaches !== undefined) said = method(said, 'reaches', plain(`${one.reaches}`));
        return call(`${words.gateway}.expect`, { type: 'arrow', parameter: 'e', result: said });
      },
      about: [],
    };
  });
}

/** @param ownTool the const of a workflow */
export function expectedCode(tool: ExpectedTool, words: Words, ownTool: (name: string) => string | undefined): Code {
  if (typeof tool === 'string') return text(tool);
  if ('backend' in tool) return toolCode(tool, words);
  const constant = ownTool(tool.toolName);
  return constant === undefined ? text(tool.toolName) : plain(constant);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isExpectation(value: unknown): value is Expectation {
  if (!isMapping(value)) return false;
  const { caller, canCall, cannotReach, reaches, ...others } = value;
  return (
    (caller === 'anonymous' || isMapping(caller)) &&
    isNames(canCall) &&
    isNames(cannotReach) &&
    (reaches === undefined || typeof reaches === 'number') &&
    Object.keys(others).length === 0
  );
}

function isNames(value: unknown): boolean {
  return (
    value === undefined || (Array.isArray(value) && value.length > 0 && value.every(name => typeof name === 'string'))
  );
}
