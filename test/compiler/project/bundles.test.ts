/** Configuration, suppressions and baseline do not decide which bundles are built, only which findings are reported. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CODES, type Compilation, type DiagnosticCode } from '#compiler';
import { DEFAULT_LINT_OPTIONS, type LintOptions, toBaselineEntries } from '../../../compiler/lint/index.ts';
import { FOREIGN } from '../../e2e/specs.ts';
import { SPEC_EXAMPLES } from '../../support/code-examples.ts';
import { runs } from '../../support/runs.ts';
import { judged } from './judging.ts';

/** Each gateway in its own namespace, so that the examples do not interfere. */
const EXAMPLES = SPEC_EXAMPLES.filter(({ is }) => is === 'bad').map(({ code, text }) => [code, text] as const);

const codes = fc.constantFrom(...(Object.keys(CODES) as DiagnosticCode[]));
const judgement: fc.Arbitrary<Partial<LintOptions>> = fc.record({
  profile: fc.record({
    name: fc.constantFrom('minimal', 'recommended', 'strict'),
    version: fc.constant('2026.1'),
  }),
  severity: fc
    .array(fc.tuple(codes, fc.constantFrom('error', 'warning', 'hint', 'off')), { maxLength: 20 })
    .map(pairs => new Map(pairs)),
});

const bundles = ({ gateways }: Compilation) =>
  gateways.map(({ object, bundle }) => [object.name, bundle === null ? null : JSON.stringify(bundle)]);

const everything = (found: Compilation['findings']['all']): LintOptions['baseline'] => {
  const toName = (file: string) => file;
  const start = { line: 1, column: 1, offset: 0 };
  const getRange = () => ({ start, end: start });
  return { file: 'baseline.json', entries: toBaselineEntries(found, toName), gone: new Set(), getRange, toName };
};

test('profiles, severities and a baseline leave the bundles of every example unchanged', () => {
  fc.assert(
    fc.property(fc.constantFrom(...EXAMPLES), judgement, fc.boolean(), ([, text], project, hasBaseline) => {
      for (const purpose of ['check', 'build'] as const) {
        const plain = judged([text, FOREIGN], { purpose });
        const baseline = hasBaseline ? everything(plain.findings.all) : undefined;
        const other = judged([text, FOREIGN], { purpose, project: { ...project, baseline } });
        expect(bundles(other)).toEqual(bundles(plain));
        expect(other.hasErrors).toBe(plain.hasErrors);
      }
    }),
    { seed: 11, numRuns: runs(400) },
  );
});

test('lintel build reports every error that prevents a bundle, whatever the profile, severities and baseline', () => {
  for (const [code, text] of EXAMPLES) {
    // A plain-text secret is an error only by the profile, so its bundle is built.
    const errors = ({ findings }: Compilation) =>
      findings.all.filter(({ code, severity }) => severity === 'error' && CODES[code].check === undefined);
    const plain = judged(text, { purpose: 'build' });
    const severity = new Map((Object.keys(CODES) as DiagnosticCode[]).map(each => [each, 'off'] as const));
    const project = { ...DEFAULT_LINT_OPTIONS, severity, baseline: everything(plain.findings.all) };
    expect(errors(judged(text, { purpose: 'build', project })), code).toEqual(errors(plain));
  }
});

test('lintel build reports a suppressed error, and does not call its suppression unused', () => {
  const text = (comment: string) => `${comment}apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  config: { aggregation: { conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [github] }, defaultToolVisibility: deny } }
---
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github }
spec: { remoteUrl: https://github.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
`;
  const suppressed = text('# lintel-ignore LNT3014: soon\n');
  expect(judged(suppressed).findings).toMatchObject({ all: [], suppressed: [{}] });
  const built = judged(suppressed, { purpose: 'build' });
  expect(built.findings.all.map(({ code, severity }) => [code, severity])).toEqual([['LNT3014', 'error']]);
  expect(built.gateways[0]?.bundle).toBeNull();
});

test('a suppression has no effect on LNT1009, a field that is not served yet, which is an error in lintel check and lintel build', () => {
  const text = `# lintel-ignore LNT1009: soon
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  config: { codeMode: { enabled: true } }
---
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github }
spec: { remoteUrl: https://github.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
`;
  const found = (purpose: 'language' | 'check' | 'build') =>
    judged(text, { purpose }).findings.all.map(({ code, severity }) => [code, severity]);
  const about = ['LNT1034', 'warning'];
  expect(found('check')).toEqual([about, ['LNT1009', 'error']]);
  expect(found('build')).toEqual([about, ['LNT1009', 'error']]);
  expect(found('language')).toEqual([about, ['LNT1009', 'hint']]);
});
