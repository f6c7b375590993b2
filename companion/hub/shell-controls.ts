import type { DesktopState, Download, Update } from '../../contract/rpc/index.ts'
import { inBackground } from '../background.ts'
import type { EventHub } from './event-hub.ts'

interface Control<State> {
  state(): State
  on(listener: (state: State) => void): () => void
}
/** The download of Electron's binary. */
export type DownloadControl = Control<Download> & { cancel(): void }
/** Updates of the app. */
export type UpdateControl = Control<Update> & { check(): Promise<void>; install(): boolean }
/** Which desktop settings the system applied. */
export type DesktopControl = Control<DesktopState>

interface ShellControls {
  readonly download: DownloadControl | undefined
  readonly updates: UpdateControl | undefined
  readonly desktop: DesktopControl | undefined
}

const noDownload: Download = { phase: 'none', received: 0, total: null, reason: null }

/** Posts the states of the shell's features; returns its end. */
export function followShell(hub: Pick<EventHub, 'post'>, { download, updates, desktop }: ShellControls): () => void {
  const tellDownload = (state: Download): void => hub.post({ type: 'download', download: state })
  const tellDesktop = (state: DesktopState): void => hub.post({ type: 'desktop', desktop: state })
  const tellUpdate = (update: Update): void => hub.post({ type: 'update', update })
  tellDownload(download?.state() ?? noDownload)
  if (desktop) tellDesktop(desktop.state())
  if (updates) tellUpdate(updates.state())
  const ends = [download?.on(tellDownload), desktop?.on(tellDesktop), updates?.on(tellUpdate)]
  return () => {
    for (const end of ends) end?.()
  }
}

/** The states for a support bundle. */
export const shellStates = ({ download, updates, desktop }: ShellControls) => ({
  update: updates?.state() ?? null,
  download: download?.state() ?? null,
  desktop: desktop?.state() ?? null,
})

/** What pages may ask of a shell. */
export const shellActions = ({ download, updates }: ShellControls, log: (line: string) => void) => ({
  checkUpdate: () => {
    if (updates) inBackground(updates.check(), log, 'looking for a newer version')
  },
  installUpdate: () => updates?.install() ?? false,
  cancelDownload: () => download?.cancel(),
})
