/** Whole manifests, as files. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile, findFiles, generateManifests, readSources } from '#compiler';
import { formatCanonicalJson, getWorkloadKind } from '#schemas';
import { listManifestFiles } from '../../../../compiler/emit/manifests/index.ts';
import { expectGolden } from '../../../support/golden.ts';

const CASES = join(import.meta.dirname, 'cases');

test.each(['gateway', 'server', 'registry', 'embedding'])(
  'lintel build writes the expected manifests of a %s',
  name => {
    const folder = join(CASES, name);
    const { files: paths } = findFiles(['input'], { cwd: folder });
    const origin = { compilerVersion: '0.0.0', sourceRevision: null };
    const { gateways, servers, registries, embeddingServers, findings } = compile(
      readSources(paths, () => new Uint8Array()),
      { purpose: 'build', origin },
    );
    expect(findings.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const files = listManifestFiles([
      ...[...[...gateways, ...servers].map(({ bundle }) => ({ bundle, files: [] })), ...registries].flatMap(
        ({ bundle, files }) =>
          bundle === null
            ? []
            : [
                {
                  ...{ kind: getWorkloadKind(bundle), namespace: bundle.namespace, name: bundle.name },
                  manifests: generateManifests({ bundle, files }, { image: 'registry.example.com/lintel-runtime:1' }),
                },
              ],
      ),
      ...embeddingServers.map(({ object, manifests }) => ({ ...object, kind: 'embedding' as const, manifests })),
    ]);
    // What is applied is also hashed, and has nothing that JSON does not.
    for (const { manifests } of embeddingServers) for (const manifest of manifests) formatCanonicalJson(manifest);
    expectGolden(join(folder, 'expected'), new Map(files.map(({ path, text }) => [path.replaceAll('/', '.'), text])));
  },
);
