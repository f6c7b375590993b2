import type { SegmentFiles } from '../delay/segment-file.ts'
import type { Log } from '../log.ts'
import { ClipWindow } from './clip-window.ts'
import type { RecorderHub } from './recorder.ts'

/** Channels of which a service keeps the last minutes; those that come on air later are not kept. */
export const maxClipWindows = 16

/** Windows of the channels on air. */
export type ClipWindows = ReturnType<typeof createClipWindows>

/** Keeps the last minutes of pushes that begin later. */
export function createClipWindows(options: {
  readonly hub: Pick<RecorderHub, 'on' | 'join'>
  readonly files: SegmentFiles
  readonly log: Pick<Log, 'warn'>
}) {
  const { hub, files, log } = options
  const windows = new Map<string, { readonly window: ClipWindow; readonly leave: () => void }>()
  let made = 0
  const begin = (cid: string): void => {
    if (windows.size >= maxClipWindows && !windows.has(cid)) return
    const window: ClipWindow = new ClipWindow({
      name: `${cid}-${made++}`,
      files,
      over() {
        if (windows.get(cid)?.window === window) windows.delete(cid)
      },
      failed: (error) => log.warn({ err: error, cid }, 'the last minutes of a channel cannot be kept for clips'),
    })
    const leave = hub.join(cid, window, 'internal')
    if (leave) windows.set(cid, { window, leave })
  }
  const off = hub.on(({ type, cid }) => {
    if (type === 'started') begin(cid)
  })
  return {
    of: (cid: string): Pick<ClipWindow, 'take'> | undefined => windows.get(cid)?.window,
    async close() {
      off()
      const all = [...windows.values()]
      windows.clear()
      for (const { leave } of all) leave()
      await Promise.all(all.map(({ window }) => window.close()))
    },
  }
}
