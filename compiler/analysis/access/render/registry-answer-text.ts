import { quote } from '../../../text/describe.ts';
import type { RegistryAnswer, RegistryReason } from '../registry-answer.ts';
import { formatAnswer } from './answer-lines.ts';

/** Text output: the decision on one line, and below it what decides. */
export function renderRegistryAnswerText({ server, caller, name, decision, reason, notes }: RegistryAnswer): string {
  const what = `see ${name} of registry server ${server.namespace}/${server.name}`;
  return formatAnswer({ caller, what, decision }, explain(reason), notes);
}

function explain(reason: RegistryReason): readonly string[] {
  switch (reason.type) {
    case 'open':
      return ['the registry server asks for no token here: every caller sees it'];
    case 'no-authorization':
      return ['the registry server compares no claims: every caller that it accepts sees everything'];
    case 'super-admin':
      return ['the caller is a super admin, and super admins see everything'];
    case 'claims':
      return ['the caller has the required claims'];
    case 'missing-claims':
      return [formatMissing(reason)];
    case 'not-admitted':
      return reason.causes.map(cause => `the registry server refuses the caller: ${cause}`);
    case 'unknown':
      return [reason.cause];
  }
}

function formatMissing({ of, requires }: Extract<RegistryReason, { readonly type: 'missing-claims' }>): string {
  if (requires === null) return `${of} has no claims, so only super admins see it`;
  const claims = Object.entries(requires).map(([claim, values]) => `${claim} ${values.map(quote).join(' or ')}`);
  return `the caller lacks the claims that ${of} requires: ${claims.join(' and ')}`;
}
