import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { TargetState } from '../../../contract/rpc/targets.ts'
import type { LogLine } from './log-line.ts'

/** What is worth a line; a new attempt is not. */
const kinds: Readonly<Partial<Record<TargetState['state'], LogLine['kind']>>> = {
  sending: 'targetSending',
  retrying: 'targetRetrying',
  refused: 'targetRefused',
  stopped: 'targetStopped',
  noKey: 'targetNoKey',
}
/** A target that is too slow all the time has a line about what is left out this often, in ms. */
const droppedEvery = 60_000

/** Told of a target. */
type TargetEvent = Extract<AppEvent, { type: 'target' }>
/** Writes a line of the log of a channel. */
type Write = (profileId: string, cid: string, line: Pick<LogLine, 'at' | 'kind'> & Partial<LogLine>) => void

/** Makes lines of what becomes of targets. */
export function createTargetLines(write: Write, isOnAir: (profileId: string, cid: string) => boolean) {
  interface Known {
    kind: LogLine['kind'] | undefined
    /** Frames left out: at the last event, and in lines. */
    dropped: number
    written: number
    writtenAt: number
  }
  const targets = new Map<string, Known>()

  return {
    /** Targets of a new push each have a first line again. */
    begin(profileId: string, cid: string): void {
      for (const name of targets.keys()) if (name.startsWith(`${profileId}/${cid}/`)) targets.delete(name)
    },
    watch({ profileId, cid, at, targetId, target, removed }: TargetEvent): void {
      const name = `${profileId}/${cid}/${targetId}`
      if (target === null) {
        targets.delete(name)
        if (removed && isOnAir(profileId, cid)) write(profileId, cid, { at, kind: 'targetRemoved', detail: name })
        return
      }
      const { state, since, dropped, kbps, reason, answer } = target
      const known = targets.get(name) ?? { kind: undefined, dropped, written: 0, writtenAt: -Infinity }
      targets.set(name, known)
      // That frames are left out by a server that takes others is told once it is over.
      const kind = state === 'stalled' ? (kbps === 0 ? 'targetStalled' : known.kind) : kinds[state]
      if (kind !== undefined && kind !== known.kind) {
        known.kind = kind
        write(profileId, cid, { at: since, kind, detail: name, remedy: reason, answer })
      }
      const isSettled = dropped === known.dropped && state !== 'stalled'
      known.dropped = dropped
      if (isSettled && dropped > known.written && at - known.writtenAt >= droppedEvery) {
        write(profileId, cid, { at, kind: 'targetDropped', detail: name, count: dropped - known.written })
        known.written = dropped
        known.writtenAt = at
      }
    },
  }
}
