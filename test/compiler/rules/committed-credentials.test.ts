import { expect, test } from 'vitest';
import { compile, findLine, readTexts, renderPretty, SourceText } from '#compiler';

const TOKEN = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
const encoded = Buffer.from(`${TOKEN}\n`).toString('base64');

const core = (kind: string, fields: string) => `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: hub\n${fields}\n`;

const REGISTRY = `sources:
  - name: own
    git:
      repository: https://git.example.com/own.git
      branch: ${TOKEN}
registries: [{ name: own, sources: [own] }]
auth: { mode: anonymous }
`;

const OPTIONS = { purpose: 'check', origin: { compilerVersion: '0.0.0', sourceRevision: null } } as const;

function judge(text: string) {
  const sources = readTexts([new SourceText('spec.yaml', text)]);
  const { findings } = compile(sources, OPTIONS);
  return { found: findings.all.filter(({ code }) => code === 'LNT6024'), findings, sources };
}

test.each<[what: string, text: string, expected: readonly string[]]>([
  [
    'a Secret with a literal token',
    core('Secret', `stringData:\n  token: ${TOKEN}`),
    ['6:3 key "token" of the Secret holds a token of GitHub in the clear'],
  ],
  [
    'a Secret with a token in Base64',
    core('Secret', `data:\n  token: ${encoded}`),
    ['6:3 key "token" of the Secret holds a token of GitHub in Base64, which hides nothing'],
  ],
  [
    "a token in kubectl's annotation of a Secret",
    core(
      'Secret',
      `  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{"stringData":{"token":"${TOKEN}"}}'`,
    ),
    ['6:5 key "kubectl.kubernetes.io/last-applied-configuration" of the Secret holds a token of GitHub in the clear'],
  ],
  [
    'a ConfigMap with a token',
    core('ConfigMap', `data:\n  settings.yaml: |\n    github: ${TOKEN}`),
    ['6:3 key "settings.yaml" of the ConfigMap holds a token of GitHub in the clear'],
  ],
  [
    'encrypted values, placeholders and tokens of unknown services',
    core(
      'Secret',
      'stringData:\n  a: ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]\n  b: ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxx\n  c: hunter2',
    ),
    [],
  ],
  ['a registry configuration', REGISTRY, ['5:7 branch holds a token of GitHub in the clear']],
  [
    'a registry configuration with an error',
    REGISTRY.replace('registries:', 'registrys:'),
    ['5:7 branch holds a token of GitHub in the clear'],
  ],
  [
    'configYAML of an MCPRegistry',
    `apiVersion: lintel.dev/v1beta1\nkind: MCPRegistry\nmetadata: { name: own }\nspec:\n  configYAML: |\n${REGISTRY.replace(/^/gm, '    ')}`,
    ['5:3 configYAML holds a token of GitHub in the clear'],
  ],
])('the rule committedCredentials gives the expected findings for: %s', (_, text, expected) => {
  const { found, findings, sources } = judge(text);
  expect(found.map(({ range, message }) => `${range.start.line}:${range.start.column} ${message}`)).toEqual(expected);
  // No source frame shows it.
  const printed = renderPretty(findings, (file, line) => findLine(sources, file, line), { color: false });
  expect(printed).not.toContain(TOKEN);
  expect(printed).not.toContain(encoded);
});

test('LNT6024, about a credential in a spec, is an error, and a lintel-ignore comment with a reason suppresses it', () => {
  const text = core('Secret', `stringData:\n  token: ${TOKEN}`);
  expect(judge(text).found.map(({ severity }) => severity)).toEqual(['error']);
  const suppressed = text.replace('  token:', '  # lintel-ignore LNT6024: opens nothing\n  token:');
  const { findings } = compile(readTexts([new SourceText('spec.yaml', suppressed)]), OPTIONS);
  expect(findings.suppressed.map(({ finding }) => finding.code)).toEqual(['LNT6024']);
});
