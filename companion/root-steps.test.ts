import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { failingSteps, failureOf } from '../platform/testing/failing-steps.ts'
import { watchOpen } from '../platform/testing/left-open.ts'

const steps = failingSteps(new URL('root.ts', import.meta.url))
const { createCompanion } = await import('./root.ts')
const { systemClock } = await import('../platform/clock.ts')
const { sessionVault } = await import('./secrets/session-vault.ts')
const { scratch } = await import('./testing/rig.ts')

const folder = scratch()
/** Processes of the service that were begun and have not ended. */
let running = 0
const start = () =>
  createCompanion({
    dataDir: folder.dir,
    vault: sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }),
    clock: systemClock,
    random: randomBytes,
    resolve: () => Promise.resolve([]),
    launch: () => {
      running++
      const exit = Promise.withResolvers<void>()
      return {
        pid: 1,
        send: (message) => {
          if (message.type === 'stop') exit.resolve()
        },
        onMessage: () => undefined,
        onLine: () => undefined,
        onExit: (listener) => {
          const ended = exit.promise.then(() => {
            running--
            listener({ code: 'exited', params: { status: '0' } })
          })
          ended.catch(() => undefined)
        },
        kill: () => exit.resolve(),
      }
    },
    choices: {
      dataDir: path.join(folder.dir, 'service'),
      api: { host: '127.0.0.1', port: 0 },
      media: { host: '127.0.0.1', port: 0 },
      rtmp: { host: '127.0.0.1', port: 0 },
    },
    openLink: () => Promise.resolve(),
    log: () => undefined,
    about: { version: '0.0.0', shell: 'browser', platform: 'linux', capabilities: [], shellReason: () => null },
  })
const first = await start()
const all = [...new Set(steps.called)]
await first.close()
afterAll(() => folder[Symbol.dispose]())

describe('a start of the companion', () => {
  it('has the steps of its root', () => {
    expect(all).toEqual(expect.arrayContaining(['openProfiles', 'createSupervisor', 'openRooms', 'createRpcServer']))
    expect(all.length).toBeGreaterThan(40)
  })

  it('leaves nothing open when it was closed', async () => {
    const watch = watchOpen()
    steps.from()
    const companion = await watch.during(start)
    await companion.close()
    expect([await watch.left(), running]).toEqual([[], 0])
    watch.end()
  })

  it.each(all)('leaves no listener, timer, file or process when %s fails', async (step) => {
    const watch = watchOpen()
    steps.from(step)
    const outcome = await watch.during(start).then(
      (companion) => companion.close(),
      (error: unknown) => error,
    )
    expect(outcome).toEqual(failureOf(step))
    expect([await watch.left(), running]).toEqual([[], 0])
    watch.end()
  })
})
