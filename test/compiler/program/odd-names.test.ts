/** Programs in files and folders whose names have a special meaning in URLs, in globs or on Node's command line. */
import { expect, test } from 'vitest';
import { line, ProgramWorld } from '../../support/program-world.ts';

const NAMES = [
  'ü',
  '★😀',
  'sp ace',
  '(a)',
  "a'b",
  'a"b',
  'a#b',
  'a?b',
  'a%20b',
  '100%',
  '[id]',
  'a*b',
  'a,b',
  'a&b',
  'a:b',
  'a\\b',
];

const PROGRAM = `import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ApiObject, App, Chart } from 'cdk8s';
import { typeOf } from './lib/types.ts';
const chart = new Chart(new App(), 'teams');
new ApiObject(chart, 'team', {
  ...typeOf('ConfigMap'),
  metadata: { name: readFileSync('lib/name.txt', 'utf8'), labels: { folder: basename(import.meta.dirname) } },
});
export default chart;
`;

const LIBRARY = `export const typeOf = (kind: string) => ({ apiVersion: 'v1', kind });
export function fail(): never {
  throw new Error('no team');
}
`;

test.concurrent.each(NAMES)('lintel check finds the places of a program in a folder named %s', async name => {
  // In an import, esbuild takes it for a pattern.
  const file = `${name.replace('*', '+')}.ts`;
  await using world = await ProgramWorld.with({
    [`${name}/package.json`]: '{ "type": "module" }',
    [`${name}/${file}`]: PROGRAM,
    [`${name}/lib/types.ts`]: LIBRARY,
    [`${name}/lib/name.txt`]: 'eng',
    [`${name}/lib/${file}`]: `import { fail } from './types.ts';\nexport default fail();\n`,
  });
  const { outcome, synthesized, inputs } = await world.run(`${name}/${file}`);
  expect(outcome.diagnostics).toEqual([]);
  expect(inputs).toEqual([file, 'lib/types.ts'].map(path => `${world.folder}/${name}/${path}`).sort());
  expect(synthesized?.charts[0]?.objects[0]?.value).toMatchObject({
    metadata: { name: 'eng', labels: { folder: name } },
  });
  const { source, range } = outcome.documents[0]?.program?.locate(['metadata', 'name'], 'value') ?? {};
  expect([source?.file, range?.start.line]).toEqual([`${name}/${file}`, 8]);
  const failed = await world.run(`${name}/lib/${file}`);
  expect(failed.outcome.diagnostics.map(line)).toEqual([
    `LNT1070 error ${name}/lib/types.ts:3:9 the program throws Error: no team`,
  ]);
});
