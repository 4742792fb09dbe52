import { type TSchema, Type } from 'typebox';
import { duration } from './blocks.ts';
import { fields, listMap, refined } from './define.ts';

const bucket: TSchema = fields(
  'RateLimitBucket',
  {
    maxTokens: Type.Integer({
      format: 'int32',
      minimum: 1,
      description: 'Size of the bucket: the number of calls in a burst.',
    }),
    refillPeriod: duration({
      description:
        'Time in which an empty bucket fills up; more than zero. The sustained rate is `maxTokens` per `refillPeriod`.',
    }),
  },
  { description: 'A token bucket: one tool call takes one token.' },
);

const toolLimit = fields(
  'ToolRateLimit',
  {
    name: Type.String({ description: 'Advertised name of the tool, after renaming and prefixing.', minLength: 1 }),
    shared: Type.Optional(refined(bucket, { description: 'Token bucket that all callers of this tool share.' })),
    perUser: Type.Optional(
      refined(bucket, { description: 'Token bucket of each authenticated caller for this tool.' }),
    ),
  },
  {
    description: 'Rate limits of one tool, in addition to those of the server.',
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
    shared: Type.Optional(refined(bucket, { description: 'Token bucket that all callers of the server share.' })),
    perUser: Type.Optional(
      refined(bucket, { description: 'Token bucket of each authenticated caller; requires incoming authentication.' }),
    ),
    tools: Type.Optional(listMap(toolLimit, ['name'], { description: 'Rate limits of single tools.' })),
  },
  {
    description:
      'Rate limits on tool calls, as token buckets. A call takes a token from every bucket that applies to it, and is refused if a bucket is empty. Buckets are kept in the Redis of the session storage, or in memory if the gateway has one replica.',
    rules: [
      {
        rule: 'has(self.shared) || has(self.perUser) || (has(self.tools) && size(self.tools) > 0)',
        message: 'rateLimiting limits nothing: set shared, perUser or at least one entry of tools',
      },
    ],
  },
);
