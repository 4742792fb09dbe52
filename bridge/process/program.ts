/** A program that speaks MCP over its standard streams, one message per line. */
import { classifyMessage, type Message, type MessageKind } from '../message.ts';
import type { DeferredLog } from './deferred-log.ts';
import type { ProcessGroup } from './group.ts';
import { LineSplitter } from './lines.ts';
import type { Redactor } from './redactor.ts';

/** Limit on one message of a program: 32 MiB. */
export const MAX_MESSAGE_BYTES: number = 32 * 1024 * 1024;

/** How much a program may leave unread before the bridge accepts no more messages for it: 16 MiB. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** The most bytes of a line that is logged. */
const MAX_LOGGED_BYTES = 16 * 1024;

/** How long a program may take to end by itself, and then how long it may take after SIGTERM. */
const END_MS = 2_000;

/** How Node, Python and npm report the error that ended them. */
const NAMES_AN_ERROR = /^(?:\S+ )?\w*(?:Error|Exception)\b.*: |^npm (?:error|ERR!) code /;

/** An error that is followed by more lines than this was not the last one that the program reported. */
const MAX_STACK_LINES = 30;

export interface ProgramOwner {
  /** A message arrived; `text` has no line break. */
  received(text: string, message: Message, kind: MessageKind): void;
  /** A message that was dropped: `id` is the request that it answers, where that is known. */
  lost(id: unknown, bytes: number): void;
  /**
   * Called once, and last. `reason` continues a sentence that begins with "the server"; `wasAsked`: the bridge ended it because no session
   * needed it any more.
   */
  ended(reason: string, wasAsked: boolean): void;
}

export class Program {
  readonly pid: number;
  readonly #group: ProcessGroup;
  readonly #log: DeferredLog;
  readonly #redactor: Redactor;
  readonly #owner: ProgramOwner;
  /** Why the bridge ends the program; undefined when it ends by itself. */
  #reason: string | undefined;
  #ending: Promise<void> | undefined;
  #lastComplaint = '';
  /** The line that names an uncaught error. Its stack, the version of the runtime and the path of npm's log follow it. */
  #lastError = '';
  #linesSinceError = 0;

  constructor(group: ProcessGroup, owner: ProgramOwner, log: DeferredLog, redactor: Redactor) {
    this.pid = group.pid;
    this.#group = group;
    this.#owner = owner;
    this.#log = log;
    this.#redactor = redactor;
    const messages = new LineSplitter(MAX_MESSAGE_BYTES, {
      line: text => this.#line(text),
      tooLong: ({ head, tail, bytes }) => {
        log.error({ bytes }, `a message of more than ${MAX_MESSAGE_BYTES} bytes is refused`);
        owner.lost(readId(head, tail), bytes);
      },
    });
    group.stdout.on('data', (chunk: Buffer) => messages.push(chunk));
    const complaints = new LineSplitter(MAX_LOGGED_BYTES, {
      line: text => this.#complaint(text),
      tooLong: ({ head }) => this.#complaint(`${head} …`),
    });
    group.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
    void group.ended.then(({ code, signal }) => {
      messages.end();
      complaints.end();
      const by = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      const cause =
        this.#linesSinceError > MAX_STACK_LINES ? this.#lastComplaint : this.#lastError || this.#lastComplaint;
      const last = cause === '' ? '' : `; its log says: ${cause}`;
      owner.ended(this.#reason ?? `${by}${last}`, this.#ending !== undefined);
    });
  }

  /** Sends a message. Returns false when the message is dropped, because the program leaves too much unread. */
  send(text: string): boolean {
    const { stdin } = this.#group;
    if (!stdin.writable || stdin.writableLength > MAX_UNREAD_BYTES) return false;
    stdin.write(`${text}\n`);
    return true;
  }

  /**
   * Ends the program and every process that it started: closes its input, as MCP requires, then sends SIGTERM, then SIGKILL. Resolves when no
   * process is left.
   * @param reason for clients that wait for an answer; continues a sentence that begins with "the server"
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio
   */
  end(reason: string): Promise<void> {
    this.#reason ??= reason;
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Ends the program and every process that it started, at once. */
  kill(reason: string): void {
    this.#reason ??= reason;
    this.#group.kill();
  }

  async #end(): Promise<void> {
    const { stdin, ended, gone } = this.#group;
    stdin.end();
    if (!(await waitAtMost(END_MS, ended))) {
      this.#group.terminate();
      if (!(await waitAtMost(END_MS, ended))) this.#group.kill();
    }
    await gone;
  }

  #line(text: string): void {
    if (text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#log.warn({ stdout: this.#quoteLine(text) }, 'a line on standard output is not a message and is ignored');
      return;
    }
    // An array is a batch, which revision 2025-03-26 allows.
    const members = Array.isArray(value) ? value : [value];
    for (const member of members) {
      const kind = classifyMessage(member);
      if (kind === undefined)
        this.#log.warn({ stdout: this.#quoteLine(text) }, 'a line on standard output is not a message and is ignored');
      else this.#owner.received(member === value ? text : JSON.stringify(member), member as Message, kind);
    }
  }

  #complaint(text: string): void {
    if (text.trim() === '') return;
    const shown = this.#quoteLine(text).slice(0, 300);
    this.#linesSinceError += 1;
    if (NAMES_AN_ERROR.test(text)) {
      this.#lastError = shown;
      this.#linesSinceError = 0;
    }
    this.#lastComplaint = shown;
    this.#log.info({ stderr: this.#quoteLine(text) }, 'the server wrote to standard error');
  }

  #quoteLine(text: string): string {
    return this.#redactor.redact(text).slice(0, MAX_LOGGED_BYTES);
  }
}

/** The id of an answer. SDKs write it first or last, so both ends of the line are searched. */
function readId(head: string, tail: string): unknown {
  const [, id] =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*,/.exec(head) ??
    /,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail) ??
    [];
  return id === undefined ? undefined : JSON.parse(id);
}

async function waitAtMost(ms: number, done: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>(resolve => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([done.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
