import { expect, test } from 'vitest';
import { checkStructure } from '../../../compiler/check/structural.ts';
import { buildInternalKind } from '../../../schemas/generate/internal-schema.ts';
import { walk } from '../../../schemas/generate/structural-schema.ts';
import { KINDS } from '../../../schemas/kinds/index.ts';

/** Each default must satisfy the schema that declares it, because the API server refuses a CRD otherwise. */
test.each(KINDS.map(kind => [kind.kind, buildInternalKind(kind)] as const))(
  'every default in the schema of %s is valid',
  (name, kind) => {
    const places = [
      ...walk({ path: `${name}.spec`, schema: kind.spec }),
      ...walk({ path: `${name}.status`, schema: kind.status }),
    ];
    const wrong = places
      .filter(({ schema }) => schema.default !== undefined)
      .flatMap(({ path, schema }) =>
        checkStructure(schema, schema.default).map(({ message }) => `${path}: ${message}`),
      );
    expect(wrong).toEqual([]);
  },
);
