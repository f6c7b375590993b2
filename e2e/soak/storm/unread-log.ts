import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processFigures } from '../../../bench/measurement.ts'
import type { ServiceReady } from '../../../contract/service-process.ts'
import { count, loopback, openTcp, portOf, rounds, type Attack } from './attack.ts'

const [perRound, answerWithin] = [20, 5000] as const
/** Names under which it counts what becomes of the service beside. */
const [answers, unanswered, ends, longest, memory] = [
  'answers of the service beside',
  'no answer of the service beside',
  'ends of the service beside',
  'ms of its longest answer',
  'MB above its begin',
] as const
/** What is allowed to it, as to the service of the broadcast: ms and MB. */
const allowed = { answer: 1000, memory: 150 } as const
const entry = join(import.meta.dirname, '..', '..', '..', 'service', 'main.ts')

/** Strangers at the RTMP listeners of the product, and of a stand-alone service beside it whose log nobody reads. */
export const unreadLog: Attack = {
  name: 'strangers, and a log that nobody reads',
  async run({ service }, over, tried) {
    const folder = mkdtempSync(join(tmpdir(), 'sidestage-storm-'))
    const child = spawn(
      process.execPath,
      [entry, '--data', folder, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const beside = JSON.parse(line.toString()) as ServiceReady
      child.once('exit', () => count(tried, ends, over.aborted ? 0 : 1))
      const ask = (): Promise<boolean> =>
        fetch(`${beside.mediaUrl}/watch/${'0'.repeat(32)}/state`, { signal: AbortSignal.timeout(answerWithin) }).then(
          (answer) => answer.arrayBuffer().then(() => true),
          () => false,
        )
      await ask()
      const begin = processFigures(child.pid!).memory
      await rounds(over, 100, async (number) => {
        for (const url of [service.rtmpUrl, beside.rtmpUrl]) {
          const strays = await Promise.all(
            Array.from({ length: perRound }, (_, index) => openTcp(portOf(url), loopback(39, index), over)),
          )
          for (const socket of strays) socket?.end('GET / HTTP/1.1\r\n\r\n'.padEnd(2000, 'x'))
          count(tried, 'strangers', strays.filter(Boolean).length)
        }
        if (number % 10 > 0) return
        const asked = performance.now()
        count(tried, (await ask()) ? answers : unanswered)
        tried[longest] = Math.max(tried[longest] ?? 0, Math.round(performance.now() - asked))
        if (child.exitCode === null)
          tried[memory] = Math.max(tried[memory] ?? 0, Math.round(processFigures(child.pid!).memory - begin))
      })
    } finally {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  },
  judge: (tried) => [
    {
      what: 'answers that it did not give with an unread log',
      worst: tried[answers] ? (tried[unanswered] ?? 0) : Infinity,
      most: 0,
      unit: '',
    },
    { what: 'ends of a service with an unread log', worst: tried[ends] ?? 0, most: 0, unit: '' },
    { what: 'longest answer with an unread log', worst: tried[longest] ?? Infinity, most: allowed.answer, unit: ' ms' },
    {
      what: 'memory with an unread log above the begin',
      worst: tried[memory] ?? Infinity,
      most: allowed.memory,
      unit: ' MB',
    },
  ],
}
