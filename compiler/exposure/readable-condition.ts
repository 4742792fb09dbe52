/** Conditions of policies as people read them. What reports hold as data, and what is compared, stays as Cedar has it. */
import { type Conjunction, splitAt, waysOf } from '../cedar/boolean-text.ts';

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;

/** How policies ask for one word of a list in a text (RFC 6749, section 3.3). */
const SCOPE_TEST = new RegExp(
  String.raw`principal has claim_scope && \(principal\.claim_scope == (${STRING})((?: \|\| principal\.claim_scope like ${STRING}){3})\)`,
  'g',
);

/** A condition in one line: `principal in Group::"eng" && scope "tools:write"`. */
export function readableCondition(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  return line
    .replace(SCOPE_TEST, (whole, word: string, patterns: string) =>
      patterns === wordPatterns(word) ? `scope ${word}` : whole,
    )
    .replace(new RegExp(String.raw`\((scope ${STRING})\)`, 'g'), '$1');
}

function wordPatterns(literal: string): string {
  const word = literal.slice(1, -1).replaceAll('*', '\\*');
  return [`${word} *`, `* ${word}`, `* ${word} *`].map(like => ` || principal.claim_scope like "${like}"`).join('');
}

/**
 * When a policy cannot be evaluated: `claim_scope is not a String`. The guards that lead there are left out, and what `known` says
 * of these callers anyway.
 */
export function readableFailure(text: string, known: Conjunction): string {
  return [...new Set(splitAt(text, '||').map(one => shortened(one, known)))].join(' or ');
}

const WRONG_TYPE = /^(?:principal|context)(?<attribute>\.\w+|\["(?:[^"\\]|\\.)*"\]) is not an? \w+$/;

function shortened(failure: string, known: Conjunction): string {
  const parts = splitAt(failure, '&&');
  const last = parts.at(-1) ?? '';
  const name = WRONG_TYPE.exec(last)?.groups?.attribute?.replace(/^\.|^\["|"\]$/g, '');
  if (name === undefined) return readableCondition(failure);
  const rest = parts.slice(0, -1).filter(part => !part.includes(name) && !known.has(part));
  return [...rest.map(readableCondition), last.replace(/^(?:principal|context)\.?/, '')].join(' && ');
}

/** What each of several conditions asks for, in whatever way it holds. */
export function askedByAll(texts: readonly string[]): Conjunction {
  const [first, ...others] = texts.flatMap(waysOf);
  return new Set([...(first ?? [])].filter(part => others.every(way => way.has(part))));
}
