import { inBackground } from '../background.ts'
import type { Hub } from '../hub/hub.ts'
import type { StopReason } from './disk-guard.ts'
import { RecordingSession, maxSliceBytes, type RecordingState } from './recorder-session.ts'
import { Slice, type RecordingChoice, type SliceParts } from './slice.ts'

/** What the recorder uses of the hub. */
export type RecorderHub = Pick<Hub, 'on' | 'join' | 'leftOut'>

/** Records channels on air. */
export type Recorder = ReturnType<typeof createRecorder>

/** How often states are reported again, in ms. */
const reportEvery = 2000
/** Pause after a failed slice, in ms. */
const retryAfter = 2000

/** Makes the recorder, which reads every push that begins later. */
export function createRecorder({
  hub,
  parts,
  wants,
  blocked,
  failed,
  report,
  recording,
  sliceBytes = maxSliceBytes,
}: {
  readonly hub: RecorderHub
  readonly parts: SliceParts
  readonly wants: (cid: string) => RecordingChoice | undefined
  readonly blocked: () => StopReason | undefined
  /** A slice failed: check the disk. */
  readonly failed: () => Promise<void>
  /** Called on every change of state, and every two seconds while writing or stopped. */
  readonly report: (cid: string, state: RecordingState) => void
  /** Whether the channel counts as recording (1-live States, 3). */
  readonly recording: (cid: string, on: boolean) => void
  readonly sliceBytes?: number | undefined
}) {
  const sessions = new Map<string, { readonly session: RecordingSession; readonly leave: (() => void) | undefined }>()
  const ending = new Set<Promise<void>>()
  let closed = false

  const tell = (cid: string): void => {
    const state = sessions.get(cid)?.session.state
    if (!state) return
    recording(cid, state.state === 'recording')
    report(cid, state)
  }
  const begin = (cid: string): void => {
    const session = new RecordingSession(
      {
        wants: () => (closed ? undefined : wants(cid)),
        blocked,
        open: (options) => new Slice({ cid, ...options }, parts),
        async failed(error) {
          parts.log.warn(
            { err: error, cid },
            error === undefined ? 'the disk is too slow for a recording' : 'a recording could not be written',
          )
          await failed()
          await new Promise((resolve) => setTimeout(resolve, retryAfter).unref())
        },
        ending(ended) {
          ending.add(ended)
          inBackground(
            ended.finally(() => ending.delete(ended)),
            parts.log,
            'ending a recording',
          )
        },
        changed: () => tell(cid),
        log: parts.log,
        leftOut: (loss) => hub.leftOut(cid, loss),
        sliceBytes,
      },
      () => {
        if (sessions.get(cid)?.session === session) sessions.delete(cid)
        report(cid, { state: 'off' })
      },
    )
    const leave = hub.join(cid, session, 'internal')
    if (!leave) return
    sessions.set(cid, { session, leave })
    const { state } = session
    // It counts as recording from the start of the push (behaviour.md#status-of-a-channel).
    recording(cid, state.state === 'asked')
    if (state.state !== 'off') report(cid, state)
  }
  const off = hub.on(({ type, cid }) => {
    if (type === 'started' && !closed) begin(cid)
  })
  const timer = setInterval(() => {
    for (const [cid, { session }] of sessions)
      if (session.state.state === 'recording' || session.state.state === 'stopped') report(cid, session.state)
  }, reportEvery)
  timer.unref()

  return {
    /** Undefined when the channel is not on air. */
    state: (cid: string): RecordingState | undefined => sessions.get(cid)?.session.state,
    /** Recordings that are written now, and the bytes of their open files. */
    totals() {
      let [running, bytes] = [0, 0]
      for (const { session } of sessions.values()) {
        const { state } = session
        if (state.state !== 'recording') continue
        running += 1
        bytes += state.bytes
      }
      return { running, bytes }
    },
    /** Settings may have changed; applied at the next key frame. */
    changed(cid: string) {
      const state = sessions.get(cid)?.session.state
      if (state) report(cid, state)
    },
    /** The disk allows recording (undefined), or why not. */
    allowed(reason: StopReason | undefined) {
      for (const [cid, { session }] of sessions) {
        if (reason) session.halt()
        tell(cid)
      }
    },
    /** Ends all recordings; resolves when their files are finished, or after `patience` ms. */
    async close(patience: number) {
      closed = true
      off()
      clearInterval(timer)
      for (const { session, leave } of sessions.values()) {
        leave?.()
        session.ended()
      }
      let late: NodeJS.Timeout | undefined
      await Promise.race([
        Promise.all(ending),
        new Promise((resolve) => {
          late = setTimeout(resolve, patience)
        }),
      ])
      clearTimeout(late)
    },
  }
}
