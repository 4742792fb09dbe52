import { findReadablePolicies, type NamedPolicy } from '../../analysis/cedar/authorization.ts';
import {
  mayBothMatch,
  type NamePattern,
  namePatterns,
  type PatternUse,
  writePattern,
} from '../../analysis/cedar/name-patterns.ts';
import { diagnoseText } from '../../analysis/cedar/placed-text.ts';
import { isShared } from '../../analysis/cedar/shared-policies.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { nearest } from '../../text/nearest.ts';

/** A pattern that fits no name says nothing, as a name that there is not: a slip in it opens a forbid without a word. */
export function policyPatterns(gateway: GatewayModel): Diagnostic[] {
  const set = findReadablePolicies(gateway);
  if (set === undefined || gateway.backends.length === 0) return [];
  return set.policies.flatMap(policy => namePatterns(policy).flatMap(use => judgePattern(gateway, policy, use)));
}

const NOUNS: Readonly<Record<string, string>> = { Tool: 'tool', Prompt: 'prompt', Resource: 'resource' };

function judgePattern(
  gateway: GatewayModel,
  policy: NamedPolicy,
  { pattern, types, sense, part }: PatternUse,
): Diagnostic[] {
  const names = types.flatMap(type => listNames(gateway, type));
  // To forbid what clients do not see is sound: it holds when they do.
  const unseen = sense === 'closes' && types.includes('Tool') ? hiddenTools(gateway) : [];
  if ([...names, ...unseen].some(name => mayBothMatch(pattern, name))) return [];
  const unlocked = gateway.backends.filter(({ locked }) => locked === undefined);
  // Without any tool lock, every pattern would get this finding.
  if (unlocked.length === gateway.backends.length) return [];
  const isPrefixed = gateway.plan.aggregation.strategy === 'prefix' && types.every(type => type === 'Tool');
  const open = unlocked.find(({ plan }) => mayBothMatch(pattern, isPrefixed ? [plan.tools.prefix, ''] : ANYTHING));
  const noun = types.map(type => NOUNS[type]).join(' or ');
  const written = writePattern(pattern);
  const effect = sense === 'closes' ? ', so it keeps no caller out' : '';
  const why =
    open === undefined
      ? `no ${noun} of this gateway has a name like ${written}${effect}`
      : `whether a ${noun} has a name like ${written} is not known, for backend "${open.name}" is not in the tool lock`;
  const where = policy.source.resource === gateway.resource ? '' : ` (gateway "${gateway.resource.name}")`;
  const meant = findMeant(gateway, pattern, names, types);
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

/** The names and URIs that clients see; a template of URIs is a pattern itself. */
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

function hiddenTools({ tools }: GatewayModel): readonly NamePattern[] {
  return tools.filter(({ advertised }) => !advertised).map(({ name }): NamePattern => [name]);
}

/** What fits a name where one part of the pattern is spelled otherwise, or has the prefix of a backend. */
function findMeant(
  { tools }: GatewayModel,
  pattern: NamePattern,
  names: readonly NamePattern[],
  types: readonly string[],
): NamePattern | undefined {
  const fits = (other: NamePattern) => names.some(name => mayBothMatch(other, name));
  const [first, ...rest] = pattern;
  const bare = types.includes('Tool') ? tools.filter(({ originalName }) => mayBothMatch(pattern, [originalName])) : [];
  for (const { name, originalName } of bare) {
    const prefixed: NamePattern = [name.slice(0, name.length - originalName.length) + first, ...rest];
    if (name.endsWith(originalName) && fits(prefixed)) return prefixed;
  }
  const texts = names.flatMap(([text, ...more]) => (more.length === 0 ? [text] : []));
  for (const [at, part] of pattern.entries()) {
    if (part === '') continue;
    const near = nearest(
      part,
      texts.flatMap(text => partsOf(text, at === 0, at === pattern.length - 1)),
    );
    const other = near === undefined ? undefined : (pattern.with(at, near) as unknown as NamePattern);
    if (other !== undefined && fits(other)) return other;
  }
  return undefined;
}

/** What of a name may stand at the start of a pattern, at its end, or between two stars. */
function partsOf(name: string, isStart: boolean, isEnd: boolean): readonly string[] {
  const cuts = [...name.matchAll(/[_\-./:]+/g)];
  const ends = [
    ...cuts.map(({ index, 0: { length } }) => index + length),
    ...cuts.map(({ index }) => index),
    name.length,
  ];
  const starts = [0, ...cuts.map(({ index }) => index), ...cuts.map(({ index, 0: { length } }) => index + length)];
  if (isStart && isEnd) return [name];
  if (isStart) return ends.map(end => name.slice(0, end));
  if (isEnd) return starts.map(start => name.slice(start));
  return starts.flatMap(start => ends.filter(end => end > start).map(end => name.slice(start, end)));
}
