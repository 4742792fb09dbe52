import { type TSchema, Type } from 'typebox';
import { fields } from './define.ts';

/** Hints of the MCP `Tool.annotations` object. */
export const toolAnnotations: TSchema = fields(
  'ToolAnnotations',
  {
    title: Type.Optional(Type.String({ description: 'Display name for people.' })),
    readOnlyHint: Type.Optional(Type.Boolean({ description: 'The tool changes nothing.' })),
    destructiveHint: Type.Optional(
      Type.Boolean({ description: 'The tool may destroy data; means something only when it is not read-only.' }),
    ),
    idempotentHint: Type.Optional(
      Type.Boolean({ description: 'Calling again with the same arguments has no further effect.' }),
    ),
    openWorldHint: Type.Optional(
      Type.Boolean({ description: 'The tool reaches out to systems beyond the control of its server.' }),
    ),
  },
  { description: 'Hints for clients. An absent field leaves the value as it is; a present one replaces it.' },
);

/** Another name, description or other annotations for a tool. */
export const toolOverride: TSchema = fields(
  'ToolOverride',
  {
    name: Type.Optional(
      Type.String({ description: 'New name, used for advertising and for routing, before conflicts are resolved.' }),
    ),
    description: Type.Optional(Type.String({ description: 'New description shown to clients.' })),
    annotations: Type.Optional(toolAnnotations),
  },
  { description: 'What to change about one tool; at least `name` or `description` should be given.' },
);
