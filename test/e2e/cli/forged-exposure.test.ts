/** `lintel` must judge a build by its bundles, even if its exposures were replaced by forged ones with digests that match. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type BundleIndex, computeDigest, formatCanonicalJson } from '#schemas';
import { runLintel } from '../../support/lintel.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN } from '../specs.ts';

const registry = (publicPaths: string): string => `sources: [{ name: a, file: { path: a.json } }]
registries: [{ name: main, sources: [a] }]
auth:
  oauth:
    resourceUrl: https://registry.example.com/mcp
    publicPaths: ${publicPaths}
    providers: [{ name: people, issuerUrl: "https://login.example.com/", audience: registry }]
`;

const ENTRIES = JSON.stringify({
  data: { servers: [{ name: 'com.corp/a', description: 'A server.', version: '1.0.0' }] },
});

const LOCK = JSON.stringify({
  lockfileVersion: 1,
  backends: {
    'default/MCPServerEntry/github': {
      url: 'https://github.example.com/mcp',
      transport: 'streamable-http',
      protocolVersion: '2025-11-25',
      server: { name: 'github', version: '1.0.0' },
      tools: {},
    },
  },
});

const specs = (name: string, publicPaths: string, change: (text: string) => string) => ({
  ...Object.fromEntries(Object.entries(CLEAN).map(([file, text]) => [`${name}/${file}`, change(text)])),
  [`${name}/company.yaml`]: registry(publicPaths),
  [`${name}/a.json`]: ENTRIES,
});

type Kind = BundleIndex['bundles'][number]['kind'];

/** Two builds: in the second one a registry is public, and a backend is elsewhere. */
async function builds(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder({
    ...specs('before', '[]', text => text),
    ...specs('after', '[/registry/main]', text => text.replaceAll('github.example.com', 'github.evil.example')),
    'lintel.lock.json': LOCK,
  });
  for (const name of ['before', 'after'])
    await runLintel(['build', name, '--out', `${name}-out`], { cwd: folder.path });
  return folder;
}

async function pathOf(folder: TemporaryFolder, build: string, kind: Kind): Promise<string> {
  const { bundles } = JSON.parse(await readFile(folder.file(`${build}/index.json`), 'utf8')) as BundleIndex;
  return `${build}/${bundles.find(one => one.kind === kind)?.path}`;
}

const readJson = async (folder: TemporaryFolder, file: string): Promise<{ readonly [name: string]: unknown }> =>
  JSON.parse(await readFile(folder.file(file), 'utf8'));

/** Writes the exposure of the former bundle next to the new one. */
async function forge(folder: TemporaryFolder, kind: Kind, version?: string): Promise<void> {
  const [old, now] = [await pathOf(folder, 'before-out', kind), await pathOf(folder, 'after-out', kind)];
  const [before, after] = [
    await readJson(folder, `${old}/exposure.json`),
    await readJson(folder, `${now}/exposure.json`),
  ];
  if (version === undefined) {
    const { bundle, plan } = after;
    await writeFile(folder.file(`${now}/exposure.json`), JSON.stringify({ ...before, bundle, plan }));
    return;
  }
  // A bundle that claims to be of another version, with the plan of the former one.
  const text = (await readFile(folder.file(`${now}/bundle.json`), 'utf8')).replace(
    /"compilerVersion":"[^"]*"/,
    `"compilerVersion":"${version}"`,
  );
  const index = await readFile(folder.file('after-out/index.json'), 'utf8');
  await writeFile(folder.file(`${now}/bundle.json`), text);
  await writeFile(folder.file('after-out/index.json'), index.replaceAll(String(after.bundle), computeDigest(text)));
  await writeFile(folder.file(`${now}/exposure.json`), JSON.stringify({ ...before, bundle: computeDigest(text) }));
}

const classify = async (folder: TemporaryFolder, name: string): Promise<unknown> => {
  const { stdout, stderr } = await runLintel(['diff', 'before-out', 'after-out', '--format', 'json'], {
    cwd: folder.path,
  });
  if (stdout === '') return stderr;
  const { differences } = JSON.parse(stdout) as { differences: readonly { name: string; classification: string }[] };
  return differences.find(one => one.name === name)?.classification;
};

test.each([
  ['of the same version', undefined],
  ['that claims to be of another version', '0.0.1'],
])(
  '`lintel diff` reports that a registry server has become public, even if the exposure.json of a build %s was forged',
  async (_, version) => {
    await using folder = await builds();
    expect(await classify(folder, 'company')).toBe('wider');
    await forge(folder, 'registry', version);
    expect(await classify(folder, 'company')).toBe('wider');
  },
);

test('`lintel diff` does not report a gateway as equal if its exposure.json was forged in a build that claims an older version', async () => {
  await using folder = await builds();
  expect(await classify(folder, 'eng')).toBe('mixed');
  await forge(folder, 'gateway', '0.0.1');
  expect(await classify(folder, 'eng')).toBe('unclassified');
});

test('`lintel diff` fails when entries of a build were replaced or are outside of the build', async () => {
  await using folder = await builds();
  const path = await pathOf(folder, 'after-out', 'registry');
  await writeFile(folder.file(`${path}/entries/a.ndjson`), '');
  expect(await classify(folder, 'company')).toMatch(/entries\/a\.ndjson: are not the entries that bundle\.json names/);
});

/** Both builds are those of the same specs, apart from what a test changes in the second one. */
async function alike(change: (text: string) => string): Promise<TemporaryFolder> {
  const folder = await temporaryFolder({
    ...specs('before', '[]', text => text),
    ...specs('after', '[]', change),
    'lintel.lock.json': LOCK_WITH_TOOL,
  });
  for (const name of ['before', 'after'])
    await runLintel(['build', name, '--out', `${name}-out`], { cwd: folder.path });
  return folder;
}

const TOOL = {
  name: 'delete_repo',
  inputSchema: { type: 'object' },
  annotations: { destructiveHint: true },
};
const LOCK_WITH_TOOL = LOCK.replace(
  '"tools":{}',
  `"tools":${JSON.stringify({ delete_repo: { digest: computeDigest(formatCanonicalJson(TOOL)), definition: TOOL } })}`,
);

/** Changes the exposure next to the new bundle, whose digest and plan stay in it. */
async function rewrite(folder: TemporaryFolder, change: (exposure: Record<string, unknown>) => object): Promise<void> {
  const file = folder.file(`${await pathOf(folder, 'after-out', 'gateway')}/exposure.json`);
  const exposure = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ ...exposure, ...change(exposure) }));
}

const hide = ({ tools }: Record<string, unknown>) => ({
  tools: (tools as readonly object[]).map(tool => ({ ...tool, direct: { type: 'nobody' }, reach: { type: 'nobody' } })),
});

test.each([
  ['the callers of a tool', hide],
  ['all tools', () => ({ tools: [], callers: [] })],
  [
    'the address of a backend',
    ({ backends }: Record<string, unknown>) => ({
      backends: (backends as readonly object[]).map(one => ({ ...one, url: 'https://github.example.com/other' })),
    }),
  ],
])(
  '`lintel diff` does not report a gateway as equal if a person changed %s in its exposure.json',
  async (_, change) => {
    await using folder = await alike(text => text);
    expect(await classify(folder, 'eng')).toBe('equivalent');
    await rewrite(folder, change);
    expect(await classify(folder, 'eng')).toMatch(
      /contradicts .*bundle\.json in its \w+; one of them was replaced|unclassified/,
    );
  },
);

test('`lintel diff` refuses a build that has the exposure.json of a gateway but not the bundle.json that the index names', async () => {
  await using folder = await alike(text => text);
  const path = await pathOf(folder, 'after-out', 'gateway');
  await rewrite(folder, () => ({ bundle: undefined }));
  await rm(folder.file(`${path}/bundle.json`));
  expect(await classify(folder, 'eng')).toMatch(/no such file of bundle: \S+bundle\.json/);
});

test('`lintel diff` refuses a build whose index lists a second bundle of the same gateway', async () => {
  await using folder = await builds();
  const file = folder.file('after-out/index.json');
  const index = JSON.parse(await readFile(file, 'utf8')) as BundleIndex;
  const former = JSON.parse(await readFile(folder.file('before-out/index.json'), 'utf8')) as BundleIndex;
  const double = former.bundles.filter(({ kind }) => kind === 'gateway');
  for (const { path } of double)
    await cp(folder.file(`before-out/${path}`), folder.file(`after-out/${path}`), { recursive: true });
  await writeFile(file, JSON.stringify({ ...index, bundles: [...index.bundles, ...double] }));
  expect(await classify(folder, 'eng')).toContain('after-out: has two exposures of gateway default/eng');
});
