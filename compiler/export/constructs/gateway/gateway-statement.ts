import type { AnyBackend } from '../../../cdk8s/backend.ts';
import type { GatewayDraft } from '../../../cdk8s/gateway/draft.ts';
import { Call, type CallSite } from '../../../cdk8s/origins.ts';
import type { Tool } from '../../../cdk8s/tool.ts';
import type { Path } from '../../../source/source-document.ts';
import { type CallCode, type Code, call, plain } from '../../typescript/code.ts';
import { formatStringLiteral } from '../../typescript/literal.ts';
import type { ValueWriter } from '../../value-code.ts';

/** One statement about a gateway: its effect, and its code. */
export interface GatewayStatement {
  /** Applies the statement to the draft, as the program would. */
  apply(draft: GatewayDraft): void;
  code(words: ProgramNames): CallCode;
  /** The comments at these paths of the document are written above the statement. */
  readonly about: readonly Path[];
}

/** The names that the program gives to the objects that a statement refers to. */
export interface ProgramNames {
  /** The const of the gateway. */
  readonly gateway: string;
  /** The const of a backend. */
  backend(name: string): string;
  /** The const of a workflow, by the workflow's tool name. */
  ownTool(name: string): string;
  /** Writes values of the document, with comments. */
  readonly writer: ValueWriter;
}

/** A backend without its tool lock, because the lock changes over time. */
export const toUnlockedBackend = (name: string): AnyBackend => ({ name, locked: undefined });

export const emitText = (value: string): Code => plain(formatStringLiteral(value));

export const emitBackendReference = (name: string, words: ProgramNames): Code => plain(words.backend(name));

export const emitToolReference = ({ backend, name }: Tool, words: ProgramNames): Code =>
  call(`${words.backend(backend)}.tool`, emitText(name));

/** The place of a call in a program. A draft does not need it. */
export const NO_CALL: Call = new Call('');
export const UNKNOWN_CALL_SITE: CallSite = NO_CALL.at();
