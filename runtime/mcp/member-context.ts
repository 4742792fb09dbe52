import type { Envelope } from './envelope.ts';
import type { MessageContext } from './handler.ts';
import { WireError } from './wire-error.ts';

/** The context of one message of a batch: each message has a record of its own in the audit log. */
export function createMemberContext(context: MessageContext, member: Envelope | WireError): MessageContext {
  if (context.record === undefined) return context;
  const isRefused = member instanceof WireError;
  const record = context.record.member(isRefused ? undefined : member);
  if (isRefused) record.refused(member.code, member.message);
  return { ...context, record };
}
