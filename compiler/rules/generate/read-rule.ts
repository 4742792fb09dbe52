/** The fields of a gateway that a rule reads, by the name of their area. */
import { AREAS, type Area } from '../gateway/rule.ts';

/** A sentence of the specification that a rule enforces: a row of `COVERAGE.md`. */
export interface HeldSentence {
  /** The heading of the table. */
  readonly section: string;
  /** The field or fields; `-` in a table without fields. */
  readonly field: string;
  readonly constraint: string;
  /** Such as `LNT1012, LNT1013`. */
  readonly codes: string;
  /** Tests apart from the one with the name of the rule. */
  readonly tests: string;
}

/** What the file of a rule says about it, in the tags of the comment above its function. */
export interface RuleDeclaration {
  /** Relative to `compiler/rules/`. */
  readonly file: string;
  readonly name: string;
  readonly holds: readonly HeldSentence[];
  readonly isForGateways: boolean;
  readonly isForServers: boolean;
  readonly reads: readonly Area[];
  readonly needsAllBackends: boolean;
  /** Whether the compiler calls the function by itself, for the reason that the tag gives. */
  readonly isApart: boolean;
}

/**
 * Reads the tags of a rule:
 *
 * - `@holds section | field | constraint | codes | tests`, once or more. `-` is an empty cell, and the last cell can be omitted.
 * - `@for gateways, servers` or `@for servers`, for a rule about gateways: without the tag, the rule applies to gateways only.
 * - `@reads sign-in, credentials`: the areas whose fields a rule about gateways reads.
 * - `@needs all backends`: the findings of a rule about gateways are wrong if errors hide a backend.
 * - `@apart reason`: the rule is in none of the generated lists, for this reason.
 *
 * @param file relative to `compiler/rules/`
 * @throws Error that names the file and the mistake
 */
export function readRule(file: string, text: string): RuleDeclaration {
  const wrong = (problem: string) => new Error(`compiler/rules/${file}: ${problem}`);
  const name = nameRule(file);
  const [, comment] =
    new RegExp(`/\\*\\*((?:(?!\\*/).)*)\\*/\\nexport (?:function|const) ${name}\\b`, 's').exec(text) ?? [];
  if (comment === undefined) throw wrong(`expected an exported function ${name} below a comment`);
  const tags = parseTags(comment);
  const isOfGateways = file.startsWith('gateway/');
  const known = [...COMMON_TAGS, ...(isOfGateways ? ['for', 'reads', 'needs'] : [])];
  const unknown = tags.find(([tag]) => !known.includes(tag));
  if (unknown !== undefined) throw wrong(`a rule of this folder has no tag @${unknown[0]}, only @${known.join(', @')}`);
  const find = (wanted: string) => tags.find(([tag]) => tag === wanted)?.[1];
  const holds = tags.filter(([tag]) => tag === 'holds').map(([, value]) => parseSentence(value, wrong));
  if (holds.length === 0) throw wrong('its comment needs a line @holds section | field | constraint | codes');
  const audience = find('for') ?? 'gateways';
  if (!['gateways', 'servers', 'gateways, servers'].includes(audience))
    throw wrong(`@for ${audience}: expected gateways, servers or "gateways, servers"`);
  const needs = find('needs');
  if (needs !== undefined && needs !== 'all backends') throw wrong(`@needs ${needs}: expected "all backends"`);
  return {
    file,
    name,
    holds,
    isForGateways: audience.startsWith('gateways'),
    isForServers: audience.endsWith('servers'),
    reads: parseAreas(find('reads'), wrong),
    needsAllBackends: needs !== undefined,
    isApart: find('apart') !== undefined,
  };
}

const COMMON_TAGS = ['holds', 'apart', 'param', 'returns', 'see', 'throws'];

/** The name of the function of a file: `gateway/name-lengths.ts` has `nameLengths`. */
function nameRule(file: string): string {
  const base = file.replace(/^.*\//, '').replace(/\.ts$/, '');
  return base.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function parseTags(comment: string): readonly (readonly [tag: string, value: string])[] {
  const text = comment.replace(/^ *\*+ ?/gm, '').trim();
  const [, ...tags] = text.split(/^@/m);
  return tags.map(tag => {
    const [name = '', ...words] = tag.trim().split(/\s+/);
    return [name, words.join(' ')];
  });
}

const CODES = /^(?:-|(?:LNT\d{4}(?:–LNT\d{4})?(?: \(\w+\))?(?:, |$))+)$/;

function parseSentence(text: string, wrong: (problem: string) => Error): HeldSentence {
  const [section, field, constraint, codes, tests = '', ...more] = text.split(' | ');
  if (
    section === undefined ||
    field === undefined ||
    constraint === undefined ||
    codes === undefined ||
    more.length > 0
  ) {
    throw wrong(`@holds ${text}: expected section | field | constraint | codes`);
  }
  if (!CODES.test(codes)) throw wrong(`@holds ${text}: "${codes}" is not a list of codes, such as LNT1012, LNT1013`);
  return { section, field, constraint, codes: codes === '-' ? '' : codes, tests };
}

function parseAreas(text: string | undefined, wrong: (problem: string) => Error): readonly Area[] {
  return (text?.split(', ') ?? []).map(word => {
    const area = AREAS.find(known => known === word);
    if (area === undefined) throw wrong(`@reads ${word}: expected one of ${AREAS.join(', ')}`);
    return area;
  });
}
