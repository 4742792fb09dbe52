/** Validates names of headers that are sent to backends. */
import { isCarrierHeader, isCredentialHeader, isHeaderName, isProtocolHeader, isRestrictedHeader } from '#shared/plan';
import type { DiagnoseDetails } from '../../check/diagnose.ts';
import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import { quote } from '../../text/describe.ts';

/** Whether the header is forwarded from the caller, constant, or carries a credential. */
export type HeaderUse = 'passed' | 'fixed' | 'credential';

interface HeaderProblem {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly details?: DiagnoseDetails;
}

export function findHeaderNameProblem(name: string, use: HeaderUse): HeaderProblem | undefined {
  if (!isHeaderName(name)) return { code: 'LNT6013', message: `${quote(name)} is not the name of a header` };
  const problem = (message: string, details?: DiagnoseDetails): HeaderProblem => ({
    code: 'LNT6002',
    message: `the header ${quote(name)} ${message}`,
    ...(details && { details }),
  });
  if (use === 'credential') {
    return isCarrierHeader(name) ? undefined : problem(`${describeOwner(name)} and cannot carry a credential`);
  }
  if (isRestrictedHeader(name) || isProtocolHeader(name))
    return problem(`${describeOwner(name)} and cannot be forwarded`);
  if (use === 'passed' && isCredentialHeader(name)) {
    const fix = 'choose an outgoing authentication for the backend instead';
    return problem('carries the credentials of the caller, which a gateway never sends to backends', { fix });
  }
  return findHarmlessProblem(name, use, problem);
}

function describeOwner(name: string): string {
  return isRestrictedHeader(name) ? 'belongs to one connection' : 'belongs to the protocol of gateway and backend';
}

/** Headers without the effect that an author of specs may expect. */
function findHarmlessProblem(
  name: string,
  use: HeaderUse,
  problem: (message: string, details: DiagnoseDetails) => HeaderProblem,
): HeaderProblem | undefined {
  switch (name.toLowerCase()) {
    case 'user-agent':
      return problem('has no effect: the gateway sends its own', { severity: 'warning' });
    case 'origin':
      if (use !== 'passed') return undefined;
      return problem('says that a web page calls the backend itself, which backends refuse', { severity: 'warning' });
    default:
      return undefined;
  }
}
