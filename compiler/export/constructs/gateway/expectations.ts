/** `expect`, from the annotation that constructs write. */
import { isObject } from '#schemas';
import type { CallerExpectation, ExpectedTool, TokenClaims } from '../../../cdk8s/gateway/expectations.ts';
import { type CallCode, type Code, call, method, plain } from '../../typescript/code.ts';
import { NotRepresentable } from '../not-representable.ts';
import { emitPlainValue } from '../plain-value.ts';
import { emitText, emitToolReference, type GatewayStatement, type ProgramNames } from './gateway-statement.ts';

interface Expectation {
  readonly caller: 'anonymous' | TokenClaims;
  readonly canCall?: readonly string[];
  readonly cannotReach?: readonly string[];
  readonly reaches?: number;
}

/**
 * @param getTool returns a tool or workflow by the name that clients see, or the name itself if it is ambiguous
 * @throws NotRepresentable for an annotation of another form
 */
export function emitExpectations(
  annotation: string,
  getTool: (name: string) => ExpectedTool,
): readonly GatewayStatement[] {
  const expectations = parseJson(annotation);
  if (!Array.isArray(expectations) || expectations.length === 0 || !expectations.every(isExpectation))
    throw new NotRepresentable('the annotation with the expectations does not contain a list of valid expectations.');
  return expectations.map((expectation: Expectation): GatewayStatement => {
    const [firstCan, ...moreCan] = (expectation.canCall ?? []).map(getTool);
    const [firstCannot, ...moreCannot] = (expectation.cannotReach ?? []).map(getTool);
    return {
      apply: draft => {
        const all = draft.expectations;
        const emitted: CallerExpectation =
          expectation.caller === 'anonymous' ? all.anonymous() : all.caller(expectation.caller);
        if (firstCan !== undefined) emitted.canCall(firstCan, ...moreCan);
        if (firstCannot !== undefined) emitted.cannotReach(firstCannot, ...moreCannot);
        if (expectation.reaches !== undefined) emitted.reaches(expectation.reaches);
      },
      code: words => {
        let emitted: CallCode =
          expectation.caller === 'anonymous'
            ? call('e.anonymous')
            : call('e.caller', emitPlainValue(expectation.caller));
        const tools = (all: readonly ExpectedTool[]) => all.map(tool => emitExpected(tool, words));
        if (firstCan !== undefined) emitted = method(emitted, 'canCall', ...tools([firstCan, ...moreCan]));
        if (firstCannot !== undefined) emitted = method(emitted, 'cannotReach', ...tools([firstCannot, ...moreCannot]));
        if (expectation.reaches !== undefined) emitted = method(emitted, 'reaches', plain(`${expectation.reaches}`));
        return call(`${words.gateway}.expect`, { type: 'arrow', parameter: 'e', result: emitted });
      },
      about: [],
    };
  });
}

function emitExpected(tool: ExpectedTool, words: ProgramNames): Code {
  if (typeof tool === 'string') return emitText(tool);
  return 'backend' in tool ? emitToolReference(tool, words) : plain(words.ownTool(tool.toolName));
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isExpectation(value: unknown): value is Expectation {
  if (!isObject(value)) return false;
  const { caller, canCall, cannotReach, reaches, ...others } = value;
  return (
    (caller === 'anonymous' || isObject(caller)) &&
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
