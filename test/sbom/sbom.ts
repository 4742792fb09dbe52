/** The bill of materials of the build, and what it must satisfy. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { ROOT } from '../support/process.ts';

/** The part of the bill of materials that tests read. */
export interface Sbom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

export interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

export function readSbom(): Sbom {
  return JSON.parse(readFileSync(join(ROOT, 'dist/sbom.cdx.json'), 'utf8'));
}

/** The name of a component as npm writes it. */
export function formatComponentName({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`;
}

/** Names of the packages inside a file of `dist/`, sorted. */
export function packagesIn(sbom: Sbom, file: string): readonly string[] {
  const refs = sbom.dependencies.find(({ ref }) => ref === `file:${file}`)?.dependsOn ?? [];
  return refs.map(ref => formatComponentName(sbom.components.find(one => one['bom-ref'] === ref) as Component)).sort();
}

/** Creates a function that validates a bill of materials against the published schema of CycloneDX 1.6. */
export function sbomValidator(): ValidateFunction {
  const schemas = 'node_modules/@cyclonedx/cyclonedx-library/res/schema';
  const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  // Checks ASCII only, because there are no other characters.
  ajv.addFormat('iri-reference', ajv.formats['uri-reference'] as RegExp);
  ajv.addFormat('idn-email', ajv.formats.email as RegExp);
  for (const name of ['spdx', 'jsf-0.82']) {
    const file = `${name}.SNAPSHOT.schema.json`;
    ajv.addSchema(read(`${schemas}/${file}`), `http://cyclonedx.org/schema/${file}`);
  }
  return ajv.compile(read(`${schemas}/bom-1.6.SNAPSHOT.schema.json`));
}
