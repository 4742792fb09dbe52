/** `lintel check` finds a mistake anywhere in a spec, at its place. */
import { describe, expect, test } from 'vitest';
import { compile, type Diagnostic, readTexts, SourceText } from '#compiler';
import { BASE_SPECS, type BaseSpec } from './base-specs.ts';
import { MISTAKES, type Mutation, type Span } from './mutations.ts';
import { seeded } from './seeded.ts';
import { listSites, type Site } from './sites.ts';

const SEED = 20261120;
/** Maximum number of mutations of each kind in each base spec. */
const DRAWN = 20;
/** Number of quotes by which the range of a finding about a quoted text is longer. */
const QUOTES = 2;

function findingsOf({ file }: BaseSpec, text: string): readonly Diagnostic[] {
  const sources = readTexts([new SourceText(file, text)]);
  const origin = { compilerVersion: 'test', sourceRevision: null };
  return compile(sources, { purpose: 'language', origin }).findings.diagnostics;
}

const identityOf = ({ code, object, pointer, message }: Diagnostic): string =>
  [code, object?.kind, object?.name, pointer, message].join(' ');

/** A finding that marks the whole document does not count. */
function covers({ range: { start, end } }: Diagnostic, span: Span): boolean {
  const isClose = end.offset - start.offset <= span.end - span.start + QUOTES;
  const contains = isClose && start.offset <= span.start && span.end <= end.offset;
  const isContained = span.start <= start.offset && end.offset <= span.end;
  return contains || isContained;
}

/** Whether there is a finding about the mutation that the base spec does not have. */
function isFound(found: readonly Diagnostic[], known: ReadonlySet<string>, mutation: Mutation): boolean {
  return found.some(
    finding =>
      !known.has(identityOf(finding)) &&
      (mutation.mildly === true || finding.severity === 'error') &&
      finding.message.includes(mutation.names ?? '') &&
      mutation.at.some(span => covers(finding, span)),
  );
}

function report(mutation: Mutation, found: readonly Diagnostic[], known: ReadonlySet<string>): string {
  const fresh = found.filter(finding => !known.has(identityOf(finding)));
  const where = mutation.at.map(({ start, end }) => `${start}-${end}`).join(' or ');
  const seen = fresh.map(
    ({ code, range, message }) => `${code} at ${range.start.offset}-${range.end.offset} ${message}`,
  );
  return `${mutation.title} at ${where}; found instead: ${seen.join('; ') || 'nothing'}`;
}

const random = seeded(SEED);
const drawn = BASE_SPECS.flatMap(spec => {
  const sites: readonly Site[] = listSites(spec.text);
  return Object.entries(MISTAKES).flatMap(([mistake, make]) => {
    const all = sites.flatMap(site => make(spec.text, site, random));
    return all.length === 0 ? [] : [{ spec, mistake, mutations: random.some(all, DRAWN) }];
  });
});

describe('mutated specs', () => {
  test.each(BASE_SPECS)('the spec $title compiles without errors before it is mutated', spec => {
    expect(findingsOf(spec, spec.text).filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('there are at least 200 different mutated specs, and several of every kind of mistake', () => {
    const texts = new Set(drawn.flatMap(({ spec, mutations }) => mutations.map(({ text }) => spec.title + text)));
    expect(texts.size).toBeGreaterThanOrEqual(200);
    for (const mistake of Object.keys(MISTAKES)) {
      const count = drawn.filter(one => one.mistake === mistake).flatMap(({ mutations }) => mutations).length;
      expect(count, mistake).toBeGreaterThanOrEqual(20);
    }
  });

  test.each(drawn)(
    'lintel check reports every mistake of the kind $mistake that is put into $spec.title',
    ({ spec, mutations }) => {
      const known = new Set(findingsOf(spec, spec.text).map(identityOf));
      const missed = mutations.flatMap(mutation => {
        const found = findingsOf(spec, mutation.text);
        return isFound(found, known, mutation) ? [] : [report(mutation, found, known)];
      });
      expect(missed).toEqual([]);
    },
  );
});
