import { type TSchema, Type } from 'typebox';
import { duration } from './blocks.ts';
import { fields, listMap, refined } from './define.ts';

const bucket: TSchema = fields(
  'RateLimitBucket',
  {
    maxTokens: Type.Integer({
      format: 'int32',
      minimum: 1,
      description: 'Calls that may come at once; also the size of the bucket.',
    }),
    refillPeriod: duration({
      description:
        'Time in which an empty bucket fills up. The lasting rate is `maxTokens` divided by this; must exceed zero.',
    }),
  },
  { description: 'A token bucket: one tool call takes one token.' },
);

const toolLimit = fields(
  'ToolRateLimit',
  {
    name: Type.String({ description: 'Advertised name of the tool, after renaming and prefixing.', minLength: 1 }),
    shared: Type.Optional(refined(bucket, { description: 'Bucket that all callers of this tool share.' })),
    perUser: Type.Optional(refined(bucket, { description: 'Bucket of this tool for each authenticated caller.' })),
  },
  {
    description: 'Limits of one tool, in addition to those of the server.',
    rules: [
      {
        rule: 'has(self.shared) || has(self.perUser)',
        message: 'this tool has no limit: set shared, perUser or both',
      },
    ],
  },
);

/** Token buckets on tool calls. */
export const rateLimiting: TSchema = fields(
  'RateLimiting',
  {
    shared: Type.Optional(refined(bucket, { description: 'Bucket that all callers of the server share.' })),
    perUser: Type.Optional(
      refined(bucket, { description: 'Bucket for each authenticated caller; needs incoming authentication.' }),
    ),
    tools: Type.Optional(listMap(toolLimit, ['name'], { description: 'Limits of single tools.' })),
  },
  {
    description:
      'Limits on tool calls. A call must find a token in every bucket that applies to it; the counters live in Redis session storage, or in memory where a gateway has one replica.',
    rules: [
      {
        rule: 'has(self.shared) || has(self.perUser) || (has(self.tools) && size(self.tools) > 0)',
        message: 'rateLimiting limits nothing: set shared, perUser or at least one entry of tools',
      },
    ],
  },
);
