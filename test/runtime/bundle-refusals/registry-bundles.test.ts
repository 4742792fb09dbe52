/** A bundle of a registry server is refused with the reason, and does not get in the way of gateways beside it. */
import { expect, test } from 'vitest';
import { bundleFiles, writeFiles } from '#compiler';
import { loadBundle } from '#runtime';
import { bundleOf, compileConfig } from '../../compiler/registry/compiling.ts';
import { backendPlan, gatewayBundle } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';

const gateway = gatewayBundle({ backends: [backendPlan('a', 'http://127.0.0.1:1/mcp')] });
const registry = {
  ...bundleOf(
    compileConfig(`sources: [{ name: a, file: { path: x } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`),
  ),
  namespace: gateway.namespace,
  name: gateway.name,
};

test('alone: refused by its kind, though nothing else is wrong with it', async () => {
  await using folder = await temporaryFolder();
  const { files, index } = bundleFiles([{ bundle: registry }]);
  await writeFiles(folder.path, files);
  const file = folder.file(`${index.bundles[0]?.path}/bundle.json`);
  await expect(loadBundle(folder.path)).rejects.toMatchObject({
    name: 'BundleError',
    message: `${file}: this runtime serves gateways, not bundles of kind "registry"; upgrade the runtime`,
  });
});

test.each([undefined, gateway.name])('beside a gateway of the same name, with --gateway %s', async wanted => {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, bundleFiles([{ bundle: gateway }, { bundle: registry }]).files);
  expect((await loadBundle(folder.path, wanted)).bundle).toEqual(gateway);
});
