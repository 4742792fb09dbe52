/**
 * One structural error in an object removes only the findings of rules that read the wrong place, and adds no finding that the object without
 * the error does not have.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Compilation, compile, type Diagnostic, readTexts, SourceText } from '#compiler';
import { checkDocument } from '../../../compiler/check/check-document.ts';
import { CODE_OF } from '../../../compiler/check/violation-words.ts';
import { RULES } from '../../../compiler/rules/index.ts';
import { KINDS } from '../../../compiler/source/kinds.ts';
import { readObjects } from '../../support/rule.ts';
import { runs } from '../../support/runs.ts';
import { BASE_SPECS } from '../mutated-specs/base-specs.ts';
import { MISTAKES } from '../mutated-specs/mutations.ts';
import { type Seeded, seeded } from '../mutated-specs/seeded.ts';
import { listSites } from '../mutated-specs/sites.ts';
import { readPaths } from './read-paths.ts';

const SEED = 20261127;
const RUNS = runs(150);
const SPECS = BASE_SPECS.filter(
  ({ file, title }) => file.endsWith('.yaml') && file !== 'registry.yaml' && title === file,
);

/** Values that satisfy a schema of strings and have no meaning at their place. */
const ODD = [
  ...['not a url', 'http://10.0.0.1/x', 'https://user:word@example.com', 'no-such-thing', 'a b', '999h'],
  ...['{{ .params.nope }}', '{{ .steps', 'permit(principal, action', '*'],
];

const STRUCTURAL = [
  ...['a typo in a key', 'a wrong type', 'out of bounds', 'not in the enum', 'a broken pattern', 'a missing field'],
] as const satisfies (keyof typeof MISTAKES)[];

const CODES_OF_STRUCTURE: ReadonlySet<string> = new Set(Object.values(CODE_OF));

function compiled(text: string): Compilation {
  const origin = { compilerVersion: 'test', sourceRevision: null };
  return compile(readTexts([new SourceText('spec.yaml', text)]), { purpose: 'check', origin });
}

const keyOf = ({ kind, namespace, name }: { kind: string; namespace: string; name: string }) =>
  `${kind}/${namespace}/${name}`;
const identityOf = ({ code, pointer, message }: Diagnostic) => `${code} ${pointer} ${message}`;
const findingsAbout = ({ findings }: Compilation, key: string) =>
  findings.diagnostics.filter(({ object }) => object !== undefined && keyOf(object) === key).map(identityOf);

function isWhole({ broken, findings }: Compilation): boolean {
  return broken.length === 0 && !findings.diagnostics.some(({ code }) => code === 'LNT1005' || code === 'LNT1001');
}

/** Valid by its schemas, with findings of rules. */
function withFindings(text: string, random: Seeded): string {
  let result = text;
  for (let edits = 0; edits < 6; edits += 1) {
    const sites = listSites(result).filter(
      ({ schema, path }) => schema.type === 'string' && schema.enum === undefined && path[0] === 'spec',
    );
    const range = sites[random.int(sites.length)]?.value.range;
    if (range === undefined || range === null) continue;
    const edited = `${result.slice(0, range[0])}${JSON.stringify(ODD[random.int(ODD.length)])}${result.slice(range[1])}`;
    if (isReadable(edited) && isWhole(compiled(edited))) result = edited;
  }
  return result;
}

function isReadable(text: string): boolean {
  try {
    return listSites(text).length > 0;
  } catch {
    return false;
  }
}

test('one more structural error in random specs adds no false finding about other mistakes and hides no true finding', {
  timeout: 1_200_000,
}, () => {
  const made = seeded(SEED);
  const texts = SPECS.flatMap(({ text }) => [text, ...[1, 2, 3].map(() => withFindings(text, made))]).map(text => ({
    text,
    sound: compiled(text),
    // Rules skip an object whose identity is wrong.
    sites: listSites(text).filter(({ path }) => path[0] === 'spec'),
  }));
  let judged = 0;
  let kept = 0;
  let lost = 0;
  fc.assert(
    fc.property(fc.nat(), fc.nat({ max: texts.length - 1 }), fc.constantFrom(...STRUCTURAL), (seed, at, mistake) => {
      const { text, sound, sites } = texts[at] as (typeof texts)[number];
      const random = seeded(seed);
      const all = sites.flatMap(site => MISTAKES[mistake](text, site, random));
      const mutation = all[random.int(Math.max(1, all.length))];
      if (mutation === undefined) return;
      const mutated = compiled(mutation.text);
      const [ref, another] = mutated.broken;
      if (ref === undefined || another !== undefined) return;
      const key = keyOf(ref);
      const before = findingsAbout(sound, key);
      const after = findingsAbout(mutated, key);
      const known = new Set(before);
      const news = after.filter(one => !known.has(one) && !CODES_OF_STRUCTURE.has(one.slice(0, 7)));
      expect(news, `${mutation.title}: findings that the object without the error does not have`).toEqual([]);

      const document = mutated.objects.find(one => keyOf(one) === key);
      const kind = KINDS.get(ref.kind);
      if (document === undefined || kind === undefined) return;
      const { doubtful } = checkDocument(document, kind);
      if (doubtful === undefined || doubtful.some(path => path.length === 1 || path[0] !== 'spec')) return;
      const { resources, inventory } = readObjects(text);
      const resource = resources.find(one => keyOf(one) === key);
      if (resource === undefined) return;
      judged += 1;
      const shown = new Set(after);
      for (const rule of RULES) {
        const due = rule(resource, inventory);
        if (due.length === 0) continue;
        const missing = due.map(identityOf).filter(one => !shown.has(one));
        kept += due.length - missing.length;
        lost += missing.length;
        if (missing.length === 0) continue;
        const { touches } = readPaths(resource, inventory, rule);
        expect(
          touches(doubtful),
          `${mutation.title}: ${rule.name} reads nothing that is wrong, and lacks ${missing}`,
        ).toBe(true);
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
  // Otherwise all could agree by finding nothing.
  expect(judged).toBeGreaterThan(RUNS / 3);
  expect(kept).toBeGreaterThan(RUNS / 2);
  expect(kept).toBeGreaterThan(lost);
});
