import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startPythonReceiver, type PythonReceiver } from '../outbox/testing/python-receiver.ts'
import { startRig } from '../outbox/testing/rig.ts'
import { waitFor } from '../outbox/testing/wait.ts'

let dataDir: string
let python: PythonReceiver
let running: ChildProcess | undefined

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sidestage-copy-kill-'))
  // The secret of the rig's application.
  python = await startPythonReceiver('a', [], 'copy-receiver.py')
})
afterEach(() => {
  running?.kill('SIGKILL')
  python.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const script = fileURLToPath(new URL('testing/copy-child.ts', import.meta.url))
function child(first: number, count: number): { readonly said: string[]; kill(): Promise<void> } {
  const started = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, dataDir, python.url, String(first), String(count)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  running = started
  const said: string[] = []
  createInterface({ input: started.stdout }).on('line', (line) => said.push(line))
  const closed = once(started, 'close')
  return {
    said,
    async kill() {
      started.kill('SIGKILL')
      await closed
    },
  }
}

it('every copy whose message stands comes, in order within its conversation, over kills at any point', async () => {
  const acknowledged: number[] = []
  for (let round = 0; round < 4; round++) {
    const killed = child(1 + round * 1000, 400)
    await waitFor('a few', () => killed.said.length >= 2 + round * 5 && python.requests.length >= round * 20)
    await killed.kill()
    acknowledged.push(...killed.said.filter((line) => /^\d/.test(line)).flatMap((line) => line.split(' ').map(Number)))
  }
  const rig = await startRig({ dataDir })
  const waiting = (): Promise<number> => rig.outbox.waiting(rig.uid)
  await waitFor('the rest', async () => (await waiting()) === 0, 120_000)
  await rig.stop()

  expect(
    python.requests.every(
      ({ verified, allText, chunked, length }) => verified && allText && !chunked && Number(length) > 0,
    ),
  ).toBe(true)
  const came = python.requests.map(({ fields }) => Number(fields['msgidServer']))
  expect(acknowledged.filter((number) => !came.includes(number))).toEqual([])
  for (let each = 0; each < 7; each++) {
    // Interrupted copies are repeated; first deliveries are in order.
    const firsts = [...new Set(came.filter((number) => number % 7 === each))]
    expect(firsts).toEqual([...firsts].sort((one, other) => one - other))
  }
}, 240_000)
