/** The commands of the README and of `docs/` do what the pages say when they are pasted in sequence into a new folder. */
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const QUICKSTART = 'examples/quickstart/specs';
const POLICIES = 'examples/policies/specs';
const CALLERS = 'examples/policies/callers';

type Outcome = number | 'elsewhere';

/** The commands of each page with their exit codes. Other tests run those that serve, query a server or compare two states. */
const COMMANDS: { readonly [page: string]: { readonly [command: string]: Outcome } } = {
  'README.md': { 'npx lintel diff before after': 'elsewhere' },
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
    'npx lintel check specs --fix --dry-run': 'elsewhere',
    'npx lintel check --watch': 'elsewhere',
    'npx lintel explain LNT1003': 0,
    'npx lintel explain VirtualMCPServer.spec.config.optimizer': 0,
    [`npx lintel lock ${QUICKSTART}`]: 'elsewhere',
    [`npx lintel build ${QUICKSTART} --out out`]: 0,
    'npx lintel baseline specs': 0,
    'npx lintel check specs': 0,
    'npx lintel baseline specs --prune': 0,
  },
  'docs/configuration.md': {},
  'docs/dependencies.md': {},
  'docs/editors.md': { 'npx lintel lsp': 'elsewhere' },
  'docs/errors.md': {},
  'docs/fields.md': {},
  'docs/first-gateway.md': {
    'npx lintel init': 'elsewhere',
    'npx lintel import ~/.cursor/mcp.json': 'elsewhere',
    'npx lintel dev --dotenv .env': 'elsewhere',
    'npx lintel import mcp.json': 'elsewhere',
    'npx lintel dev': 'elsewhere',
    'npx lintel connect claude --write': 'elsewhere',
    'npx lintel connect cursor': 'elsewhere',
    'npx lintel ls': 'elsewhere',
    [`npx lintel call TOOL '{"name": "value"}'`]: 'elsewhere',
    'npx lintel doctor': 'elsewhere',
    'npx lintel schema json --out .schemas': 0,
    'npx lintel schema reference --out docs': 0,
    'npx lintel completion bash': 0,
    'npx lintel completion bash > ~/.lintel.bash': 'elsewhere',
    'npx lintel completion zsh > ~/.lintel.zsh': 'elsewhere',
    'npx lintel completion fish > ~/.config/fish/completions/lintel.fish': 'elsewhere',
  },
  'docs/gitops.md': {
    [`npx lintel build ${QUICKSTART} --out out --manifests manifests`]: 0,
    'npx lintel schema crd --out crds': 0,
    'npx lintel-controller --standalone --repo . --path specs --out served --interval 1s': 'elsewhere',
    'npx lintel-runtime --bundle served --watch': 'elsewhere',
  },
  'docs/glossary.md': {},
  'docs/import.md': { 'npx lintel doctor auth https://mcp.example.com/mcp': 'elsewhere' },
  'docs/install.md': {},
  'docs/operate.md': {
    [`npx lintel serve ${QUICKSTART}`]: 'elsewhere',
    [`npx lintel dev ${QUICKSTART}`]: 'elsewhere',
    'npx lintel-runtime --bundle out --watch': 'elsewhere',
    'npx lintel top': 'elsewhere',
    'npx lintel verify 127.0.0.1:8081 gateways': 'elsewhere',
    'npx lintel verify 127.0.0.1:8081 specs': 'elsewhere',
    'npx lintel doctor': 'elsewhere',
    'npx lintel doctor auth https://mcp.example.com/mcp': 'elsewhere',
  },
  'docs/optimizer.md': {
    'npx lintel explain VirtualMCPServer.spec.config.optimizer': 0,
    'npx lintel find "book a room" examples/optimizer/specs': 0,
  },
  'docs/policies.md': {
    'npx lintel build examples/identity/specs --out office': 0,
    'npx lintel-runtime --bundle office': 'elsewhere',
    'npx lintel dev specs --as ann,groups=staff,groups=accounting --as ben,groups=staff': 'elsewhere',
  },
  'docs/registry.md': {
    'npx lintel serve examples/registry-local': 'elsewhere',
    'npx lintel check examples/registry': 0,
    'npx lintel explain RegistryConfig.auth.oauth': 0,
    'npx lintel exposure examples/registry': 0,
  },
  'docs/release.md': {},
  'docs/sign-in.md': {
    'npx lintel explain VirtualMCPServer.spec.authServerConfig': 0,
    'npx lintel doctor auth https://mcp.example.com/mcp --register': 'elsewhere',
  },
  'docs/source-not-ready.md': {},
  'docs/typescript.md': {
    'npx lintel check app.ts': 'elsewhere',
    'npx lintel serve app.ts': 'elsewhere',
    [`npx lintel export ts ${QUICKSTART} --out app.ts`]: 'elsewhere',
    'npx lintel export yaml app.ts --out specs/': 'elsewhere',
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
    const pasteable = Object.entries(commands).filter(([, code]) => code !== 'elsewhere');
    if (pasteable.length === 0) return;
    await using folder = await checkout();
    for (const [command, code] of pasteable) {
      const outcome = await pasted(folder, command);
      expect([command, outcome.code, outcome.stdout === '']).toEqual([command, code, false]);
    }
  },
);

test('`lintel check` reports the misspelt field as docs/check-in-ci.md shows it', async () => {
  await using folder = await checkout();
  const file = `${QUICKSTART}/quickstart.yaml`;
  const text = await readFile(folder.file(file), 'utf8');
  await folder.write({ [file]: text.replace('\n      tools:\n', '\n      toolz:\n') });
  const { code, stdout } = await pasted(folder, `npx lintel check ${QUICKSTART}`);
  expect(code).toBe(1);
  expect(await readFile(join(ROOT, 'docs/check-in-ci.md'), 'utf8')).toContain(`\`\`\`console\n${stdout}\`\`\`\n`);
});
