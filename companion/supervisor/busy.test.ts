import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import { nodeLauncher, type ServiceProcess } from './launcher.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'

const entry = fileURLToPath(new URL('../testing/busy-child.ts', import.meta.url))
const free = { host: '127.0.0.1', port: 0 }
let supervisor: Supervisor
let processes: { readonly pid: number | undefined; beats: number; readonly kill: () => void }[]
let clock: ReturnType<typeof manualClock>

/** A supervisor of real processes that never answer; its time is the test's. */
function start(): void {
  processes = []
  clock = manualClock()
  const launch = nodeLauncher(entry)
  supervisor = createSupervisor({
    launch: (): ServiceProcess => {
      const process = launch()
      const mine = { pid: process.pid, beats: 0, kill: () => process.kill() }
      processes.push(mine)
      process.onMessage((message) => {
        if (message.type === 'beat') mine.beats++
      })
      return process
    },
    clock,
    probe: () => new Promise(() => undefined),
    secrets: () => [],
    credentials: () => Promise.resolve({ appKey: 'k', appSecret: 's' }),
    choices: { dataDir: '/nowhere', api: free, media: free, rtmp: free },
  })
  supervisor.start()
}
afterEach(() => {
  for (const { kill } of processes) kill()
})
const pid = (): number => processes[0]!.pid!
/** One question that stays without an answer: 5 s until it is asked, 3 s of patience. */
async function missed(): Promise<void> {
  const { beats } = processes[0]!
  await until('a beat', () => processes[0]!.beats > beats + 1)
  clock.advance(5_000)
  clock.advance(3_000)
  await new Promise((resolve) => setImmediate(resolve))
}

describe('a service that does not answer', () => {
  it('is told to be busy and is left alone as long as media flows, and restarted when it hangs', async () => {
    start()
    await until('the start', () => supervisor.state().phase === 'running')
    for (let count = 0; count < 20; count++) await missed()
    expect(processes).toHaveLength(1)
    expect(supervisor.state()).toMatchObject({ phase: 'running', busySince: expect.any(Number) as number })
    expect(supervisor.lines().filter((line) => line.includes('because media flows'))).toHaveLength(1)

    process.kill(pid(), 'SIGSTOP')
    await until('another process', () => {
      clock.advance(1_000)
      return processes.length > 1
    })
    expect(supervisor.state().busySince).toBeNull()
    expect(supervisor.lines().join()).not.toContain('because it works')
  })
})
