import { findReadablePolicies } from '../../analysis/cedar/authorization.ts';
import { diagnoseText } from '../../analysis/cedar/locate-text.ts';
import { tokenize } from '../../analysis/cedar/tokens.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * Cedar's integers have 64 bits. Values of tokens and calls are JSON numbers, of which a gateway represents integers up to 53 bits exactly.
 *
 * @holds incomingAuth | policies | have no integer that a gateway cannot represent exactly | LNT5019
 * @for gateways, servers
 * @reads sign-in
 */
export function numberNotExact(gateway: GatewayModel): Diagnostic[] {
  const set = findReadablePolicies(gateway);
  return (set?.policies ?? []).flatMap(({ name, source, offset, text }) =>
    [...tokenize(text)].flatMap(token => {
      if (!/^\d+$/.test(token.text) || Number.isSafeInteger(Number(token.text))) return [];
      const part = { offset: offset + token.offset, length: token.text.length };
      const message = `${name}: ${token.text} is beyond ${Number.MAX_SAFE_INTEGER}, up to which a gateway holds whole numbers exactly: no claim equals it, and a call with such an argument is denied`;
      return [diagnoseText(source, 'LNT5019', part, message)];
    }),
  );
}
