/**
 * Finds patterns that match one text in exponentially many ways, such as `(a+)+$`: a backtracking engine does not finish on texts of a few dozen
 * characters.
 *
 * A pattern is ambiguous in this way if its position automaton has a state to which one text leads back on two paths. Two paths are either
 * different states at some point, found in the product of the automaton with itself, or one step that the pattern allows twice, as in `(a*)*`.
 *
 * @see https://doi.org/10.1016/0304-3975(91)90381-B (Weber and Seidl: the criterion EDA)
 */
import { type PatternNode, parsePatternTree } from './pattern-tree.ts';
import { findStrongComponents } from './strong-components.ts';

/** Maximum length of a pattern that is checked. Patterns with more positions or transitions than the limits below are not checked either. */
const MAX_LENGTH = 1000;
const MAX_POSITIONS = 100;
const MAX_STEPS = 500_000;

/** Maximum count of a repetition that is expanded; larger counts are treated as unbounded. */
const MAX_WRITTEN_OUT = 8;

/** Whether the pattern matches some text in exponentially many ways; false when unknown. */
export function isAmbiguous(pattern: string): boolean {
  if (pattern.length > MAX_LENGTH) return false;
  const tree = parsePatternTree(pattern);
  if (tree === undefined) return false;
  const automaton: Automaton = { characters: [], next: [], isTwice: [] };
  if (add(automaton, tree) === undefined) return false;
  const component = findStrongComponents(automaton.next);
  const onCircle = (from: number, to: number) => component[from] === component[to];
  if (automaton.isTwice.some(([from, to]) => onCircle(from, to))) return true;
  return splits(automaton, listSamples(pattern), onCircle);
}

interface Automaton {
  /** The pattern of the character at each position. */
  readonly characters: string[];
  /** The positions that may follow each position. */
  readonly next: number[][];
  /** Transitions that the pattern allows in two ways. */
  readonly isTwice: [from: number, to: number][];
}

/** A fragment of the pattern: the positions where it may begin and end. */
interface PatternFragment {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly isOptional: boolean;
}

const NOTHING: PatternFragment = { first: [], last: [], isOptional: true };

/** Adds a fragment to the automaton; undefined when it becomes too large. */
function add(automaton: Automaton, node: PatternNode): PatternFragment | undefined {
  switch (node.is) {
    case 'character': {
      const position = automaton.characters.push(node.source) - 1;
      automaton.next.push([]);
      if (position >= MAX_POSITIONS) return undefined;
      return { first: [position], last: [position], isOptional: false };
    }
    case 'choice': {
      const parts = addAll(automaton, node.parts);
      return (
        parts && {
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
          isOptional: parts.some(({ isOptional }) => isOptional),
        }
      );
    }
    case 'sequence':
      return addAll(automaton, node.parts)?.reduce((before, after) => joinFragments(automaton, before, after), NOTHING);
    case 'repeat': {
      const { part, least, most } = node;
      const isLoop = most > MAX_WRITTEN_OUT && most !== least;
      const copies = Array.from({ length: Math.min(Math.max(isLoop ? 1 : most, 0), MAX_WRITTEN_OUT) }, () => part);
      const parts = addAll(automaton, copies);
      if (parts === undefined) return undefined;
      if (isLoop) for (const { first, last } of parts) link(automaton, last, first);
      return parts
        .map((each, index) => (index >= least ? { ...each, isOptional: true } : each))
        .reduce((before, after) => joinFragments(automaton, before, after), NOTHING);
    }
  }
}

function addAll(automaton: Automaton, nodes: readonly PatternNode[]): PatternFragment[] | undefined {
  const parts: PatternFragment[] = [];
  for (const node of nodes) {
    const part = add(automaton, node);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

function joinFragments(automaton: Automaton, before: PatternFragment, after: PatternFragment): PatternFragment {
  link(automaton, before.last, after.first);
  return {
    first: before.isOptional ? [...before.first, ...after.first] : before.first,
    last: after.isOptional ? [...before.last, ...after.last] : after.last,
    isOptional: before.isOptional && after.isOptional,
  };
}

function link({ next, isTwice }: Automaton, from: readonly number[], to: readonly number[]): void {
  for (const position of from) {
    const known = next[position] as number[];
    for (const target of to) {
      if (known.includes(target)) isTwice.push([position, target]);
      else known.push(target);
    }
  }
}

/** Whether some text leads from a state back to the same state on two different paths. */
function splits(
  { characters, next }: Automaton,
  texts: readonly string[],
  onCircle: (from: number, to: number) => boolean,
): boolean {
  const size = characters.length;
  const sets = characters.map(source => computeCharacters(source, texts));
  const meet = (a: number, b: number) => ((sets[a] as bigint) & (sets[b] as bigint)) !== 0n;
  const product: number[][] = [];
  let steps = 0;
  for (let a = 0; a < size; a += 1) {
    for (let b = 0; b < size; b += 1) {
      const targets: number[] = [];
      for (const nextA of next[a] as number[]) {
        if (!onCircle(a, nextA)) continue;
        for (const nextB of next[b] as number[]) {
          steps += 1;
          if (onCircle(b, nextB) && meet(nextA, nextB)) targets.push(nextA * size + nextB);
        }
      }
      if (steps > MAX_STEPS) return false;
      product.push(targets);
    }
  }
  const component = findStrongComponents(product);
  const diagonal = new Set(characters.map((_, at) => component[at * size + at]));
  return product.some((targets, pair) => {
    const isSplit = Math.floor(pair / size) !== pair % size;
    return isSplit && targets.length > 0 && diagonal.has(component[pair] as number);
  });
}

const ALWAYS = ['a', 'm', 'A', 'M', '0', '5', '_', '-', ' ', '\t', '\n', '.', '/', ':', '@', 'é', '中', '😀'];

/** The bounds of character classes in a pattern, as samples. Two classes intersect only if they share one of them. */
function listSamples(pattern: string): string[] {
  const escaped = [...pattern.matchAll(/\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/g)];
  const points = escaped.map(([, braced, four, two]) => Number.parseInt(braced ?? four ?? two ?? '', 16));
  const characters = points.filter(point => point <= 0x10ffff).map(point => String.fromCodePoint(point));
  return [...new Set([...ALWAYS, ...pattern, ...characters])];
}

/** Which of the samples a character class matches, with one bit for each sample. */
function computeCharacters(source: string, texts: readonly string[]): bigint {
  const matcher = createCharacterMatcher(source);
  return texts.reduce((bits, text, at) => (matcher(text) ? bits | (1n << BigInt(at)) : bits), 0n);
}

function createCharacterMatcher(source: string): (text: string) => boolean {
  try {
    const matcher = new RegExp(`^(?:${source})$`, 'u');
    return text => matcher.test(text);
  } catch {
    return text => text === source.replace(/^\\/, '');
  }
}
