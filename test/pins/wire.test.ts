/** The error codes and MCP revisions that MCP clients receive from the runtime, which must stay as they are. */
import { expect, test } from 'vitest';
import { SESSION_REVISIONS, SSE_REVISIONS, STATELESS_REVISION } from '../../runtime/mcp/protocol-revisions.ts';
import { WIRE_CODE } from '../../runtime/mcp/wire-error.ts';

test('the JSON-RPC error codes of the runtime do not change', () => {
  expect(WIRE_CODE).toEqual({
    parseError: -32700,
    invalidRequest: -32600,
    methodNotFound: -32601,
    invalidParams: -32602,
    internalError: -32603,
    refused: -32000,
    sessionNotFound: -32001,
    timeout: -32001,
    resourceNotFound: -32002,
    headerMismatch: -32020,
    missingClientCapability: -32021,
    unsupportedRevision: -32022,
    loginRequired: 401,
    denied: 403,
    rateLimited: 429,
  });
});

test('the MCP revisions of the runtime do not change, and are listed newest first', () => {
  expect(SESSION_REVISIONS).toEqual(['2025-11-25', '2025-06-18', '2025-03-26']);
  expect(SSE_REVISIONS).toEqual([...SESSION_REVISIONS, '2024-11-05']);
  expect(STATELESS_REVISION).toBe('2026-07-28');
});
