import { NearestWords } from '#shared/util';
import { findReadablePolicies, type NamedPolicy } from '../../analysis/cedar/authorization.ts';
import { diagnoseText } from '../../analysis/cedar/locate-text.ts';
import {
  listNamePatterns,
  mayBothMatch,
  type NamePattern,
  type PatternUse,
  writePattern,
} from '../../analysis/cedar/name-patterns.ts';
import { isShared } from '../../analysis/cedar/shared-policies.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * A pattern that matches no name has no effect, like a name that no item has: a typing mistake in a forbid silently permits calls.
 *
 * @holds incomingAuth | policies | patterns (`like`) for names and URIs match at least one | LNT5018
 * @for gateways, servers
 * @reads sign-in
 * @needs all backends
 */
export function patternFitsNothing(gateway: GatewayModel): Diagnostic[] {
  const set = findReadablePolicies(gateway);
  if (set === undefined || gateway.backends.length === 0) return [];
  const known = new KnownNames(gateway);
  return set.policies.flatMap(policy => listNamePatterns(policy).flatMap(use => checkPattern(known, policy, use)));
}

/** The names of a gateway, listed once for all patterns: there may be tens of thousands, and hundreds of patterns. */
class KnownNames {
  readonly gateway: GatewayModel;
  readonly #names = new Map<string, readonly NamePattern[]>();
  readonly #parts = new Map<string, NearestWords>();
  #looks = 0;

  constructor(gateway: GatewayModel) {
    this.gateway = gateway;
  }

  /** Counts one more search for a name that a pattern may mean, and says whether there were too many. */
  isOverLimit(): boolean {
    this.#looks += 1;
    return this.#looks > MAX_LOOKS;
  }

  /** @param types of `PatternUse` */
  list(types: readonly string[]): readonly NamePattern[] {
    return getOrMake(this.#names, types.join(), () => types.flatMap(type => listNames(this.gateway, type)));
  }

  /** The parts of names that a pattern may have at its start, at its end, or between two stars, by their number of words. */
  parts(types: readonly string[], text: string, isStart: boolean, isEnd: boolean): NearestWords {
    const separators = text.match(SEPARATORS)?.length ?? 0;
    return getOrMake(this.#parts, `${types.join()} ${isStart} ${isEnd} ${separators}`, () => {
      const texts = this.list(types).flatMap(([name, ...more]) => (more.length === 0 ? [name] : []));
      const parts = texts.flatMap(name => splitName(name, isStart, isEnd, separators));
      return new NearestWords(parts, MAX_EDITS);
    });
  }

  /** The prefixes that tool names have before the part that a pattern matches. */
  prefixes(pattern: NamePattern): ReadonlySet<string> {
    const fitting = this.gateway.tools.filter(({ originalName }) => mayBothMatch(pattern, [originalName]));
    const named = fitting.filter(({ name, originalName }) => name.endsWith(originalName));
    return new Set(named.map(({ name, originalName }) => name.slice(0, name.length - originalName.length)));
  }
}

function getOrMake<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/** Characters between the words of a name. */
const SEPARATORS = /[_\-./:]+/g;

/** A part that differs by more edits is a different part. */
const MAX_EDITS = 3;

/**
 * Maximum number of patterns of a gateway for which a similar name is searched, as many as people are shown for one code: each is compared
 * with parts of all names.
 */
const MAX_LOOKS = 20;

const NOUNS: Readonly<Record<string, string>> = { Tool: 'tool', Prompt: 'prompt', Resource: 'resource' };

function checkPattern(
  known: KnownNames,
  policy: NamedPolicy,
  { pattern, types, sense, part }: PatternUse,
): Diagnostic[] {
  const { gateway } = known;
  // A forbid for items that clients do not see is useful: it takes effect as soon as clients see the items.
  const unseen = sense === 'closes' && types.includes('Tool') ? listHiddenTools(gateway) : [];
  if ([known.list(types), unseen].some(names => names.some(name => mayBothMatch(pattern, name)))) return [];
  const unlocked = gateway.backends.filter(({ locked }) => locked === undefined);
  // Without any tool lock, every pattern would get this finding.
  if (unlocked.length === gateway.backends.length) return [];
  const isPrefixed = gateway.plan.aggregation.strategy === 'prefix' && types.every(type => type === 'Tool');
  const open = unlocked.find(({ plan }) => mayBothMatch(pattern, isPrefixed ? [plan.tools.prefix, ''] : ANYTHING));
  const noun = types.map(type => NOUNS[type]).join(' or ');
  const patternText = writePattern(pattern);
  const effect = sense === 'closes' ? ', so this policy denies no call' : '';
  const why =
    open === undefined
      ? `no ${noun} of this gateway has a name like ${patternText}${effect}`
      : `whether a ${noun} has a name like ${patternText} is not known, because backend "${open.name}" is not in the tool lock`;
  const where = policy.source.resource === gateway.resource ? '' : ` (gateway "${gateway.resource.name}")`;
  const meant = findMeant(known, pattern, types);
  const placed = { ...part, offset: policy.offset + part.offset };
  return [
    diagnoseText(policy.source, 'LNT5018', placed, `${policy.name}: ${why}${where}`, {
      ...(open !== undefined || isShared(gateway, policy.source)
        ? { severity: 'hint' }
        : sense === 'closes'
          ? { severity: 'error' }
          : {}),
      ...(meant !== undefined
        ? { fix: `did you mean ${writePattern(meant)}?` }
        : open === undefined
          ? {}
          : { fix: 'run "lintel lock"' }),
    }),
  ];
}

const ANYTHING: NamePattern = ['', ''];

/** The names and URIs that clients see; a URI template is a pattern itself. */
function listNames(gateway: GatewayModel, type: string): readonly NamePattern[] {
  const { tools, composites, prompts, resources, resourceTemplates } = gateway;
  if (type === 'Tool')
    return [...tools.filter(({ advertised }) => advertised), ...composites].map(({ name }): NamePattern => [name]);
  if (type === 'Prompt') return prompts.map(({ name }): NamePattern => [name]);
  const templates = resourceTemplates.map(({ uri }): NamePattern => {
    const [first = '', ...more] = uri.split(/\{[^{}]*\}/);
    return [first, ...more];
  });
  return [...resources.map(({ uri }): NamePattern => [uri]), ...templates];
}

function listHiddenTools({ tools }: GatewayModel): readonly NamePattern[] {
  return tools.filter(({ advertised }) => !advertised).map(({ name }): NamePattern => [name]);
}

/** A pattern that matches a name if one of its parts is spelled differently or gets the prefix of a backend. */
function findMeant(known: KnownNames, pattern: NamePattern, types: readonly string[]): NamePattern | undefined {
  if (known.isOverLimit()) return undefined;
  const names = known.list(types);
  const fits = (other: NamePattern) => names.some(name => mayBothMatch(other, name));
  const [first, ...rest] = pattern;
  for (const prefix of types.includes('Tool') ? known.prefixes(pattern) : []) {
    const prefixed: NamePattern = [prefix + first, ...rest];
    if (fits(prefixed)) return prefixed;
  }
  for (const [at, part] of pattern.entries()) {
    if (part === '') continue;
    const near = known.parts(types, part, at === 0, at === pattern.length - 1).nearest(part);
    const other = near === undefined ? undefined : (pattern.with(at, near) as unknown as NamePattern);
    if (other !== undefined && fits(other)) return other;
  }
  return undefined;
}

/** The parts of a name, with a certain number of separators, that a pattern may have at its start, at its end, or between two stars. */
function splitName(name: string, isStart: boolean, isEnd: boolean, separators: number): readonly string[] {
  if (isStart && isEnd) return [name];
  const cuts = [...name.matchAll(SEPARATORS)].map(({ index, 0: { length } }) => ({ index, end: index + length }));
  const places = cuts.flatMap(({ index, end }) => [index, end]);
  const starts = isStart ? [0] : [0, ...places];
  const ends = isEnd ? [name.length] : [...places, name.length];
  const parts: string[] = [];
  for (const start of starts) {
    for (const end of ends) {
      if (end <= start) continue;
      const within = cuts.filter(cut => cut.index >= start && cut.end <= end).length;
      if (within === separators) parts.push(name.slice(start, end));
    }
  }
  return parts;
}
