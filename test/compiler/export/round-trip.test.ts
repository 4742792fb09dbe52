/** Specs that `lintel export` turns into a program keep their meaning. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportProgram } from '../../../compiler/export/index.ts';
import type { SourceDocument } from '../../../compiler/source/source-document.ts';
import { expectGolden } from '../../support/golden.ts';
import { typeErrors } from '../../support/type-check.ts';
import {
  compileMeaning,
  folderRoundTrip,
  goldenInputs,
  listFindings,
  readFolder,
  roundTrip,
  type Trip,
} from './round-trip.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');

const examples = [
  ['ci', 'specs'],
  ['identity', 'specs'],
  ['optimizer', 'specs'],
  ['policies', 'specs'],
  ['quickstart', 'specs'],
  ['registry', 'registry.yaml'],
  ['registry-local', 'registry.yaml'],
  ['scale-out', 'specs'],
  ['servers', 'specs'],
  ['sign-in', 'specs'],
  ['workflows', 'specs'],
] as const;

describe('round trips', () => {
  test('this test exports every example with specs', () => {
    const isOurs = ({ value }: SourceDocument) => /"lintel.dev\/v|"registries":/.test(JSON.stringify(value) ?? '');
    const all = readdirSync(EXAMPLES).filter(name => readFolder(EXAMPLES, name).documents.some(isOurs));
    // A Flux document, in which the API group is ordinary text.
    expect(all.filter(name => name !== 'flux' && name !== 'argocd').sort()).toEqual(examples.map(([name]) => name));
  });

  test.each(examples)('the program exported from examples/%s synthesizes the same objects', (name, path) => {
    expectSame(folderRoundTrip(join(EXAMPLES, name), path, name));
  });

  test.each(goldenInputs())(
    'the program exported from the golden input $name synthesizes the same objects',
    ({ name, sources, catalog }) => {
      expectSame(roundTrip(sources, name, catalog));
    },
  );

  test.each(examples)('lintel export writes the expected program for examples/%s', (name, path) => {
    const { program } = folderRoundTrip(join(EXAMPLES, name), path, name);
    expectGolden(join(import.meta.dirname, 'expected', name), new Map([['app.ts.txt', program]]));
  });

  test('lintel export writes Gateway constructs for all sample gateways except those with settings that are redundant or have no effect', () => {
    const reasons = goldenInputs().flatMap(({ name, sources }) =>
      writtenOut(exportProgram(sources, { title: name }).text).map(reason => `${name}: ${reason}`),
    );
    expect(reasons).toEqual([
      'aggregation-prefix: `priorityOrder` has no effect without the strategy `priority`.',
      'exclude-all-tools: `filter` and `excludeAll` have no effect together with `excludeAllTools`.',
      'hidden-by-config: `filter` and `overrides` have no effect together with `toolConfigRef`.',
      'incoming-auth: `clientSecretEnv` has no effect without `introspectionUrl`.',
      'incoming-auth: `config.incomingAuth.authz` has the type `none` and further fields.',
      'incoming-auth: `config.incomingAuth` has no effect next to `incomingAuth`.',
      'operational: `config.name` is not the name of the object.',
      'overridden-blocks: `config.groupRef` and `groupRef` name different groups.',
      'static-backends: two backends of the gateway have the same name.',
      'static-backends-while-discovered: `config.backends` has no effect without the source `inline`.',
      'tool-config-ref: `filter` and `overrides` have no effect together with `toolConfigRef`.',
    ]);
    const ofExamples = examples.map(([name, path]) => folderRoundTrip(join(EXAMPLES, name), path, name).program);
    // The one of examples/sign-in, which is plain HTTP on one machine.
    expect(ofExamples.flatMap(writtenOut)).toEqual([
      '`AuthServer` cannot express the whole authorization server of the gateway and its issuer.',
    ]);
    expect(ofExamples.filter(program => program.includes('new Gateway(')).length).toBe(7);
  });

  test('the programs exported from all examples and golden inputs have no type errors', () => {
    const programs = [
      ...examples.map(([name, path]) => [
        `example-${name}.ts`,
        folderRoundTrip(join(EXAMPLES, name), path, name).program,
      ]),
      ...goldenInputs().map(({ name, sources }) => [`${name}.ts`, exportProgram(sources, { title: name }).text]),
    ];
    // Type errors of the programs only: the library is checked with its own options.
    expect(typeErrors(Object.fromEntries(programs)).filter(error => !error.startsWith('/'))).toEqual([]);
  });
});

/** Why gateways are written out. */
function writtenOut(program: string): string[] {
  const made = program.match(/(?<=\n)( *\/\/ .*\n)* *(const \w+ = )?new VirtualMCPServer\(/g) ?? [];
  return made.map(text => /Written out: (.*)/.exec(text)?.[1] ?? text);
}

function expectSame({ before, after }: Trip): void {
  expect(before.gateways.length + before.servers.length + before.registries.length).toBeGreaterThan(0);
  expect(compileMeaning(after)).toEqual(compileMeaning(before));
  const known = listFindings(before);
  expect(listFindings(after).filter(finding => !known.includes(finding))).toEqual([]);
}
