import { expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/index.ts'
import { createListeners } from '../listeners.ts'
import { followShell, shellActions, shellStates } from './shell-controls.ts'

/** A feature of the shell whose state the test sets. */
function control<State>(first: State) {
  const listeners = createListeners<[State]>()
  let state = first
  let followers = 0
  return {
    state: () => state,
    on: (listener: (state: State) => void) => {
      followers++
      const off = listeners.on(listener)
      return () => {
        followers--
        off()
      }
    },
    set: (next: State) => {
      state = next
      listeners.tell(next)
    },
    followers: () => followers,
  }
}
const nothing = { download: undefined, updates: undefined, desktop: undefined }
const calls: string[] = []
const download = () => ({
  ...control({ phase: 'loading', received: 1, total: null, reason: null } as never),
  cancel: () => void calls.push('cancel'),
})
const updates = (check: Promise<void>) => ({
  ...control({ phase: 'ready' } as never),
  check: () => {
    calls.push('check')
    return check
  },
  install: () => {
    calls.push('install')
    return true
  },
})

it('tells that nothing is downloaded where a shell downloads nothing, and nothing else of it', () => {
  const events: AppEvent[] = []
  followShell({ post: (event) => void events.push(event) }, nothing)()
  expect(events).toEqual([{ type: 'download', download: { phase: 'none', received: 0, total: null, reason: null } }])
})

it('tells the states of a shell, and each change until its end', () => {
  const events: AppEvent[] = []
  const shell = { download: download(), updates: updates(Promise.resolve()), desktop: control({ tray: true } as never) }
  const end = followShell({ post: (event) => void events.push(event) }, shell)
  expect(events.splice(0)).toEqual([
    { type: 'download', download: shell.download.state() },
    { type: 'desktop', desktop: { tray: true } },
    { type: 'update', update: { phase: 'ready' } },
  ])
  shell.updates.set({ phase: 'none' } as never)
  shell.desktop.set({ tray: false } as never)
  shell.download.set({ phase: 'done' } as never)
  expect(events.splice(0)).toEqual([
    { type: 'update', update: { phase: 'none' } },
    { type: 'desktop', desktop: { tray: false } },
    { type: 'download', download: { phase: 'done' } },
  ])
  expect(shellStates(shell)).toEqual({
    update: { phase: 'none' },
    download: { phase: 'done' },
    desktop: { tray: false },
  })
  end()
  expect([shell.download, shell.updates, shell.desktop].map(({ followers }) => followers())).toEqual([0, 0, 0])
  expect(shellStates(nothing)).toEqual({ update: null, download: null, desktop: null })
})

it('passes what a page asks on to the shell, and does nothing without one', async () => {
  calls.length = 0
  const log: string[] = []
  const none = shellActions(nothing, (line) => void log.push(line))
  none.checkUpdate()
  none.cancelDownload()
  expect(none.installUpdate()).toBe(false)
  const actions = shellActions(
    { ...nothing, download: download(), updates: updates(Promise.reject(new Error('offline'))) },
    (line) => void log.push(line),
  )
  actions.checkUpdate()
  actions.cancelDownload()
  expect(actions.installUpdate()).toBe(true)
  expect(calls).toEqual(['check', 'cancel', 'install'])
  await expect.poll(() => log).toEqual(['looking for a newer version failed: offline'])
})
