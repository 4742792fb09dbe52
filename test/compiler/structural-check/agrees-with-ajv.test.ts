import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkStructure } from '../../../compiler/check/structural.ts';
import { FILES } from '../../../schemas/files/index.ts';
import { buildInternalKind } from '../../../schemas/generate/internal-schema.ts';
import { buildFileSchema, buildJsonSchema } from '../../../schemas/generate/json-schema.ts';
import { toStructural } from '../../../schemas/generate/to-structural.ts';
import { KINDS } from '../../../schemas/kinds/index.ts';
import { runs } from '../../support/runs.ts';
import { damage, damaged, sample } from './sample.ts';

const SEED = 20260131;
const CASES = runs(3900);

/**
 * The published JSON Schema and Lintel's own check must accept the same values. There is one intended difference: JSON Schema cannot require
 * that the items of a list map have distinct keys.
 */
test.each(KINDS.map(kind => [kind.kind, kind] as const))(
  'the compiler and Ajv agree on random objects of the kind %s',
  (_, definition) => {
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    formats.default(ajv, ['int32', 'int64', 'date-time']);
    const validate = ajv.compile(buildJsonSchema(definition));
    const kind = buildInternalKind(definition);
    const verdicts = { valid: 0, invalid: 0 };

    const values = fc.record({ spec: sample(kind.spec), status: sample(kind.status) }, { noNullPrototype: true });
    const damages = fc.array(damage, { maxLength: 2 });
    const property = fc.property(values, damages, damages, (value, toSpec, toStatus) => {
      const spec = damaged(value.spec, toSpec);
      const status = damaged(value.status, toStatus);
      const document = { apiVersion: 'lintel.dev/v1beta1', kind: kind.kind, metadata: { name: 'a' }, spec, status };
      const violations = [...checkStructure(kind.spec, spec), ...checkStructure(kind.status, status)];
      const ours = violations.filter(each => each.kind !== 'duplicate-item' || each.field === undefined).length === 0;
      const theirs = validate(document);
      verdicts[theirs ? 'valid' : 'invalid'] += 1;
      expect(ours, JSON.stringify({ violations, errors: validate.errors }, null, 1)).toBe(theirs);
    });

    const numRuns = Math.ceil(CASES / KINDS.length);
    fc.assert(property, { seed: SEED, numRuns });
    expect(verdicts.valid).toBeGreaterThan(numRuns / 20);
    expect(verdicts.invalid).toBeGreaterThan(numRuns / 20);
  },
);

test.each(FILES.map(file => [file.schema.title, file] as const))(
  'the compiler and Ajv agree on random files of the type %s',
  (name, definition) => {
    const validate = new Ajv2020({ strict: true, allErrors: true }).compile(buildFileSchema(definition));
    const schema = toStructural(definition.schema, name);
    const verdicts = { valid: 0, invalid: 0 };
    const damages = fc.array(damage, { maxLength: 2 });
    const property = fc.property(sample(schema), damages, (value, toValue) => {
      const document = damaged(value, toValue);
      const violations = checkStructure(schema, document);
      const ours = violations.filter(each => each.kind !== 'duplicate-item' || each.field === undefined).length === 0;
      const theirs = validate(document);
      verdicts[theirs ? 'valid' : 'invalid'] += 1;
      expect(ours, JSON.stringify({ violations, errors: validate.errors }, null, 1)).toBe(theirs);
    });
    const numRuns = runs(300);
    fc.assert(property, { seed: SEED, numRuns });
    expect(verdicts.valid).toBeGreaterThan(numRuns / 5);
    expect(verdicts.invalid).toBeGreaterThan(numRuns / 5);
  },
);
