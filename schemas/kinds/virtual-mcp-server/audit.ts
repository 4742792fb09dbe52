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
      Type.Array(Type.String(), { description: 'Types of events to leave out, even if `eventTypes` names them.' }),
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
          'Record a response with a JSON-RPC error as `application_error`, even if its HTTP status is a success. The error may be anywhere in the response.',
      }),
    ),
    maxDataSize: Type.Optional(
      Type.Integer({
        default: 1024,
        description:
          'Maximum size of request or response content in one record, in bytes. Longer content is cut and marked as cut.',
      }),
    ),
    maxDelegationDepth: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 10,
        description: 'Maximum number of delegations (nested `act` claims) in one record.',
      }),
    ),
    logFile: Type.Optional(
      Type.String({
        description: 'Absolute path of the audit log. The gateway reopens the file on SIGHUP. Empty: standard output.',
      }),
    ),
  },
  { description: 'Audit log: which caller sent which request, when, and with which outcome. Absent: no audit log.' },
);
