/** Editors show the example in a doc comment: each one compiles unchanged, with the names that it assumes. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as cdk8sLibrary from '../../../../compiler/cdk8s/index.ts';
import * as testingLibrary from '../../../../testing/index.ts';
import { ROOT } from '../../../support/process.ts';
import { typeErrors } from '../../../support/type-check.ts';

const namesOf = (library: object) => Object.keys(library).join(', ');

/** Code that examples omit because every program has it. */
const AROUND = `import { App, Chart } from 'cdk8s';
import { ${namesOf(cdk8sLibrary)}, type LockedBackend, type OidcIssuer } from 'lintel/cdk8s';
import { ${namesOf(testingLibrary)} } from '../../testing/index.ts';
type Page = { total: number; items: { title: string; number: number }[]; next?: { page: number } };
type Chat = { post: { input: { text: string }; output: { text: string } } };
type Github = {
  search: { input: { query: string }; output: OUTPUT };
  create_issue: { input: { repo?: string; title: string }; output: { number: number } };
  close_all: { input: { comment?: string }; output: unknown };
  add_label: { input: { number: number; label: string }; output: unknown };
};
declare const expect: (value: unknown) => { toEqual(other: unknown): void; toBe(other: unknown): void };
declare const catalog: { github: LockedBackend<Github> };
declare const app: App;
declare const chart: Chart;
declare const group: Group, eng: Group;
declare const incoming: Incoming;
declare const github: Backend<Github>, gitlab: Backend, docs: Backend;
declare const gateway: Gateway;
declare const issuer: OidcIssuer;
declare const chat: Backend<Chat>;
declare const settings: { issuer: string }, team: string, limit: number;
declare const ours: RegistrySource;
const wf = new Workflow(gateway, 'triage', { description: 'Triages issues', input: { repo: 'string' } });
const found = wf.step('found', github.tools.search, { query: 'is:open' });
const created = wf.step('created', chat.tools.post, { text: 'created' });
`;

interface Example {
  readonly place: string;
  readonly code: string;
}

function examplesOf(file: string): Example[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].flatMap(({ 0: comment, index }) => {
    const lines = comment.split('\n').map(line => line.replace(/^\s*(?:\/\*\*|\*\/|\*) ?/, '').replace(/\*\/$/, ''));
    const line = text.slice(0, index).split('\n').length;
    return lines.flatMap((one, at) => {
      if (one.trim() !== '@example') return [];
      const rest = lines.slice(at + 1);
      const end = rest.findIndex(next => next.startsWith('@'));
      return [{ place: `${file}:${line + at + 1}`, code: rest.slice(0, end === -1 ? undefined : end).join('\n') }];
    });
  });
}

const EXAMPLES = globSync(['compiler/cdk8s/**/*.ts', 'testing/**/*.ts'], { cwd: ROOT }).sort().flatMap(examplesOf);

test('every example in the comments of constructs and lintel/testing type-checks', () => {
  expect(EXAMPLES.length).toBeGreaterThan(60);
  const texts = EXAMPLES.map(({ place, code }, index) => {
    const file = `example-${index}.ts`;
    const around = AROUND.replace('OUTPUT', place.startsWith('testing/') ? "Pick<Page, 'total'>" : 'Page');
    return { place, file, text: `${around}export async function example(this: Chart): Promise<void> {\n${code}\n}\n` };
  });
  const first = AROUND.split('\n').length;
  const errors = typeErrors(Object.fromEntries(texts.map(({ file, text }) => [file, text])), { isPlain: true });
  const shown = errors.map(error => {
    const [, file = '', line = '', message = ''] = /^(\S+?):(\d+) (.*)$/s.exec(error) ?? [];
    const { place = file, text = '' } = texts.find(one => one.file === file) ?? {};
    return `${place}+${Number(line) - first - 1} ${message}: ${text.split('\n')[Number(line) - 1]?.trim()}`;
  });
  expect(shown).toEqual([]);
});
