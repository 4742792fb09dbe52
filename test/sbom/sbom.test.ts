/** The CycloneDX bill of materials: valid, complete, consistent with the build, and deterministic. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Package, ShippedFile } from '../../build/contents.ts';
import { generateSbom } from '../../build/sbom.ts';
import { ROOT } from '../support/process.ts';
import { formatComponentName, packagesIn, readSbom, sbomValidator } from './sbom.ts';

const DIST = join(ROOT, 'dist');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const lock = JSON.parse(read('package-lock.json')).packages as Readonly<Record<string, Partial<Package> | undefined>>;
const sbom = readSbom();
const libraries = sbom.components.filter(({ type }) => type === 'library');
const files = sbom.components.filter(({ type }) => type === 'file');

describe('the schema', () => {
  const validate = sbomValidator();

  test('the CycloneDX schema accepts the bill of materials', () => {
    validate(sbom);
    expect(validate.errors).toBeNull();
  });

  test.each([
    ['an invalid serial number', { ...sbom, serialNumber: 'urn:uuid:1' }],
    ['an unknown license', { ...sbom, components: [{ ...libraries[0], licenses: [{ license: { id: 'Ours' } }] }] }],
    ['an unknown member', { ...sbom, contents: [] }],
  ])('the CycloneDX schema refuses a bill of materials with %s', (_what, document) => {
    expect(validate(document)).toBe(false);
  });
});

describe('files', () => {
  test('the bill of materials lists all programs and libraries of dist/, each with its digest', () => {
    const shipped = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter(path =>
      /\.(c?js|wasm)$/.test(path),
    );
    expect(files.map(({ name }) => name)).toEqual(shipped.toSorted());
    for (const { name, hashes } of files) {
      const content = createHash('sha256')
        .update(readFileSync(join(DIST, name)))
        .digest('hex');
      expect([name, hashes]).toEqual([name, [{ alg: 'SHA-256', content }]]);
    }
  });

  test('the bill of materials names its files as the dependencies of Lintel', () => {
    const { component } = sbom.metadata;
    const own = sbom.dependencies.find(({ ref }) => ref === component['bom-ref']);
    expect(own?.dependsOn).toEqual(files.map(file => file['bom-ref']));
    expect(component.version).toBe(JSON.parse(read('package.json')).version);
  });

  test('the bill of materials assigns cedar-wasm to its own file and to the files that load it, and not cdk8s to cdk8s.js', () => {
    for (const name of ['lintel-commands.js', 'lintel-runtime.js', 'cedar-wasm/cedar_wasm_bg.wasm'])
      expect(packagesIn(sbom, name)).toContain('@cedar-policy/cedar-wasm');
    expect(packagesIn(sbom, 'cdk8s.js')).not.toContain('cdk8s');
  });
});

/** When several versions of a package are installed, all but one are inside the packages that need them. */
function lockedAs(
  name: string,
  wanted: string | undefined,
): { readonly version?: string; readonly integrity?: string } {
  const entries = Object.entries(lock) as [string, { readonly version?: string; readonly integrity?: string }][];
  const all = entries.filter(([path]) => path.endsWith(`node_modules/${name}`)).map(([, entry]) => entry);
  return all.find(({ version, integrity }) => version === wanted && integrity !== undefined) ?? {};
}

describe('packages', () => {
  test('the packages in the bill of materials have the version and digest of the lockfile', () => {
    expect(libraries.length).toBeGreaterThan(20);
    for (const library of libraries) {
      const { version, integrity = '' } = lockedAs(formatComponentName(library), library.version);
      const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
      const { hashes } = library;
      expect([formatComponentName(library), library.version, hashes]).toEqual([
        formatComponentName(library),
        version,
        [{ alg: 'SHA-512', content }],
      ]);
    }
  });

  test('the packages in the bill of materials are those of the licence notices, and each belongs to a file', () => {
    const noticed = [...read('dist/THIRD-PARTY-NOTICES.txt').matchAll(/^(\S+) (\d\S*) \(.*\)$/gm)];
    const named = libraries.map(library => `${formatComponentName(library)} ${library.version}`);
    expect(noticed.map(([, name, version]) => `${name} ${version}`).sort()).toEqual(named.toSorted());
    expect([...new Set(files.flatMap(({ name }) => packagesIn(sbom, name)))].sort()).toEqual(
      [...new Set(libraries.map(formatComponentName))].sort(),
    );
  });
});

describe('bytes', () => {
  const manifest = { name: 'lintel', version: '1.0.0', license: 'Apache-2.0' };
  const a = {
    folder: 'node_modules/a',
    manifest: { name: '@of/a', version: '1.2.3', license: 'MIT OR ISC' },
    integrity: `sha512-${Buffer.alloc(64).toString('base64')}`,
  };
  const b = { ...a, folder: 'node_modules/b', manifest: { ...a.manifest, name: 'b', license: 'a license of ours' } };
  const one: ShippedFile = { name: 'one.js', sha256: '1'.repeat(64), packages: [a, b] };
  const two: ShippedFile = { name: 'two.js', sha256: '2'.repeat(64), packages: [b] };
  const made = generateSbom(manifest, [one, two]);

  test('the bill of materials has the same bytes for the same files at any time', () => {
    expect(generateSbom(manifest, [{ ...one, packages: [b, a] }, two])).toBe(made);
    expect(made).not.toContain('timestamp');
  });

  test('the bill of materials can have SPDX expressions, names of licenses without an SPDX id, and packages with a scope', () => {
    expect(made).toContain('"expression": "MIT OR ISC"');
    expect(made).toContain('"name": "a license of ours"');
    expect(made).toContain('"pkg:npm/%40of/a@1.2.3"');
    expect(sbomValidator()(JSON.parse(made))).toBe(true);
  });

  test('bills of materials for different files have different serial numbers', () => {
    const other = JSON.parse(generateSbom(manifest, [{ ...one, sha256: '3'.repeat(64) }, two]));
    expect(other.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(other.serialNumber).not.toBe(JSON.parse(made).serialNumber);
  });
});
