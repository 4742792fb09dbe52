/** Specs that are exported to a program keep their meaning. */
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

  test('lintel export writes Gateway constructs for all sample gateways but those with redundant or idle settings', () => {
    const reasons = goldenInputs().flatMap(({ name, sources }) =>
      writtenOut(exportProgram(sources, { title: name }).text).map(reason => `${name}: ${reason}`),
    );
    expect(reasons).toEqual([
      'aggregation-prefix: an order of priority is there, and not the strategy.',
      'exclude-all-tools: `excludeAllTools` makes parts of `tools` idle.',
      'hidden-by-config: an MCPToolConfig makes parts of `tools` idle.',
      'incoming-auth: it has a client secret that is never sent.',
      'incoming-auth: its `authz` is of type `none`, and has more.',
      'incoming-auth: `config.incomingAuth` is there together with `incomingAuth`.',
      'operational: `config.name` is another name.',
      'overridden-blocks: `config.groupRef` is another group.',
      'static-backends: two of its backends have one name.',
      'static-backends-while-discovered: its backends are written out, and not read.',
      'tool-config-ref: an MCPToolConfig makes parts of `tools` idle.',
    ]);
    const ofExamples = examples.map(([name, path]) => folderRoundTrip(join(EXAMPLES, name), path, name).program);
    // The one of examples/sign-in, which is plain HTTP on one machine.
    expect(ofExamples.flatMap(writtenOut)).toEqual([
      '`AuthServer` has no word for a part of its authorization server, or for its issuer.',
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
