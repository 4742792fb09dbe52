/** The result of a compilation does not depend on the folder of the sources, because the controller has each revision in another folder. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCompiler } from '#compiler';
import { compileSources, loadProject } from '../../../compiler/index.ts';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const QUICKSTART = join(import.meta.dirname, '../../../examples/quickstart');

const BASELINE = { formatVersion: 1, findings: [{ file: 'a.yaml', object: '', code: 'LNT4001', field: '', count: 1 }] };

const CONFIGURATIONS: { readonly [name: string]: { readonly [file: string]: string } } = {
  'without a project file': {},
  'with all that a project has': {
    'lintel.yaml': 'failOn: warning\nprofile: recommended\nseverity: { LNT4001: warning }\nexclude: [parts/**]\n',
    'lintel-baseline.json': JSON.stringify(BASELINE),
  },
};

async function revision(files: { readonly [file: string]: string }): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await cp(QUICKSTART, folder.path, { recursive: true });
  await folder.write({ 'specs/team.yaml': gatewayFile('team'), ...files });
  return folder;
}

test.each(Object.entries(CONFIGURATIONS))(
  'an incremental compilation of sources that moved to another folder gives the same bundles, %s',
  async (_, configuration) => {
    const compiler = createCompiler();
    const bundlesIn = ({ path }: TemporaryFolder) => {
      const project = loadProject(undefined, path, ['specs'], path);
      const options = { cwd: path, purpose: 'build', sourceRevision: null, compiler, confinedTo: path } as const;
      const { gateways } = compileSources(['specs'], project, options).compilation;
      return new Map(gateways.map(({ object, bundle }) => [object.name, bundle]));
    };
    await using one = await revision(configuration);
    await using two = await revision({
      ...configuration,
      'specs/team.yaml': gatewayFile('team', { url: 'https://other.example.com/mcp' }),
    });
    const before = bundlesIn(one);
    const after = bundlesIn(two);
    expect([...before.values()]).not.toContain(null);
    expect(before.size).toBeGreaterThan(1);
    expect([...after].flatMap(([name, bundle]) => (bundle === before.get(name) ? [] : [name]))).toEqual(['team']);
  },
);
