import { type TSchema, Type } from 'typebox';
import { duration } from '../blocks.ts';
import { fields } from '../define.ts';

export const codeMode: TSchema = fields(
  'CodeModeConfig',
  {
    enabled: Type.Optional(Type.Boolean({ default: false, description: 'Offer the script tool.' })),
    stepLimit: Type.Optional(
      Type.Integer({ minimum: 1, default: 100000, description: 'Interpreter steps after which a script is stopped.' }),
    ),
    parallelMaxConcurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 10,
        description: 'Maximum number of concurrent tool calls of one script.',
      }),
    ),
    toolCallTimeout: Type.Optional(
      duration({ default: '30s', description: 'Time limit of one tool call of a script.' }),
    ),
  },
  {
    description: 'A tool that runs small scripts, which call other tools. The gateway authorizes each of these calls.',
  },
);
