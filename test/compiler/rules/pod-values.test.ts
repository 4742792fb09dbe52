import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const server = (fields: string) => object('MCPServer', `{ image: x, ${fields} }`);

test.each(['500m', '2', '0.5', '.5', '1.', '+1', '256Mi', '1Gi', '1G', '1E', '1E3', '1e-3', '100k', '5u', '12n'])(
  'the rule podValues accepts the quantity %s',
  text => {
    expect(
      judge('podValues', server(`resources: { limits: { memory: "${text}" }, requests: { cpu: "${text}" } }`)),
    ).toEqual([]);
  },
);

test.each(['256MB', '256 Mi', '256mi', '1 core', '-1', '1,5', 'Mi', '.', '1e', '1Ki2', '½'])(
  'the rule podValues reports the quantity %s',
  text => {
    expect(judge('podValues', server(`resources: { limits: { memory: "${text}" } }`))).toEqual([
      `LNT1012 error 4:50 expected a quantity such as "500m", "2" or "256Mi", found "${text}"`,
    ]);
  },
);

test('the rule podValues checks the quantities of every kind', () => {
  const bad = '{ limits: { cpu: a, memory: b }, requests: { cpu: c, memory: d } }';
  const said = [
    server(`resources: ${bad}`),
    object('MCPRemoteProxy', `{ remoteUrl: "https://x.example.com", resources: ${bad} }`),
    object('EmbeddingServer', `{ model: m, image: x, resources: ${bad}, modelCache: { size: e } }`),
  ].map(text => judge('podValues', text).map(line => line.slice(-3)));
  const four = ['"a"', '"b"', '"c"', '"d"'];
  expect(said).toEqual([four, four, [...four, '"e"']]);
});

test('the rule podValues accepts empty quantities and names', () => {
  expect(judge('podValues', server('resources: { limits: { cpu: "" } }, serviceAccount: ""'))).toEqual([]);
});

test.each([
  ['toolhive', []],
  ['team-a.runner', []],
  ['Team', ['"Team"']],
  ['a_b', ['"a_b"']],
  ['-a', ['"-a"']],
  ['a'.repeat(254), [`"${'a'.repeat(59)}`]],
])('the rule podValues gives the expected findings for the service account %s', (name, expected) => {
  const spec = `incomingAuth: { type: anonymous }\n  serviceAccount: ${name}`;
  const found = judge('podValues', gateway(spec), server(`serviceAccount: ${name}`));
  const said = expected.map(text => expect.stringContaining(`${text}`));
  expect(found).toEqual([...said, ...said]);
  for (const line of found) expect(line).toMatch(/^LNT1012 error .* is not a valid name of a service account/);
});
