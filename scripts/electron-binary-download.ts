import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { reasonOf } from '../contract/catalogue/reasons.ts'
import type { Download } from '../contract/rpc/index.ts'
import type { DownloadControl } from '../companion/hub/shell-controls.ts'
import { createListeners } from '../companion/listeners.ts'

const fetcher = fileURLToPath(new URL('electron-binary-fetch.ts', import.meta.url))

/** Fetches the desktop window's binary in the background; the next start uses it. */
export function downloadElectron(entry: string = fetcher): DownloadControl {
  const { on, tell } = createListeners<[Download]>()
  let state: Download = { phase: 'connecting', received: 0, total: null, reason: null }
  const put = (next: Download): void => {
    state = next
    tell(state)
  }
  const isOver = (): boolean => state.phase === 'done' || state.phase === 'failed' || state.phase === 'cancelled'
  const child: ChildProcess = fork(entry, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] })
  child.on('message', (message) => {
    if (!isOver()) put(message as Download)
  })
  child.on('error', (error) => {
    if (!isOver()) put({ ...state, phase: 'failed', reason: reasonOf('download', 'failed', { system: error.message }) })
  })
  child.on('exit', () => {
    if (!isOver()) put({ ...state, phase: 'failed', reason: reasonOf('download', 'early') })
  })
  child.unref()
  child.channel?.unref()
  return {
    state: () => state,
    cancel: () => {
      if (isOver()) return
      put({ ...state, phase: 'cancelled', reason: null })
      child.kill('SIGKILL')
    },
    on,
  }
}
