/** Policy conditions in a form for people. Stored and compared data keeps the Cedar text. */
import { type Conjunction, splitByOperator, toDisjunctiveNormalForm } from '../cedar/boolean-text.ts';

const TEXT = String.raw`(?:[^"\\]|\\.)*`;
const STRING = `"${TEXT}"`;

/** The Cedar idiom for "the claim has this value": the set exists and contains it. */
const SET_TEST = new RegExp(
  String.raw`principal has (?:claimset_(\w+)|"claimset_(${TEXT})") && principal(?:\.claimset_(\w+)|\["claimset_(${TEXT})"\])\.contains\((${STRING})\)`,
  'g',
);

/** A condition on one line: `principal in Group::"eng" && scope "tools:write"`. */
export function formatCondition(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  return line
    .replace(SET_TEST, (whole, plain?: string, quoted?: string, readPlain?: string, readQuoted?: string, value = '') =>
      plain === readPlain && quoted === readQuoted ? claimText(plain, quoted, value) : whole,
    )
    .replace(new RegExp(String.raw`\(((?:scope|(?:\w+|${STRING}) includes) ${STRING})\)`, 'g'), '$1');
}

function claimText(plain: string | undefined, quoted: string | undefined, value: string): string {
  if (plain === 'scope') return `scope ${value}`;
  return `${plain ?? `"${quoted}"`} includes ${value}`;
}

/**
 * When a policy cannot be evaluated: `claim_scope is not a String`. Guards are left out, and so are conditions that `known` already states about
 * these callers.
 */
export function formatFailure(text: string, known: Conjunction): string {
  return [...new Set(splitByOperator(text, '||').map(value => truncate(value, known)))].join(' or ');
}

const WRONG_TYPE = /^(?:principal|context)(?<attribute>\.\w+|\["(?:[^"\\]|\\.)*"\]) is not an? \w+$/;

function truncate(failure: string, known: Conjunction): string {
  const parts = splitByOperator(failure, '&&');
  const last = parts.at(-1) ?? '';
  const name = WRONG_TYPE.exec(last)?.groups?.attribute?.replace(/^\.|^\["|"\]$/g, '');
  if (name === undefined) return formatCondition(failure);
  const rest = parts.slice(0, -1).filter(part => !part.includes(name) && !known.has(part));
  return [...rest.map(formatCondition), last.replace(/^(?:principal|context)\.?/, '')].join(' && ');
}

/** Conjuncts that all of the conditions share, in each of their alternatives. */
export function findCommonConjuncts(texts: readonly string[]): Conjunction {
  const [first, ...others] = texts.flatMap(toDisjunctiveNormalForm);
  return new Set([...(first ?? [])].filter(part => others.every(way => way.has(part))));
}
