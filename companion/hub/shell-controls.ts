import type { DesktopState, Download, Update } from '../../contract/rpc/index.ts'
import { inBackground } from '../background.ts'
import type { EventHub } from './event-hub.ts'

/** The fetch of the desktop window's binary, as a shell that has one reports it. */
export interface DownloadControl {
  state(): Download
  cancel(): void
  on(listener: (state: Download) => void): () => void
}

/** Newer versions of the app, as a shell that has them reports them. */
export interface UpdateControl {
  state(): Update
  check(): Promise<void>
  install(): boolean
  on(listener: (update: Update) => void): () => void
}

/** What became of wishes that only the system can fulfil, as the desktop shell reports it. */
export interface DesktopControl {
  state(): DesktopState
  on(listener: (state: DesktopState) => void): () => void
}

/** What a shell can do besides showing pages; what is absent it has not. */
export interface ShellControls {
  readonly download: DownloadControl | undefined
  readonly updates: UpdateControl | undefined
  readonly desktop: DesktopControl | undefined
}

const noDownload: Download = { phase: 'none', received: 0, total: null, reason: null }

/** Tells pages how it stands with them, now and at each change; the returned function ends it. */
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

/** How it stands with them, for a support bundle; null for what the shell has not. */
export const shellStates = ({ download, updates, desktop }: ShellControls) => ({
  update: updates?.state() ?? null,
  download: download?.state() ?? null,
  desktop: desktop?.state() ?? null,
})

/** What pages may have a shell do with them. */
export const shellActions = ({ download, updates }: ShellControls, log: (line: string) => void) => ({
  checkUpdate: () => {
    if (updates) inBackground(updates.check(), log, 'looking for a newer version')
  },
  installUpdate: () => updates?.install() ?? false,
  cancelDownload: () => download?.cancel(),
})
