import { API_GROUP, STORAGE_VERSION } from '#schemas';
import type { Comments } from '../comments.ts';
import type { ExportedObject } from '../exported-object.ts';
import type { ProgramScope } from '../program-scope.ts';
import type { Line } from '../statement.ts';
import type { CallCode } from '../typescript/code.ts';
import { emitBackend } from './backend.ts';
import { type EmitContext, NotRepresentable } from './construct.ts';
import { emitGateway } from './gateway.ts';
import { emitGroup } from './group.ts';
import { emitLowLevel } from './low-level.ts';
import { emitOidc } from './oidc.ts';
import { emitOutgoingAuth } from './outgoing-auth.ts';
import type { ConstructExtras } from './parts.ts';
import { emitRegistry } from './registry.ts';
import { emitTelemetry } from './telemetry.ts';
import { emitWorkflowDefinition } from './workflow.ts';

/** Emits the construct of an object, by kind. An object that its construct cannot represent becomes a low-level construct. */
const CONSTRUCTS: Readonly<Record<string, (context: EmitContext) => ConstructCode>> = {
  VirtualMCPServer: emitGateway,
  MCPGroup: emitGroup,
  MCPOIDCConfig: emitOidc,
  MCPExternalAuthConfig: emitOutgoingAuth,
  MCPTelemetryConfig: emitTelemetry,
  MCPRegistry: emitRegistry,
  VirtualMCPCompositeToolDefinition: emitWorkflowDefinition,
  MCPServer: emitBackend,
  MCPRemoteProxy: emitBackend,
  MCPServerEntry: emitBackend,
};

export interface ConstructCode {
  readonly code: CallCode;
  readonly before?: readonly Line[];
  readonly further?: readonly Line[];
}

/** How an object is written, with the comments above it. */
export interface Choice {
  readonly code: CallCode;
  readonly before: readonly Line[];
  readonly further: readonly Line[];
  readonly parts: ConstructExtras;
  /** Why the object is not a high-level construct. */
  readonly why?: string;
}

/** A high-level construct if it represents everything, otherwise a low-level one. */
export function chooseConstruct(
  object: ExportedObject,
  program: ProgramScope,
  annotations: Readonly<Record<string, string>>,
  comments: () => Comments,
): Choice {
  const construct = object.apiVersion === `${API_GROUP}/${STORAGE_VERSION}` ? CONSTRUCTS[object.kind] : undefined;
  let why: string | undefined;
  if (construct !== undefined) {
    const parts = { comments: comments(), annotations };
    try {
      const { code, before = [], further = [] } = construct({ object, program, parts });
      program.noteConstruct(object, code.callee);
      return { code, before, further, parts };
    } catch (error) {
      if (!(error instanceof NotRepresentable)) throw error;
      why = `Written out: ${error.message}`;
    }
  }
  const parts = { comments: comments(), annotations };
  const { code, further = [] } = emitLowLevel(object, program, parts);
  return { code, before: [], further, parts, ...(why !== undefined && { why }) };
}
