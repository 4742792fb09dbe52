/** `lintel check --fix` corrects a misspelt word in a valid spec completely, causes no new finding, and never grants access. */
import { describe, expect, test } from 'vitest';
import { createCompiler, type Diagnostic, SourceText } from '#compiler';
import { fixTexts } from '../../../compiler/fix/index.ts';
import { BASE_SPECS } from '../mutated-specs/base-specs.ts';
import { MISTAKES } from '../mutated-specs/mutations.ts';
import { seeded } from '../mutated-specs/seeded.ts';
import { listSites } from '../mutated-specs/sites.ts';

const SEED = 20261128;
/** Number of mutations of each kind in each base spec. */
const DRAWN = 8;

const origin = { compilerVersion: 'test', sourceRevision: null };
const ACCESS = /Auth|OIDC|filter|exclude|policies|claims|publicPaths|insecure/i;

function fixed(text: string, file: string) {
  const compiler = createCompiler();
  return fixTexts(async changed => {
    const source = changed.get(file) ?? new SourceText(file, text);
    const sources = compiler.readTexts([source]);
    const { findings } = compiler.compile(sources, { purpose: 'language', origin });
    return {
      diagnostics: findings.diagnostics,
      complete: sources.complete,
      findText: () => source,
      isLinked: () => false,
    };
  });
}

const identityOf = ({ code, object, pointer, message }: Diagnostic) =>
  [code, object?.kind, object?.name, pointer, message].join(' ');

const random = seeded(SEED);
const drawn = BASE_SPECS.map(spec => ({
  spec,
  mutations: (['a typo in a key', 'not in the enum'] as const).flatMap(mistake => {
    const all = listSites(spec.text).flatMap(site => MISTAKES[mistake](spec.text, site, random));
    return Array.from({ length: Math.min(DRAWN, all.length) }, () => all[random.int(all.length)] ?? all[0]).filter(
      mutation => mutation !== undefined,
    );
  }),
}));

describe.each(drawn)('$spec.title', ({ spec, mutations }) => {
  test(`lintel fix of random mutations in ${spec.title} removes the findings it fixes, and brings no new finding`, async () => {
    const sound = new Set((await fixed(spec.text, spec.file)).attempt.diagnostics.map(identityOf));
    let count = 0;
    for (const { title, text } of mutations) {
      const once = await fixed(text, spec.file);
      const source = once.changed.get(spec.file);
      if (source === undefined) continue;
      count += 1;
      for (const { found, pointer } of once.fixes) {
        expect(found.pointer + pointer + found.object?.kind, title).not.toMatch(ACCESS);
        const atPlace = once.attempt.diagnostics.filter(one => one.pointer === pointer && !sound.has(identityOf(one)));
        expect(atPlace.map(identityOf), title).toEqual([]);
      }
      expect(withoutWords(source.text), title).toBe(withoutWords(text));
      expect((await fixed(source.text, spec.file)).fixes, title).toEqual([]);
    }
    expect(count).toBeGreaterThan(0);
  });
});

/** Without the words, which a fix may change. */
function withoutWords(text: string): string {
  return text.replaceAll(/[\w./-]+/g, 'w');
}
