/** The commands of the README and of `docs/` do what the pages say when they are pasted in sequence into a new folder. */
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { by, findStaleReference, type RunBy } from '../../support/run-by.ts';

const QUICKSTART = 'examples/quickstart/specs';
const POLICIES = 'examples/policies/specs';
const CALLERS = 'examples/policies/callers';

type Outcome = number | RunBy;

/** The commands of each page with their exit codes, or the tests that run them: those that serve, query a server or compare two states. */
const COMMANDS: { readonly [page: string]: { readonly [command: string]: Outcome } } = {
  'README.md': { 'npx lintel diff before after': by('test/e2e/cli/diff.test.ts', 'README.md') },
  'docs/access.md': {
    [`npx lintel exposure ${QUICKSTART}`]: 0,
    [`npx lintel can call climate_search --as ${CALLERS}/ira.json ${POLICIES}`]: 1,
    [`npx lintel matrix --as ${CALLERS} ${POLICIES}`]: 0,
    [`npx lintel matrix --as ${CALLERS} --expect examples/policies/matrix.json ${POLICIES}`]: 0,
  },
  'docs/check-in-ci.md': {
    [`npx lintel check ${QUICKSTART}`]: 0,
    'npx lintel check specs --format pretty --format sarif --output lintel.sarif': 0,
    'npx lintel check specs --fix': 0,
    'npx lintel check specs --fix --dry-run': by('test/e2e/cli/fix.test.ts', "'--fix', '--dry-run'"),
    'npx lintel check --watch': by('test/e2e/cli/watch.test.ts', "['check', '.', '--watch']"),
    'npx lintel explain LNT1003': 0,
    'npx lintel explain VirtualMCPServer.spec.config.optimizer': 0,
    [`npx lintel lock ${QUICKSTART}`]: by('test/examples/quickstart/lock.test.ts', "['lock', 'specs'"),
    [`npx lintel build ${QUICKSTART} --out out`]: 0,
    'npx lintel baseline specs': 0,
    'npx lintel check specs': 0,
    'npx lintel baseline specs --prune': 0,
  },
  'docs/configuration.md': {},
  'docs/dependencies.md': {},
  'docs/editors.md': { 'npx lintel lsp': by('test/support/editor.ts', "'lsp'") },
  'docs/errors.md': {},
  'docs/fields.md': {},
  'docs/first-gateway.md': {
    'npx lintel init': by('test/e2e/init/init.test.ts', "['init', ...args]"),
    'npx lintel import ~/.cursor/mcp.json': by('test/e2e/init/client-files.test.ts', '.cursor/mcp.json'),
    'npx lintel dev --dotenv .env': by('test/e2e/import/import.test.ts', "'--dotenv', '.env'"),
    'npx lintel import mcp.json': by('test/first-hour/first-hour.test.ts', "'import', 'mcp.json'"),
    'npx lintel dev': by('test/first-hour/first-hour.test.ts', "['dev', "),
    'npx lintel connect claude --write': by(
      'test/e2e/doctor/here.test.ts',
      "'connect', 'claude', '--url', url, '--write'",
    ),
    'npx lintel connect cursor': by('test/e2e/cli/own-process.test.ts', "['connect', 'cursor']"),
    'npx lintel ls': by('test/e2e/client/client.test.ts', "['ls', "),
    [`npx lintel call TOOL '{"name": "value"}'`]: by('test/e2e/client/client.test.ts', "['call', "),
    'npx lintel doctor': by('test/e2e/doctor/here.test.ts', "'doctor', "),
    'npx lintel schema json --out .schemas': 0,
    'npx lintel schema reference --out docs': 0,
    'npx lintel completion bash': 0,
    'npx lintel completion bash > ~/.lintel.bash': by('test/e2e/cli/completion.test.ts', "['completion', shell]"),
    'npx lintel completion zsh > ~/.lintel.zsh': by('test/e2e/cli/completion.test.ts', "['completion', shell]"),
    'npx lintel completion fish > ~/.config/fish/completions/lintel.fish': by(
      'test/e2e/cli/completion.test.ts',
      "['completion', shell]",
    ),
  },
  'docs/gitops.md': {
    [`npx lintel build ${QUICKSTART} --out out --manifests manifests`]: 0,
    'npx lintel schema crd --out crds': 0,
    'npx lintel-controller --standalone --repo . --path specs --out served --interval 1s': by(
      'test/e2e/standalone/documented.test.ts',
      'docs/gitops.md',
    ),
    'npx lintel-runtime --bundle served --watch': by('test/e2e/standalone/documented.test.ts', 'docs/gitops.md'),
  },
  'docs/glossary.md': {},
  'docs/images.md': {},
  'docs/import.md': {
    'npx lintel doctor auth https://mcp.example.com/mcp': by('test/e2e/doctor/doctor.test.ts', "['doctor', 'auth', "),
  },
  'docs/install.md': {},
  'docs/operate.md': {
    [`npx lintel serve ${QUICKSTART}`]: by('test/e2e/serve/serve.test.ts', "['serve', "),
    [`npx lintel dev ${QUICKSTART}`]: by('test/e2e/dev/dev-session.ts', "['dev', "),
    'npx lintel-runtime --bundle out --watch': by('test/e2e/lock/pinned-tools.test.ts', "'--watch'"),
    'npx lintel top': by('test/e2e/top/top.test.ts', "['top', "),
    'npx lintel verify 127.0.0.1:8081 gateways': by('test/e2e/verify/verify.test.ts', "['verify', "),
    'npx lintel verify 127.0.0.1:8081 specs': by('test/e2e/verify/verify.test.ts', "['verify', "),
    'npx lintel doctor': by('test/e2e/doctor/here.test.ts', "'doctor', "),
    'npx lintel doctor auth https://mcp.example.com/mcp': by('test/e2e/doctor/doctor.test.ts', "['doctor', 'auth', "),
  },
  'docs/optimizer.md': {
    'npx lintel explain VirtualMCPServer.spec.config.optimizer': 0,
    'npx lintel find "book a room" examples/optimizer/specs': 0,
  },
  'docs/policies.md': {
    'npx lintel build examples/identity/specs --out office': 0,
    'npx lintel-runtime --bundle office': by('test/examples/identity/identity.test.ts', 'docs/policies.md'),
    'npx lintel dev specs --as ann,groups=staff,groups=accounting --as ben,groups=staff': by(
      'test/e2e/dev/callers.test.ts',
      "'--as'",
    ),
  },
  'docs/registry.md': {
    'npx lintel serve examples/registry-local': by(
      'test/e2e/registry/example.test.ts',
      "['serve', 'examples/registry-local'",
    ),
    'npx lintel check examples/registry': 0,
    'npx lintel can see engineering --as ann,org=example,team=platform examples/registry': 0,
    'npx lintel explain RegistryConfig.auth.oauth': 0,
    'npx lintel exposure examples/registry': 0,
  },
  'docs/release.md': {},
  'docs/sign-in.md': {
    'npx lintel explain VirtualMCPServer.spec.authServerConfig': 0,
    'npx lintel doctor auth https://mcp.example.com/mcp --register': by(
      'test/e2e/doctor/doctor.test.ts',
      "'--register'",
    ),
  },
  'docs/source-not-ready.md': {},
  'docs/typescript.md': {
    'npx lintel check app.ts': by('test/e2e/program/commands.test.ts', 'docs/typescript.md'),
    'npx lintel serve app.ts': by('test/e2e/program/story.test.ts', "'serve', "),
    [`npx lintel export ts ${QUICKSTART} --out app.ts`]: by('test/e2e/export/installed.test.ts', 'lintel export ts'),
    'npx lintel export yaml app.ts --out specs/': by(
      'test/e2e/export/installed.test.ts',
      'lintel export yaml app.ts --out',
    ),
  },
  'docs/workflows.md': {
    'npx lintel explain VirtualMCPServer.spec.config.compositeTools': 0,
    'npx lintel test examples/workflows/specs': 0,
  },
};

function pasted(folder: TemporaryFolder, command: string) {
  const words = command.match(/"[^"]*"|\S+/g) ?? [];
  const args = words.slice(2).map(word => word.replaceAll('"', ''));
  return runLintel(args, { cwd: folder.path });
}

/** What the pages refer to: the examples, and a folder of specs. */
async function checkout(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  for (const name of ['quickstart', 'identity', 'optimizer', 'policies', 'registry', 'registry-local', 'workflows']) {
    await cp(join(ROOT, 'examples', name), folder.file(`examples/${name}`), { recursive: true });
  }
  await cp(join(ROOT, QUICKSTART), folder.file('specs'), { recursive: true });
  return folder;
}

test('the list of commands in this test has every page of docs/', async () => {
  const pages = (await readdir(join(ROOT, 'docs'))).filter(name => name.endsWith('.md')).map(name => `docs/${name}`);
  expect(['README.md', ...pages.toSorted()]).toEqual(Object.keys(COMMANDS));
});

test.each(Object.entries(COMMANDS))(
  'every command on the page %s is in the list of this test, and ends with the exit code that the list gives',
  async (page, commands) => {
    const text = await readFile(join(ROOT, page), 'utf8');
    const written = text.matchAll(/(?<=^|[`[]|\$ )npx lintel(?:-\w+)? [^`\n#\]]*/gm);
    expect([...written].map(([command]) => command.trim())).toEqual(Object.keys(commands));
    const pasteable = Object.entries(commands).filter(([, code]) => typeof code === 'number');
    if (pasteable.length === 0) return;
    await using folder = await checkout();
    for (const [command, code] of pasteable) {
      const outcome = await pasted(folder, command);
      expect([command, outcome.code, outcome.stdout === '']).toEqual([command, code, false]);
    }
  },
);

test('each command that this test does not run is in the test that the list names', () => {
  const references = Object.values(COMMANDS).flatMap(commands =>
    Object.values(commands).filter(outcome => typeof outcome !== 'number'),
  );
  expect(references.length).toBeGreaterThan(30);
  expect(references.flatMap(reference => findStaleReference(reference) ?? [])).toEqual([]);
});

test('`lintel check` reports the misspelt field as docs/check-in-ci.md shows it', async () => {
  await using folder = await checkout();
  const file = `${QUICKSTART}/quickstart.yaml`;
  const text = await readFile(folder.file(file), 'utf8');
  await folder.write({ [file]: text.replace('\n      tools:\n', '\n      toolz:\n') });
  const { code, stdout } = await pasted(folder, `npx lintel check ${QUICKSTART}`);
  expect(code).toBe(1);
  expect(await readFile(join(ROOT, 'docs/check-in-ci.md'), 'utf8')).toContain(`\`\`\`console\n${stdout}\`\`\`\n`);
});
