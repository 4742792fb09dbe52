/**
 * No field may be accepted but ignored: each leaf field that people can write is changed to other values, and each change must be refused or have a
 * visible effect. `UPDATE_GOLDEN=1` records the effects again; then a reviewer has to judge the effect of a new field.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { CLAIMS, CLAIMS_FILE, claimOf, nameOf } from './claims.ts';
import { outcomesOf } from './outcome.ts';
import { SUBJECTS } from './subjects.ts';

/** Fields that are only for human readers: no code reads them. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  'MCPGroup description',
  'MCPOIDCConfig kubernetesServiceAccount.serviceAccount',
  'MCPOIDCConfig kubernetesServiceAccount.namespace',
]);

const isUpdate = process.env.UPDATE_GOLDEN === '1';
const found: { [kind: string]: { [leaf: string]: string } } = {};

describe.each(SUBJECTS)('$kind', subject => {
  const { kind, leaves } = subject;

  test.each(leaves.map(path => [nameOf(path), path] as const))(
    `each change of the innermost field %s of ${kind} changes the bundle, is an error or has a finding, as claims.json states`,
    (name, path) => {
      const changed = outcomesOf(subject, path);
      const claim = claimOf(changed);
      found[kind] = { ...found[kind], [name]: claim };
      const silent = changed.filter(({ outcome }) => outcome === 'silent').map(({ value }) => value);
      if (!FOR_PEOPLE.has(`${kind} ${name}`)) expect(silent, 'nothing says anything of these values').toEqual([]);
      expect(claim, 'the spec of this leaf has an error').not.toContain('unserved');
      if (!isUpdate) expect(claim).toBe(CLAIMS[kind]?.[name]);
    },
  );
});

afterAll(() => {
  if (!isUpdate) return;
  const sorted = Object.entries(found).map(([kind, leaves]) => [
    kind,
    Object.fromEntries(Object.entries(leaves).sort(([a], [b]) => (a < b ? -1 : 1))),
  ]);
  writeFileSync(CLAIMS_FILE, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
});
