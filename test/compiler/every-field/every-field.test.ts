/** No field of a spec may be accepted but ignored: each field changes the bundle, or a finding names it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Compilation } from '#compiler';
import { loadBundle } from '#runtime';
import { formatCanonicalJson } from '#schemas';
import { leavesWithoutFeature } from '../../support/bundle-leaves.ts';
import { type Path, withoutLeaf } from '../../support/sample.ts';
import { compileSpec, KIND, leaves, smallest, specWith } from './gateway-specs.ts';

/** Fields whose sample value correctly changes nothing, each with the reason. */
const REPEATED: { readonly [field: string]: string } = {
  ...Object.fromEntries(
    ['default', 'backends.sample'].flatMap(where => [
      [`config.outgoingAuth.${where}.xaa.insecureTargetTokenUrl`, 'it permits plain http, and the URL is https'],
      [`config.outgoingAuth.${where}.xaa.subjectTokenType`, 'there is only one type'],
      [`config.outgoingAuth.${where}.awsSts.roleMappings.0.priority`, 'it is about the order of several'],
    ]),
  ),
  'config.compositeTools.0.steps.0.step.id': 'failures and outcomes name the step that repeats it',
  'config.compositeTools.0.steps.0.step.type': 'there is only one type',
  'config.groupRef': 'it may only repeat spec.groupRef.name; any other value is LNT1008',
};

/** The only field that the runtime does not serve: it turns on a whole block. */
const UNSERVED = 'config.codeMode.enabled';

/** The end of the finding about a field that nothing reads. */
const UNREAD = 'nothing reads it in this mode';

/** The bundle of the only gateway, or its plan if the runtime cannot serve it yet. */
const bundleOf = ({ gateways: [gateway] }: Compilation) =>
  JSON.stringify([gateway?.bundle, gateway?.backends?.().map(({ plan }) => plan)]);

function findingsAbout({ findings }: Compilation, path: Path): string[] {
  const pointer = `/spec/${path.join('/')}`;
  return findings.diagnostics
    .filter(({ object }) => object?.kind === KIND)
    .filter(
      found =>
        found.pointer === pointer || pointer.startsWith(`${found.pointer}/`) || found.pointer.startsWith(`${pointer}/`),
    )
    .filter(found => found.pointer.split('/').length > 2)
    .map(({ code, message }) => `${code} ${message}`);
}

/** The objects on the path to a field that can be removed: if all fields on the path are required, the whole chain has to be removed. */
function removable(spec: unknown, path: Path): unknown[] {
  return path.map((_, index) => withoutLeaf(spec, path.slice(0, path.length - index)));
}

const folder = mkdtempSync(join(tmpdir(), 'lintel-every-field-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The runtime accepts every bundle, except for secrets that only a pod has as files. */
async function expectLoaded({ gateways: [gateway] }: Compilation): Promise<void> {
  const bundle = gateway?.bundle;
  if (bundle === null || bundle === undefined) return;
  expect(leavesWithoutFeature(bundle), 'a runtime that does not know them would leave them out').toEqual([]);
  for (const { env } of bundle.secrets) if (env !== null) vi.stubEnv(env, 'x'.repeat(40));
  const file = join(folder, 'bundle.json');
  writeFileSync(file, formatCanonicalJson(bundle));
  const refusal = await loadBundle(file).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (refusal !== undefined) expect(refusal).toMatch(/is missing: file \S+ cannot be read \(ENOENT\)$/);
}

describe('every field of VirtualMCPServer', () => {
  test('the schema of VirtualMCPServer has more than 300 fields, and a spec without optional fields compiles', () => {
    expect(leaves.length).toBeGreaterThan(300);
    expect(compileSpec(smallest).findings.counts.error).toBe(0);
  });

  test.each(leaves.map(({ path }) => [path.join('.'), path] as const))(
    'the compiler reads the VirtualMCPServer field %s into the bundle, or reports that the field is not served',
    async (_, path) => {
      const spec = specWith(path);
      const compiled = compileSpec(spec);
      // A rule is about several fields, so it does not name this one.
      expect(compiled.findings.diagnostics.filter(({ code }) => code === 'LNT1005')).toEqual([]);
      const unserved = compiled.findings.diagnostics.filter(({ code }) => code === 'LNT1009');
      expect(unserved.map(({ pointer }) => pointer)).toEqual(
        path.join('.') === UNSERVED ? ['/spec/config/codeMode'] : [],
      );
      if (REPEATED[path.join('.')] !== undefined) return;
      const about = findingsAbout(compiled, path);
      // Without a reason, the compiler would not read the field at all.
      expect(
        about.filter(found => found.includes(UNREAD)),
        'read it in compiler/lower/',
      ).toEqual([]);
      if (about.length > 0) return;
      expect(compiled.findings.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      await expectLoaded(compiled);
      const bundle = bundleOf(compiled);
      expect(
        removable(spec, path).some(other => bundleOf(compileSpec(other)) !== bundle),
        'changes the bundle or is named by a finding',
      ).toBe(true);
    },
  );
});

describe('fields for rate limits and failing backends', () => {
  const served = leaves
    .map(({ path }) => path)
    .filter(path => path[0] === 'config' && ['operational', 'rateLimiting'].includes(String(path[1])));

  test('the schema has the rate limit and failure handling fields that this test covers', () => {
    const names = served.map(path => path.join('.'));
    for (const name of ['failureHandling.circuitBreaker.timeout', 'failureHandling.statusReportingInterval']) {
      expect(names).toContain(`config.operational.${name}`);
    }
    expect(names.filter(name => name.startsWith('config.rateLimiting.')).length).toBeGreaterThan(8);
  });

  test.each(served.map(path => [path.join('.'), path] as const))(
    'the compiler does not report that the VirtualMCPServer field %s is not served',
    (_, path) => {
      expect(compileSpec(specWith(path)).findings.diagnostics.filter(({ code }) => code === 'LNT1009')).toEqual([]);
    },
  );
});

describe('the state of the authorization server in Redis', () => {
  const served = leaves
    .map(({ path }) => path)
    .filter(([block, storage, redis]) => block === 'authServerConfig' && storage === 'storage' && redis === 'redis');

  test('the schema has more than 15 fields for the state of the authorization server in Redis', () => {
    expect(served.length).toBeGreaterThan(15);
  });

  test.each(served.map(path => [path.join('.'), path] as const))(
    'the authorization server field %s changes the bundle',
    (_, path) => {
      const spec = specWith(path);
      const compiled = compileSpec(spec);
      expect(compiled.findings.diagnostics.filter(({ code }) => code === 'LNT1009')).toEqual([]);
      const bundle = bundleOf(compiled);
      expect(removable(spec, path).some(other => bundleOf(compileSpec(other)) !== bundle)).toBe(true);
    },
  );
});
