/** For any pod template, the rules about the merged pod give findings, each at a place of the template. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { locateInPatch } from '../../../compiler/analysis/pods/locate-in-patch.ts';
import { findRefusals } from '../../../compiler/analysis/pods/refusals/index.ts';
import { createForeignPod } from '../../../compiler/emit/manifests/index.ts';
import { richTemplate, type Template } from './rich-template.ts';

type Path = readonly (string | number)[];

const PLACES = [...placesOf(richTemplate(), [])];

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.bigInt(),
  fc.constantFrom(
    '',
    '..',
    '/',
    '-1',
    '1Gi',
    'a b',
    [],
    [null],
    {},
    [{}],
    { $patch: 'delete' },
    [{ $patch: 'replace' }],
    Number.NaN,
  ),
);

const template = fc
  .array(fc.record({ place: fc.constantFrom(...PLACES), value }), { minLength: 1, maxLength: 5 })
  .map(changes => changes.reduce<Template>((one, { place, value }) => withValue(one, place, value), richTemplate()));

test("the compiler's rules for pod templates survive random templates, and each finding points into its template", () => {
  let refused = 0;
  const property = fc.property(template, patch => {
    const merged = createForeignPod('vmcp', patch);
    for (const isWhole of [true, false]) {
      for (const { places, message } of findRefusals({ template: merged, main: 'vmcp', isWhole })) {
        refused++;
        expect(message).not.toMatch(/undefined|\[object/);
        expect(places.length).toBeGreaterThan(0);
        for (const place of places) expect(at(patch, locateInPatch(patch, merged, place).path)).toBe(true);
      }
    }
  });
  fc.assert(property, { seed: 20261127, numRuns: 200 });
  expect(refused).toBeGreaterThan(200);
});

function* placesOf(value: unknown, path: Path): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    yield* placesOf(member, [...path, Array.isArray(value) ? Number(name) : name]);
  }
}

function withValue(template: Template, [step, ...rest]: Path, value: unknown): Template {
  if (step === undefined) return value as Template;
  if (typeof template !== 'object' || template === null) return template;
  const copy = (Array.isArray(template) ? [...template] : { ...template }) as Record<string | number, unknown>;
  copy[step] = rest.length === 0 ? value : withValue(copy[step] as Template, rest, value);
  return copy;
}

function at(root: unknown, path: Path): boolean {
  let here = root;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !(step in here)) return false;
    here = (here as Record<string | number, unknown>)[step];
  }
  return true;
}
