/** `lintel-runtime rehearse`: runs workflows with scripted answers. It serves no clients, and connects to backends only with `live`. */
import type { Readable, Writable } from 'node:stream';
import type { RehearsalRecord, RehearsalRequest, RehearsalScript } from '#schemas';
import { OptionError } from '#shared/util';
import { createLogger } from '../observe/log.ts';
import { readAll, writeLine } from '../standard-streams.ts';
import { LiveBackends } from './live-backends.ts';
import { rehearse } from './rehearse.ts';
import { type LiveCall, ScriptedActors } from './scripted-actors.ts';

/**
 * Reads a rehearsal request from `input` to its end, and writes a record of each run as a line to `output`.
 *
 * @throws OptionError for a request that is not valid
 */
export async function rehearseAll(input: Readable, output: Writable): Promise<void> {
  const { runs, live } = parseRequest(await readAll(input));
  const backends = live && new LiveBackends(live, createLogger('silent'));
  try {
    for (const script of runs) {
      const record = await recordRehearsal(
        script,
        backends && (call => backends.call(script.live?.[`${call.backend}.${call.tool}`], call)),
      );
      await writeLine(output, JSON.stringify(record));
    }
  } finally {
    await backends?.close();
  }
}

async function recordRehearsal(script: RehearsalScript, live: LiveCall | undefined): Promise<RehearsalRecord> {
  const actors = new ScriptedActors(script, live);
  const { cancelAfterMs } = script;
  const { run, changes, durationMs } = await rehearse(script.plan, script.input, actors, { cancelAfterMs });
  const { status, output, error, failure, outcomes } = run;
  return {
    status,
    output,
    ...(error !== undefined && { error }),
    failure,
    outcomes,
    calls: actors.calls,
    questions: actors.questions,
    changes,
    durationMs,
  };
}

function parseRequest(text: string): RehearsalRequest {
  try {
    const request = JSON.parse(text) as RehearsalRequest;
    if (Array.isArray(request.runs)) return request;
  } catch {
    // The error below names the cause. The text itself may hold credentials, so no message repeats it.
  }
  throw new OptionError('rehearse reads {"runs": […]} from standard input; `lintel test` writes it');
}
