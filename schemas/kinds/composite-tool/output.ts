import { type TProperties, type TSchema, Type } from 'typebox';
import { fields, freeForm, oneOf, record } from '../define.ts';

/** Structural schemas cannot refer to themselves, so nested schemas are written out down to this depth. */
const MAX_DEPTH = 10;

function outputProperty(depth: number): TSchema {
  const nested: TProperties =
    depth < MAX_DEPTH
      ? {
          properties: Type.Optional(
            record(outputProperty(depth + 1), { description: 'Nested properties; only for type `object`.' }),
          ),
        }
      : {};
  return fields(
    'CompositeOutputProperty',
    {
      type: oneOf(['string', 'integer', 'number', 'boolean', 'object', 'array'], {
        description: 'JSON type of the value.',
      }),
      description: Type.Optional(Type.String({ description: 'What the value means, for clients.' })),
      value: Type.Optional(
        Type.String({
          description:
            'Template of the value, such as `{{.steps.fetch.output.title}}` or `{{.params.id}}`. For an object it may render JSON text.',
        }),
      ),
      ...nested,
      default: Type.Optional(
        freeForm({ description: 'Used when the template cannot be rendered; converted to `type`.' }),
      ),
    },
    { description: 'One property of the result.' },
  );
}

export const compositeOutput: TSchema = fields(
  'CompositeOutput',
  {
    properties: record(outputProperty(1), { description: 'Properties of the result by name.' }),
    required: Type.Optional(Type.Array(Type.String(), { description: 'Names of properties that must be present.' })),
  },
  { description: 'Properties of the result. Absent: the workflow returns the output of its last step.' },
);
