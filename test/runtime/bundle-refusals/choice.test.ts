/** Which bundle in an output folder is served when there are several. */
import { expect, test } from 'vitest';
import { loadBundle } from '#runtime';
import { type BundleIndexEntry, computeDigest, formatCanonicalJson } from '#schemas';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { gatewayBundle } from '../../support/gateway.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const BUNDLES = {
  gateway: gatewayBundle({ backends: [] }),
  registry: getBundle(
    compileConfig(`sources: [{ name: a, file: { path: /srv/x } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`),
  ),
};

type Written = readonly [kind: 'gateway' | 'registry', name: string];

async function outputOf(written: readonly Written[]): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  const bundles: BundleIndexEntry[] = [];
  for (const [index, [kind, full]] of written.entries()) {
    const [namespace = '', name = ''] = full.split('/');
    const text = formatCanonicalJson({ ...BUNDLES[kind], namespace, name });
    const path = `bundles/${index}`;
    await folder.write({ [`${path}/bundle.json`]: text });
    bundles.push({ kind, namespace, name, digest: computeDigest(Buffer.from(text)), path });
  }
  await folder.write({ 'index.json': JSON.stringify({ formatVersion: 1, bundles }) });
  return folder;
}

const BOTH: readonly Written[] = [
  ['gateway', 'default/eng'],
  ['registry', 'default/eng'],
];

test.each([
  ['the only gateway', [['gateway', 'default/eng']], {}, 'gateway default/eng'],
  ['the only registry server', [['registry', 'default/eng']], {}, 'registry default/eng'],
  ['a gateway next to a registry server of its name', BOTH, { gateway: 'eng' }, 'gateway default/eng'],
  ['a registry server next to a gateway of its name', BOTH, { registry: 'default/eng' }, 'registry default/eng'],
] as const)(
  'the runtime chooses one of the bundles in the output of `lintel build`: %s',
  async (_, written, choice, served) => {
    await using folder = await outputOf(written);
    const { bundle } = await loadBundle(folder.path, choice);
    expect(`${bundle.kind} ${bundle.namespace}/${bundle.name}`).toBe(served);
  },
);

const NAMES = 'gateway default/eng, registry default/eng';

test.each([
  ['both kinds and no choice', BOTH, {}, `it lists several bundles: choose one with --gateway or --registry: ${NAMES}`],
  ['no gateway of that name', BOTH, { gateway: 'end' }, `it lists no gateway "end"; it has: ${NAMES}`],
  ['no registry server of that name', BOTH, { registry: 'end' }, `it lists no registry "end"; it has: ${NAMES}`],
  [
    'several registry servers and no choice',
    [
      ['registry', 'a/eng'],
      ['registry', 'b/eng'],
    ],
    {},
    'it lists several registry servers: choose one with --registry: registry a/eng, registry b/eng',
  ],
  [
    'the same name in two namespaces',
    [
      ['gateway', 'a/eng'],
      ['gateway', 'b/eng'],
    ],
    { gateway: 'eng' },
    'it lists several gateways: choose one with --gateway: a/eng, b/eng',
  ],
  ['an empty build', [], {}, 'it lists no bundle, because everything in that build had errors'],
] as const)(
  'the error of an ambiguous choice of a bundle names the bundles: %s',
  async (_, written, choice, message) => {
    await using folder = await outputOf(written);
    await expect(loadBundle(folder.path, choice)).rejects.toMatchObject({
      name: 'BundleError',
      message: `${folder.file('index.json')}: ${message}`,
    });
  },
);

test('the runtime refuses a bundle of an unknown kind', async () => {
  await using folder = await temporaryFolder({ 'bundle.json': '{"formatVersion":1,"kind":"mirror"}' });
  await expect(loadBundle(folder.path)).rejects.toMatchObject({
    message: `${folder.file('bundle.json')}: this runtime serves gateways and registry servers, not bundles of kind "mirror"; upgrade the runtime`,
  });
});
