import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startReceiver, type Receiver } from './testing/receiver.ts'
import { startRig } from './testing/rig.ts'
import { waitFor } from './testing/wait.ts'

let dataDir: string
let receiver: Receiver
let running: ChildProcess | undefined

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sidestage-kill-'))
  receiver = await startReceiver()
})
afterEach(async () => {
  running?.kill('SIGKILL')
  await receiver.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const script = fileURLToPath(new URL('testing/queue-child.ts', import.meta.url))
/** Starts a process that queues callbacks; it prints `ready`, nIds, `queued`. */
function child(count: number): { readonly lines: string[]; kill(): Promise<void> } {
  const started = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, dataDir, receiver.url, String(count)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  running = started
  const lines: string[] = []
  createInterface({ input: started.stdout }).on('line', (line) => lines.push(line))
  const gone = new Promise<void>((resolve) => started.once('close', () => resolve()))
  return {
    lines,
    kill: () => {
      started.kill('SIGKILL')
      return gone
    },
  }
}
const idsOf = (lines: readonly string[]): string[] => lines.filter((line) => /^[0-9a-f]{32}$/.test(line))

describe('a process that is killed', () => {
  it('leaves its queue to the next one: what was under way is made again with the same id, what waited is made', async () => {
    receiver.answer = () => undefined
    const first = child(20)
    await waitFor('the queue', () => first.lines.includes('queued') && receiver.received.length === 4)
    const ids = idsOf(first.lines)
    expect(new Set(ids).size).toBe(20)
    await first.kill()

    receiver.answer = (_request, response) => void response.end()
    const second = child(0)
    await waitFor(
      'all deliveries',
      () => new Set(receiver.received.slice(4).map(({ fields }) => fields['nId'])).size === 20,
    )
    await waitFor('the marks', async () => second.lines.includes('ready'))
    await second.kill()
    expect(new Set(receiver.received.map(({ fields }) => fields['nId']))).toEqual(new Set(ids))
    expect(
      receiver.received
        .slice(0, 4)
        .every((early) => receiver.received.slice(4).some(({ body }) => body === early.body)),
    ).toBe(true)
  })

  it('loses nothing and marks once, killed while it puts in, delivers and marks', async () => {
    const ids: string[] = []
    for (let round = 0; round < 4; round++) {
      const killed = child(1000)
      await waitFor('a few', () => idsOf(killed.lines).length >= 3 + round * 7)
      await killed.kill()
      ids.push(...idsOf(killed.lines))
    }
    const rig = await startRig({ dataDir })
    await waitFor('the rest', async () =>
      (await rig.outbox.list(rig.uid, 10_000, undefined)).every(({ state }) => state === 'delivered'),
    )
    const entries = await rig.outbox.list(rig.uid, 10_000, undefined)
    const kept = new Set(entries.map(({ nId }) => nId))
    const delivered = new Set(receiver.received.map(({ fields }) => fields['nId']!))
    expect(ids.filter((nId) => !kept.has(nId))).toEqual([])
    expect(delivered).toEqual(kept)
    const before = receiver.received.length
    await rig.stop()
    const again = await startRig({ dataDir })
    expect(
      (await again.outbox.list(again.uid, 10_000, undefined)).filter(({ state }) => state !== 'delivered'),
    ).toEqual([])
    await again.enqueue()
    await waitFor('a new one', () => receiver.received.length > before)
    expect(receiver.received).toHaveLength(before + 1)
    await again.stop()
  })
})
