import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Tells what a piece of work has opened and left open. */
export interface LeftOpen {
  /** Does the work, and notes what it opens, also later on. */
  during<T>(work: () => Promise<T>): Promise<T>
  /**
   * What is open that was not before the work: timers with where they were set, and on Linux descriptors (files, sockets, pipes, those of
   * threads). What is being closed has some seconds for that.
   */
  left(): Promise<string[]>
  /** Stops watching. */
  end(): void
}

/** How long closing may take, in ms. */
const patience = 5000

const descriptors = (): string[] => {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [`${fd} ${readlinkSync(`/proc/self/fd/${fd}`)}`]
    } catch {
      // The folder that is being read.
      return []
    }
  })
}
/** Timers of Node and its libraries that are shared by a whole process are no part's to clear. */
const isShared = (stack: string): boolean => /node_modules\/undici|node:internal\/deps\/undici/.test(stack)

/** Begins to watch this process. */
export function watchOpen(): LeftOpen {
  const inWork = new AsyncLocalStorage<true>()
  const timers = new Map<number, string>()
  const hook = createHook({
    init(id, type) {
      if (type !== 'Timeout' || inWork.getStore() !== true) return
      const { stack = '' } = new Error('a timer')
      if (!isShared(stack)) timers.set(id, stack)
    },
    destroy(id) {
      timers.delete(id)
    },
  }).enable()
  const before = new Set(descriptors())
  const open = (): string[] => [
    ...descriptors().filter((one) => !before.has(one)),
    ...[...timers.values()].map((stack) => `timer ${stack.split('\n').slice(4, 9).join('').replaceAll(/\s+/g, ' ')}`),
  ]
  return {
    during: (work) => inWork.run(true, work),
    async left() {
      const end = performance.now() + patience
      while (open().length > 0 && performance.now() < end) await pause(10)
      return open()
    },
    end: () => void hook.disable(),
  }
}
