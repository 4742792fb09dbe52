/** What a gateway is expected to allow and refuse. It is written next to the gateway's spec and checked at each compilation. */
import { isObject } from '#schemas';
import type { Claims } from './admission.ts';

/** The expectation for callers with the same claims. */
export interface Expectation {
  /** The claims of the callers; undefined for callers without a token. */
  readonly claims: Claims | undefined;
  /** Tools that the callers must be able to call, by the names that clients see. */
  readonly canCall: readonly string[];
  /** Tools that the callers must not reach: neither by a direct call with any arguments, nor through a workflow. */
  readonly cannotReach: readonly string[];
  /** The exact number of tools that the callers must reach, including workflows and the tools that the workflows call. */
  readonly reaches: number | undefined;
}

/** A mistake in an annotation of expectations, and its path from the root. */
export interface ExpectationProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type ReadExpectations =
  | { readonly expectations: readonly Expectation[] }
  | { readonly problem: ExpectationProblem };

const MEMBERS = ['caller', 'canCall', 'cannotReach', 'reaches'];

/** Every token has a subject. This one is used for callers whose subject is not given. */
const EXPECTED_SUBJECT = 'expected-caller';

/** Claims about the validity period of a token. Expectations must not depend on the date. */
const TIMES = ['exp', 'nbf', 'iat'];

/** Reads the JSON text of the annotation. */
export function readExpectations(text: string): ReadExpectations {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return createProblem([], 'not JSON');
  }
  if (!Array.isArray(value)) return createProblem([], 'not a list');
  const expectations: Expectation[] = [];
  for (const [index, item] of value.entries()) {
    const read = readItem(item);
    if ('problem' in read) return createProblem([index, ...read.problem.path], read.problem.message);
    expectations.push(read.expectation);
  }
  return { expectations };
}

type ReadItem = { readonly expectation: Expectation } | { readonly problem: ExpectationProblem };

function readItem(item: unknown): ReadItem {
  if (!isObject(item)) return createProblem([], 'not an object');
  const unknown = Object.keys(item).find(name => !MEMBERS.includes(name));
  if (unknown !== undefined)
    return createProblem([unknown], `unknown member "${unknown}"; there are ${MEMBERS.join(', ')}`);
  const { caller, canCall = [], cannotReach = [], reaches } = item;
  if (caller !== 'anonymous' && !isObject(caller))
    return createProblem(['caller'], 'caller must be "anonymous" or claims');
  const time = caller === 'anonymous' ? undefined : findTimeClaim(caller as Claims);
  if (time !== undefined) return createProblem(['caller', time], `${time} would make the result depend on the day`);
  if (!isTexts(canCall)) return createProblem(['canCall'], 'canCall must be a list of names');
  if (!isTexts(cannotReach)) return createProblem(['cannotReach'], 'cannotReach must be a list of names');
  if (reaches !== undefined && !(Number.isSafeInteger(reaches) && (reaches as number) >= 0)) {
    return createProblem(['reaches'], 'reaches must be a number of tools');
  }
  if (canCall.length + cannotReach.length === 0 && reaches === undefined) return createProblem([], 'expects nothing');
  const claims = caller === 'anonymous' ? undefined : { sub: EXPECTED_SUBJECT, ...(caller as Claims) };
  return { expectation: { claims, canCall, cannotReach, reaches: reaches as number | undefined } };
}

/** A claim that would make an expectation depend on the date. */
export function findTimeClaim(claims: Claims): string | undefined {
  return TIMES.find(name => Object.hasOwn(claims, name));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}

function createProblem(path: readonly (string | number)[], message: string): { readonly problem: ExpectationProblem } {
  return { problem: { path, message } };
}
