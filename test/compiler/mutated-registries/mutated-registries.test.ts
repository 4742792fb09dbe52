/** Thousands of broken registry configurations: none crashes the compiler, findings have places, and no bundle means something else. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { CODES, type Compilation, type Diagnostic, type RegistryExposure } from '#compiler';
import { formatCanonicalJson } from '#schemas';
import { findRegistryProblem } from '../../../runtime/bundle/registry-shape.ts';
import { runs } from '../../support/runs.ts';
import { compileConfig, formatFindings } from '../registry/compiling.ts';
import { BASES } from './bases.ts';
import { damage, mutations } from './mutations.ts';

const SEED = 20261122;
const FILE = 'registry.yaml';
const config = fc.tuple(fc.constantFrom(...BASES), mutations).map(([[, base], changes]) => {
  return changes.reduce<unknown>((value, change) => change(value), base);
});

function expectPlaced({ code, message, file, pointer, range: { start, end } }: Diagnostic, text: string): void {
  expect(CODES).toHaveProperty(code);
  expect(message).not.toBe('');
  expect(message).not.toContain('nothing reads it');
  expect(file).toBe(FILE);
  expect(pointer).toMatch(/^(?:\/|$)/);
  expect(start.line).toBeGreaterThanOrEqual(1);
  expect(start.line).toBeLessThanOrEqual(text.split('\n').length);
  expect(start.column).toBeGreaterThanOrEqual(1);
  expect(start.offset).toBeLessThanOrEqual(end.offset);
  expect(end.offset).toBeLessThanOrEqual(text.length);
}

/** Compiles a text and checks what must hold for every text, even if it is no configuration. */
function judged(text: string): Compilation {
  const compiled = compileConfig(text);
  const { findings, registries } = compiled;
  for (const finding of findings.diagnostics) expectPlaced(finding, text);
  expect(registries.length).toBeLessThanOrEqual(1);
  for (const { bundle, exposure } of registries) {
    if (findings.counts.error > 0) {
      expect([bundle, exposure()]).toEqual([null, null]);
      continue;
    }
    // A feature that is not supported yet is a hint for `check`, and prevents a bundle too.
    if (bundle === null) expect(findings.diagnostics.map(({ code }) => code)).toContain('LNT1009');
    else expect(findRegistryProblem(JSON.parse(formatCanonicalJson(bundle)))).toBeUndefined();
    expectSound(exposure());
  }
  return compiled;
}

/** Checks that no caller is admitted without a token unless the spec says so, and that a caller with more claims sees at least as much. */
function expectSound(exposure: RegistryExposure | null): void {
  expect(exposure).not.toBeNull();
  const claimed = new Set(exposure?.callers.flatMap(caller => (caller.type === 'claims' ? caller.name : [])));
  for (const { access, answers } of exposure?.routes ?? []) {
    for (const answer of answers) {
      if (answer.caller !== 'no token') expect(answer).not.toMatchObject({ status: 401 });
      else if (access === 'caller') expect(answer).toEqual({ caller: 'no token', answer: 'deny', status: 401 });
      else expect(answer.answer).toBe('allow');
    }
    const most = answers.find(({ caller }) => caller === 'super admin');
    if (most?.answer !== 'allow') continue;
    const seen = answers
      .filter(({ caller }) => claimed.has(caller))
      .flatMap(one => ('sources' in one ? one.sources : []));
    expect(most.sources ?? []).toEqual(expect.arrayContaining([...new Set(seen)]));
  }
}

const dataOf = ({ registries }: Compilation): string =>
  JSON.stringify(registries.map(({ bundle, exposure }) => [bundle, exposure()]));

const severities = ({ findings }: Compilation) =>
  findings.diagnostics.map(({ code, severity, message }) => `${severity} ${code} ${message}`).toSorted();

describe('mutated configurations', () => {
  test.each(BASES)('the registry configuration %s compiles without errors before it is mutated', (_, base) => {
    const compiled = judged(stringify(base));
    expect(compiled.findings.counts.error).toBe(0);
    expect(compiled.registries[0]?.bundle).not.toBeNull();
  });

  test('randomly mutated registry configurations compile the same in YAML and JSON, to a bundle or to errors with places', () => {
    const seen = { built: 0, refused: 0 };
    fc.assert(
      fc.property(config, value => {
        const text = stringify(value, { aliasDuplicateObjects: false });
        const compiled = judged(text);
        const again = compileConfig(text);
        expect([formatFindings(again), dataOf(again)]).toEqual([formatFindings(compiled), dataOf(compiled)]);
        const built = compiled.registries.length === 1 && compiled.findings.counts.error === 0;
        seen[built ? 'built' : 'refused'] += 1;
        if (!built) return;
        expect(dataOf(compileConfig(JSON.stringify(value)))).toBe(dataOf(compiled));
      }),
      { seed: SEED, numRuns: runs(2000) },
    );
    // Neither may be rare: a mutation that compiles is checked by its bundle.
    expect(seen.built).toBeGreaterThan(runs(150));
    expect(seen.refused).toBeGreaterThan(runs(200));
  });

  test('randomly mutated registry configurations have the same findings in a file and in an MCPRegistry', () => {
    fc.assert(
      fc.property(config, value => {
        // The object's identity, and what the compiler decides by it.
        const { registryName: _, ...rest } = (value ?? {}) as { registryName?: unknown };
        const text = stringify({ ...rest }, { aliasDuplicateObjects: false });
        const inside = `apiVersion: lintel.dev/v1beta1
kind: MCPRegistry
metadata: { name: registry }
spec:
  configYAML: |-
${text.replace(/^/gm, '    ')}
`;
        const alone = compileConfig(text);
        fc.pre(alone.registries.length === 1);
        const embedded = judged(inside);
        expect(severities(embedded)).toEqual(severities(alone));
        expect(embedded.registries.map(({ bundle }) => bundle?.routes)).toEqual(
          alone.registries.map(({ bundle }) => bundle?.routes),
        );
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  test('randomly damaged texts of registry configurations compile without a crash', () => {
    const texts = BASES.map(([, base]) => stringify(base));
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(damage, { minLength: 1, maxLength: 2 }), (text, damages) => {
        judged(damages.reduce((broken, harm) => harm(broken), text));
      }),
      { seed: SEED, numRuns: runs(1000) },
    );
  });
});
