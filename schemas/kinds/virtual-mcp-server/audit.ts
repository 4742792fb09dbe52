import { type TSchema, Type } from 'typebox';
import { fields } from '../define.ts';

export const audit: TSchema = fields(
  'AuditConfig',
  {
    enabled: Type.Optional(Type.Boolean({ default: false, description: 'Write audit records.' })),
    component: Type.Optional(Type.String({ description: 'Component name put into every record.' })),
    eventTypes: Type.Optional(
      Type.Array(Type.String(), { description: 'Types of events to record. Empty records all of them.' }),
    ),
    excludeEventTypes: Type.Optional(
      Type.Array(Type.String(), { description: 'Types of events to leave out; stronger than `eventTypes`.' }),
    ),
    includeRequestData: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Record the content of requests; it may hold personal data or credentials.',
      }),
    ),
    includeResponseData: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Record the content of responses; it may hold personal data or credentials.',
      }),
    ),
    detectApplicationErrors: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Look into the first bytes of successful HTTP responses for JSON-RPC errors, so that they count as failures.',
      }),
    ),
    maxDataSize: Type.Optional(
      Type.Integer({ default: 1024, description: 'Bytes of request or response content kept in one record.' }),
    ),
    maxDelegationDepth: Type.Optional(
      Type.Integer({ minimum: 1, default: 10, description: 'Delegations (nested `act` claims) kept in one record.' }),
    ),
    logFile: Type.Optional(Type.String({ description: 'Path of the audit log. Empty writes to standard output.' })),
  },
  { description: 'Audit log: who did what, when, and with which outcome.' },
);
