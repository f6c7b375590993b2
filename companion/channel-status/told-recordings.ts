import type { LocalEvent } from '../../contract/local-events.ts'
import type { AppEvent } from '../../contract/rpc/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { recordingOf } from './recording-of.ts'

/** Passes on what is recorded and files that are ready, and drops recordings when they are known no more. */
export function createToldRecordings(profileId: string, clock: Pick<Clock, 'now'>, post: (event: AppEvent) => void) {
  const told = new Set<string>()
  const drop = (cid: string): void => {
    if (!told.delete(cid)) return
    const recording = { state: 'off', reason: null, since: null, bytes: 0, cut: null } as const
    post({ type: 'recording', profileId, cid, at: clock.now(), recording })
  }
  return {
    tell: (event: LocalEvent & { type: 'recording' }) => {
      const { cid, at, vid, name = '', bytes = 0, merged = false, clip } = event
      if (event.state === 'fileReady') {
        if (vid !== undefined)
          post({ type: 'recorded', profileId, cid, at, vid, name, bytes, merged, ...(clip && { clip }) })
        return
      }
      const recording = recordingOf(event)
      if (!recording) return
      if (recording.state === 'off') told.delete(cid)
      else told.add(cid)
      post({ type: 'recording', profileId, cid, at, recording })
    },
    has: (cid: string): boolean => told.has(cid),
    drop,
    dropAll: () => {
      for (const cid of told) drop(cid)
    },
  }
}
