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
          'Record a JSON-RPC error that comes with a successful HTTP status as `application_error`, wherever it stands in the response.',
      }),
    ),
    maxDataSize: Type.Optional(
      Type.Integer({
        default: 1024,
        description:
          'Bytes of request or response content kept in one record; longer content is cut, and marked as such.',
      }),
    ),
    maxDelegationDepth: Type.Optional(
      Type.Integer({ minimum: 1, default: 10, description: 'Delegations (nested `act` claims) kept in one record.' }),
    ),
    logFile: Type.Optional(
      Type.String({
        description:
          'Absolute path of the audit log, which is opened again on SIGHUP. Empty writes to standard output.',
      }),
    ),
  },
  { description: 'Audit log: who did what, when, and with which outcome.' },
);
