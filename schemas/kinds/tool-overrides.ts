import { type TSchema, Type } from 'typebox';
import { fields } from './define.ts';

/** Hints of the MCP `Tool.annotations` object. */
export const toolAnnotations: TSchema = fields(
  'ToolAnnotations',
  {
    title: Type.Optional(Type.String({ description: 'Display name of the tool.' })),
    readOnlyHint: Type.Optional(Type.Boolean({ description: 'The tool modifies nothing.' })),
    destructiveHint: Type.Optional(
      Type.Boolean({ description: 'The tool may destroy data. Clients ignore this for read-only tools.' }),
    ),
    idempotentHint: Type.Optional(
      Type.Boolean({ description: 'Calling again with the same arguments has no further effect.' }),
    ),
    openWorldHint: Type.Optional(
      Type.Boolean({ description: 'The tool reaches out to systems beyond the control of its server.' }),
    ),
  },
  {
    description:
      "Tool annotations for clients. A field that is set replaces the backend's value; a field that is not set keeps it.",
  },
);

/** Another name, description or other annotations for a tool. */
export const toolOverride: TSchema = fields(
  'ToolOverride',
  {
    name: Type.Optional(
      Type.String({
        description:
          'New name of the tool. Clients see and call this name. Conflict resolution applies after renaming.',
      }),
    ),
    description: Type.Optional(Type.String({ description: 'New description shown to clients.' })),
    annotations: Type.Optional(toolAnnotations),
  },
  { description: 'Changes to one tool. At least `name` or `description` should be set.' },
);
