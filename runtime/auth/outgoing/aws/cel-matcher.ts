/** Conditions on claims in CEL. Only this file imports the CEL library, which is slow to load. */
import { type CelInput, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import type { ClaimsMatcher } from '../../claims-matcher.ts';

/** Maximum length of the library's message in Lintel's messages, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 200;

const ENVIRONMENT = celEnv({ funcs: [...strings] });

/** Never throws: the matcher of an expression that cannot be parsed returns an error text. */
export function compileMatcher(expression: string): ClaimsMatcher {
  try {
    const run = plan(ENVIRONMENT, parse(expression));
    return claims => computeVerdict(() => run({ claims: claims as CelInput }));
  } catch (error) {
    const verdict = { error: `it cannot be read: ${takeFirstLine(error)}` };
    return () => verdict;
  }
}

/** The CEL library returns errors as values, which are truthy in JavaScript. So only `true` counts as a match. */
function computeVerdict(run: () => unknown): boolean | { readonly error: string } {
  try {
    const result = run();
    if (result === true || result === false) return result;
    return { error: isCelError(result) ? takeFirstLine(result) : 'its result is neither true nor false' };
  } catch (error) {
    return { error: takeFirstLine(error) };
  }
}

function takeFirstLine(error: unknown): string {
  const [line = ''] = String((error as Error).message).split('\n', 1);
  return line.slice(0, MAX_MESSAGE_LENGTH);
}
