/** Unquoted scalars that YAML 1.1 and YAML 1.2 read differently: a warning with both values, wherever YAML is read. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compile, readTexts, SourceText } from '#compiler';
import { findTwoReadings, mayHaveTwoReadings } from '../../../compiler/source/two-readings.ts';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';

const GATEWAY = (mode: string) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  podTemplateSpec:
    spec:
      volumes:
        - name: notes
          configMap: { name: notes, defaultMode: ${mode} }
`;

function found(...texts: readonly [file: string, text: string][]) {
  const sources = readTexts(texts.map(([file, text]) => new SourceText(file, text)));
  const { findings } = compile(sources, {
    purpose: 'check',
    origin: { compilerVersion: 'test', sourceRevision: null },
  });
  return findings.all.filter(({ code }) => code === 'LNT1024');
}

test.each<[text: string, message: string, help: string]>([
  [
    '0644',
    'the number 420, … the number 644',
    'Write 420 or 644 for the number that is meant, or "0644" in quotes for the text',
  ],
  [
    '-0644',
    'the number -420, … the number -644',
    'Write -420 or -644 for the number that is meant, or "-0644" in quotes for the text',
  ],
  ['0o644', 'the text "0o644", … the number 420', 'Write 420 for the number, or "0o644" in quotes for the text'],
  ['1_000', 'the number 1000, … the text "1_000"', 'Write 1000 for the number, or "1_000" in quotes for the text'],
  ['1:30', 'the number 90, … the text "1:30"', 'Write 90 for the number, or "1:30" in quotes for the text'],
  ['0b11', 'the number 3, … the text "0b11"', 'Write 3 for the number, or "0b11" in quotes for the text'],
  ['yes', 'the boolean true, … the text "yes"', 'Write true for the boolean, or "yes" in quotes for the text'],
  ['No', 'the boolean false, … the text "No"', 'Write false for the boolean, or "No" in quotes for the text'],
  ['ON', 'the boolean true, … the text "ON"', 'Write true for the boolean, or "ON" in quotes for the text'],
  ['off', 'the boolean false, … the text "off"', 'Write false for the boolean, or "off" in quotes for the text'],
])('a warning says how YAML 1.1 and YAML 1.2 parsers read the text %s', (text, message, help) => {
  const [older, newer] = message.split(' … ');
  expect(findTwoReadings(text)).toEqual({
    message: `readers of YAML 1.1 take this for ${older} readers of YAML 1.2, such as Lintel, for ${newer}`,
    help,
  });
});

test.each([
  ...['0', '-0', '8', '08', '09', '0.5', '1.5', '1e3', '0x1F', '420', '00', '+1', 'true', 'False', 'null', '~', '.inf'],
  ...[
    'nginx:1.27',
    '127.0.0.1:8080',
    '10:99',
    '2026-11-27',
    '5m',
    '1h30m',
    'yess',
    'only',
    'node',
    'Nothing',
    '0.1.0',
    '.',
    '..',
    'y',
    'N',
    '30s',
  ],
])('%s has the same value in YAML 1.1 and YAML 1.2', text => {
  expect(findTwoReadings(text)).toBeUndefined();
});

test('the warning about YAML versions covers every random text that the versions parse differently', () => {
  const letters = fc.constantFrom(...'0123456789+-._:exobnfs'.split(''));
  const texts = fc.oneof(
    fc.string({ unit: letters, minLength: 1, maxLength: 9 }),
    fc.stringMatching(/^[-+]?[0-9][0-9_]{0,3}(?::[0-5]?[0-9]){0,2}(?:\.[0-9_]{0,3})?$/),
    fc.stringMatching(/^[-+]?0(?:[0-7_]{1,4}|[box][0-9a-f_]{1,4})$/),
  );
  let different = 0;
  const isTelling = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value) && !Number.isNaN(value);
  fc.assert(
    fc.property(texts, text => {
      let values: unknown[];
      try {
        values = ['1.1', '1.2'].map(
          version => parse(text, { version: version as '1.1', logLevel: 'silent' }) as unknown,
        );
      } catch {
        return;
      }
      if (!values.every(isTelling) || Object.is(values[0], values[1]) || /^(?:[yYnN]|[-+]?[eE].*)$/.test(text)) return;
      different += 1;
      expect(mayHaveTwoReadings(text), text).toBe(true);
    }),
    { numRuns: 5_000 },
  );
  expect(different).toBeGreaterThan(500);
});

describe('LNT1024', () => {
  test('a value that YAML 1.1 and YAML 1.2 parse differently gives LNT1024 at the position of the value', () => {
    const [finding, ...others] = found(['gateway.yaml', GATEWAY('0644')]);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      severity: 'warning',
      pointer: '/spec/podTemplateSpec/spec/volumes/0/configMap/defaultMode',
      range: { start: { line: 11, column: 50 }, end: { line: 11, column: 54 } },
      object: { kind: 'VirtualMCPServer', name: 'eng' },
    });
  });

  test.each(['"0644"', "'0644'", '!!str 0644', '420'])('a spec with the value %s gives no LNT1024', mode => {
    expect(found(['gateway.yaml', GATEWAY(mode)])).toEqual([]);
  });

  test('a key that YAML versions parse differently gives LNT1024', () => {
    const text = GATEWAY('420').replace('{ name: eng }', '{ name: eng, labels: { on: "1" } }');
    expect(found(['gateway.yaml', text]).map(({ pointer }) => pointer)).toEqual(['/metadata/labels/on']);
    expect(found(['gateway.yaml', text.replace(' on:', ' "on":')])).toEqual([]);
  });

  test('an ambiguous value in a ConfigMap gives LNT1024, and the same value in a Service gives no LNT1024', () => {
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata:\n  enabled: yes\n';
    expect(found(['map.yaml', map]).map(({ pointer }) => pointer)).toEqual(['/data/enabled']);
    expect(found(['other.yaml', map.replace('ConfigMap', 'Service')])).toEqual([]);
  });

  test('an ambiguous value with an anchor gives at most one LNT1024', () => {
    const text = GATEWAY('&mode 0644').replace(
      '      volumes:',
      '      securityContext: { fsGroup: *mode }\n      volumes:',
    );
    const ordered = GATEWAY('*mode').replace(
      '      volumes:',
      '      securityContext: { fsGroup: &mode 0644 }\n      volumes:',
    );
    expect(found(['gateway.yaml', text])).toHaveLength(0);
    expect(found(['gateway.yaml', ordered])).toHaveLength(1);
  });

  const CONFIG =
    'sources:\n  - name: a\n    api: { endpoint: "https://r.example.com" }\n    claims: { team: 0123 }\nregistries: [{ name: main, sources: [a] }]\nauth: { mode: anonymous }\n';

  test('an ambiguous value in a registry configuration gives LNT1024, both in a file and in an MCPRegistry', () => {
    expect(found(['registry.yaml', CONFIG])).toHaveLength(1);
    const indented = CONFIG.replace(/^/gm, '    ').trimEnd();
    const inside = `apiVersion: lintel.dev/v1beta1\nkind: MCPRegistry\nmetadata: { name: r }\nspec:\n  configYAML: |\n${indented}\n`;
    expect(found(['inside.yaml', inside]).map(({ range }) => range.start.line)).toEqual([9]);
  });

  test('an ambiguous value in lintel.yaml ends lintel check with exit code 2', async () => {
    await using folder = await temporaryFolder({ 'lintel.yaml': 'sources: [yes]\n' });
    const { code, stderr } = await runLintel(['check'], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toMatch(/LNT1024.*readers of YAML 1\.1 take this for the boolean true[\s\S]*lintel\.yaml:1:11/);
  });

  test('the value off for a severity in lintel.yaml gives no LNT1024', async () => {
    await using folder = await temporaryFolder({ 'lintel.yaml': 'severity: { LNT7011: off }\n' });
    const { stderr } = await runLintel(['check'], { cwd: folder.path });
    expect(stderr).not.toContain('LNT1024');
  });
});

test.each([
  ['a value of a Secret', 'apiVersion: v1\nkind: Secret\nmetadata: { name: a }\nstringData:\n  pin: 0123\n', '0123'],
  ['a long number', GATEWAY('01234567012345'), '01234567012345'],
])('the finding LNT1024 does not repeat %s in its message, help or fix', (_, text, value) => {
  const [finding] = found(['secret.yaml', text]);
  expect(finding?.message).toBe(
    'readers of YAML 1.1 take this for another value than readers of YAML 1.2, such as Lintel',
  );
  expect(JSON.stringify([finding?.message, finding?.help, finding?.fix])).not.toContain(value);
});
