/** The output of `lintel can` and `lintel matrix`: each golden is a call, its exit code and its output. */
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectGolden } from '../../support/golden.ts';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { GROUP, gateway } from '../specs.ts';

/** A second gateway, without policies and without a lock. */
const OPEN = gateway('open');

const REGISTRY = `registryName: company
sources:
  - { name: internal, file: { path: /srv/internal.json }, claims: { org: example } }
  - { name: platform, file: { path: /srv/platform.json }, claims: { org: example, team: platform } }
  - { name: published, file: { path: /srv/published.json } }
registries:
  - { name: main, sources: [internal, platform, published], claims: { org: [example, elsewhere] } }
  - { name: open, sources: [published] }
auth:
  oauth:
    resourceUrl: https://registry.example.com
    publicPaths: [/registry/open]
    providers: [{ name: corp, issuerUrl: https://login.example.com, audience: https://registry.example.com }]
  authz: { roles: { superAdmin: [{ groups: admins }] } }
`;

/** An expected matrix for the registry that differs from the real one in some answers. */
const EXPECTED_REGISTRY = JSON.stringify({
  formatVersion: 1,
  personas: ['ann', 'bob', 'root', 'zoe'],
  gateways: [],
  registries: [
    {
      namespace: 'default',
      name: 'company',
      complete: true,
      items: [
        { type: 'registry', name: 'main', access: { ann: 'yes', bob: 'no', root: 'yes', zoe: 'no' } },
        { type: 'registry', name: 'open', access: { ann: 'yes', bob: 'yes', root: 'yes', zoe: 'yes' } },
        { type: 'source', name: 'main/platform', access: { ann: 'no', bob: 'no', root: 'yes', zoe: 'yes' } },
      ],
    },
  ],
});

const FILES = {
  'open/open.yaml': `${GROUP}---\n${OPEN}`,
  'broken/spec.yaml': OPEN.replace('anonymous', 'anonimous'),
  'mistakes/syntax.json': '{\n  "sub": "ann",\n  "groups": [staff]\n}\n',
  'mistakes/list.json': '["ann"]\n',
  'mistakes/twice.json': '{ "sub": "ann", "sub": "bob" }\n',
  'mistakes/empty.json': '',
  'mistakes/utf16.json': '\u0000',
  'args/draft.json': '{ "title": "Draft: plan", "text": "…" }\n',
  'args/plan.json': '{ "title": "Plan", "text": "…" }\n',
  'args/number.json': '{ "title": 7, "text": "…" }\n',
  'args/case.json': '{ "Title": "Draft: plan", "text": "…" }\n',
  'none/readme.txt': 'no callers here\n',
  'expected/other.json': '{ "formatVersion": 2 }\n',
  'registry/registry.yaml': REGISTRY,
  'broken-registry/registry.yaml': REGISTRY.replace('org: example', 'org: 7'),
  'readers/ann.json': '{ "sub": "ann", "org": "example", "team": "platform" }\n',
  'readers/bob.json': '{ "sub": "bob", "org": "example", "aud": "other" }\n',
  'readers/root.json': '{ "sub": "root", "groups": ["admins"] }\n',
  'readers/zoe.json': '{ "sub": "zoe", "org": "elsewhere" }\n',
  'expected/registry.json': EXPECTED_REGISTRY,
  'bare.json': '{ "sub": "ann", "groups": ["staff"] }\n',
  'nameless.json': '{ "groups": ["staff"] }\n',
};

async function folder(): Promise<TemporaryFolder> {
  const made = await temporaryFolder(FILES);
  await cp(join(ROOT, 'examples/policies'), made.path, { recursive: true });
  const matrix = await readFile(made.file('matrix.json'), 'utf8');
  const before = matrix
    .replace(/("name": "notes_write",\n[\s\S]*?"ira": )"arguments"/, '$1"no"')
    .replace('"guest": "no"', '"guest": "yes"');
  await made.write({ 'expected/before.json': before, 'empty-lock.json': '{ "lockfileVersion": 1, "backends": {} }\n' });
  return made;
}

async function transcript(cwd: string, call: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await runLintel(call.split(' '), { cwd, input });
  const errors = stderr === '' ? '' : `--- standard error\n${stderr}`;
  return `$ lintel ${call}\nexit code ${code}\n${stdout}${errors}`;
}

async function transcripts(calls: readonly (string | readonly [call: string, input: string])[]): Promise<string> {
  await using made = await folder();
  const texts: string[] = [];
  for (const call of calls) {
    texts.push(typeof call === 'string' ? await transcript(made.path, call) : await transcript(made.path, ...call));
  }
  return texts.join('\n');
}

const CASES = {
  'can-policies': [
    'can call notes_search --as callers/ann.json specs',
    'can call notes_write --as callers/ann.json specs',
    'can call climate_search --as callers/ira.json specs',
    'can call notes_write --as callers/guest.json specs',
    'can call climate_compare --as callers/ann.json specs',
    'can get notes_summarize_note --as callers/ira.json specs',
    'can read note:///sourdough --as callers/ira.json specs',
    'can read note:///unlisted --as callers/ira.json specs',
    'can call climate_search --as callers/ira.json --format json specs',
  ],
  'can-arguments': [
    'can call notes_write --as callers/ira.json specs',
    'can call notes_write --as callers/ira.json --args args/draft.json specs',
    'can call notes_write --as callers/ira.json --args args/plan.json specs',
    'can call notes_write --as callers/ira.json --args args/number.json specs',
    'can call notes_write --as callers/ira.json --args args/case.json specs',
    'can call notes_write --as callers/ira.json --args args/case.json --format json specs',
    ['can call notes_write --as callers/ira.json --args - specs', '{ "title": "Draft: x" }'],
    'can call notes_write --as callers/ira.json --args {"title":"Plan","text":"x"} specs',
  ],
  'can-callers': [
    'can call notes_search specs',
    'can call notes_search --as anonymous specs',
    'can call notes_search --as callers/partner.json specs',
    'can call notes_search --as bare.json specs',
    'can call notes_search --as nameless.json specs',
    [
      'can call notes_search --as - specs',
      '{ "sub": "zoe", "aud": ["other", "third"], "exp": 1, "groups": ["guests"] }',
    ],
    'can call anything --as bare.json open',
    'can call notes_search --as zoe,group=staff specs',
    'can call notes_search --as zoe,groups=staf specs',
    'can call notes_search --as {"sub":"zoe","groups":["staff"]} specs',
  ],
  'can-without-a-lock': [
    'can call notes_write --as callers/ann.json --catalog empty-lock.json specs',
    'can call notes_search --as callers/ira.json --catalog empty-lock.json specs',
    'can get anything --as callers/ira.json --catalog empty-lock.json specs',
  ],
  'can-mistakes': [
    'can call notes_serch --as callers/ann.json specs',
    'can get notes_sumarize_note --as callers/ann.json specs',
    'can call x --as callers/ann.json specs',
    'can call notes_search --as mistakes/syntax.json specs',
    'can call notes_search --as mistakes/list.json specs',
    'can call notes_search --as mistakes/twice.json specs',
    'can call notes_search --as mistakes/empty.json specs',
    'can call notes_search --as mistakes/utf16.json specs',
    'can call notes_search --as callers specs',
    'can call notes_search --as nobody.json specs',
    'can call notes_search --as callers/anne.json specs',
    'can call notes_search --args mistakes/list.json specs',
    'can call notes_search --args {"title": specs',
    ['can call notes_search --as - --args - specs', '{}'],
    'can read note:///sourdough --args args/plan.json specs',
    'can call notes_search --gateway taem specs',
    'can call notes_search specs open',
    'can call notes_search broken',
    'can fetch notes_search specs',
    'can notes_search --as ann specs',
    'can note:///sourdough specs',
    'can cal notes_search specs',
    'can call',
  ],
  matrix: [
    'matrix --as callers specs',
    'matrix --as callers --format markdown specs',
    'matrix --as callers --format csv specs',
  ],
  'matrix-expected': [
    'matrix --as callers --expect matrix.json specs',
    'matrix --as callers --expect expected/before.json specs',
    'matrix --as callers --expect matrix.json --gateway team specs open',
    'matrix --as callers --expect matrix.json specs broken',
  ],
  'matrix-incomplete': ['matrix --as callers open', 'matrix --as callers broken'],
  'can-registries': [
    'can see main --as readers/ann.json registry',
    'can see main/platform --as readers/ann.json registry',
    'can see main/platform --as zoe,org=elsewhere registry',
    'can see main/published --as readers/ann.json registry',
    'can see main/published --as readers/root.json registry',
    'can see main --as readers/bob.json registry',
    'can see main registry',
    'can see open registry',
    'can see open/published --as readers/bob.json registry',
    'can see main/platform --as readers/ann.json --format json registry',
    'can see main --as eve,org=other --registry company registry specs',
    'can see mian registry',
    'can see main --registry compani registry',
    'can see main --gateway team registry',
    'can see main --args {} registry',
    'can see main specs',
    'can see main broken-registry',
    'can call find --registry company registry',
  ],
  'matrix-registries': [
    'matrix --as readers registry',
    'matrix --as readers --format markdown registry',
    'matrix --as readers --format csv registry',
    'matrix --as readers --format json registry',
    'matrix --as readers --expect expected/registry.json registry',
    'matrix --as readers --registry company registry specs',
    'matrix --as readers broken-registry',
    'matrix --as readers --expect expected/registry.json broken-registry',
    'matrix --as readers --registry compani registry',
    'matrix --as readers --gateway company registry',
  ],
  'matrix-mistakes': [
    'matrix specs',
    'matrix --as nowhere specs',
    'matrix --as caller specs',
    'matrix --as ann,groups=staff specs',
    'matrix --as bare.json specs',
    'matrix --as none specs',
    'matrix --as mistakes specs',
    'matrix --as callers --expect expected/other.json specs',
    'matrix --as callers --expect nowhere.json specs',
    'matrix --as callers --expect matrix.json --format json specs',
    'matrix --as callers --gateway taem specs',
  ],
} as const satisfies { readonly [name: string]: readonly (string | readonly [string, string])[] };

test('`lintel can` and `lintel matrix` print their answers as in the golden files', async () => {
  const texts = new Map<string, string>();
  for (const [name, calls] of Object.entries(CASES)) texts.set(`${name}.txt`, await transcripts(calls));
  expectGolden(join(import.meta.dirname, 'callers'), texts);
  // Fifty processes in sequence.
}, 300_000);

test('`lintel matrix --expect` fails if the file of --expect and the folder of --as have different callers', async () => {
  const policies = join(ROOT, 'examples/policies');
  const callers = Object.fromEntries(
    await Promise.all(
      ['ann', 'ira', 'partner', 'eve'].map(async name => {
        const file = name === 'eve' ? 'ann' : name;
        return [`callers/${name}.json`, await readFile(join(policies, 'callers', `${file}.json`), 'utf8')] as const;
      }),
    ),
  );
  await using folder = await temporaryFolder(callers);
  const args = ['matrix', '--as', folder.file('callers'), '--expect', 'matrix.json', 'specs'];
  const { code, stdout } = await runLintel(args, { cwd: policies });
  expect(code).toBe(1);
  expect(stdout).toContain(`! guest: matrix.json has this caller, and ${folder.file('callers')} has no guest.json\n`);
  expect(stdout).toContain('~ eve: matrix.json does not have this caller\n');
});

test('`lintel matrix --format json` prints exactly the matrix.json of examples/policies', async () => {
  const { code, stdout } = await runLintel(['matrix', '--as', 'callers', '--format', 'json', 'specs'], {
    cwd: join(ROOT, 'examples/policies'),
  });
  expect(code).toBe(0);
  expect(stdout).toBe(await readFile(join(ROOT, 'examples/policies/matrix.json'), 'utf8'));
});

test('docs/access.md shows the output of `lintel can` and `lintel matrix`', async () => {
  const page = await readFile(join(ROOT, 'docs/access.md'), 'utf8');
  const shown = [...page.matchAll(/```sh\n(npx lintel (?:can|matrix) .*)\n```\n\n```console\n([^`]*)```/g)];
  expect(shown).toHaveLength(2);
  for (const [, command = '', text = ''] of shown) {
    const { stdout } = await runLintel(command.split(' ').slice(2), { cwd: ROOT });
    for (const part of text.split('\n…\n')) expect(stdout).toContain(part.trim());
  }
});
