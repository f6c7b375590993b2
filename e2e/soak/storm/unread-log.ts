import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceReady } from '../../../contract/service-process.ts'
import { count, loopback, openTcp, portOf, rounds, type Attack } from './attack.ts'

const [perRound, answerWithin] = [20, 5000] as const
const entry = join(import.meta.dirname, '..', '..', '..', 'service', 'main.ts')

/** Strangers at the RTMP listeners of the product, and of a stand-alone service beside it whose log nobody reads. */
export const unreadLog: Attack = {
  name: 'strangers, and a log that nobody reads',
  async run({ service }, over, tried) {
    const folder = mkdtempSync(join(tmpdir(), 'sidestage-storm-'))
    const child = spawn(process.execPath, [entry, '--data', folder, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const beside = JSON.parse(line.toString()) as ServiceReady
      await rounds(over, 100, async (number) => {
        for (const url of [service.rtmpUrl, beside.rtmpUrl]) {
          const strays = await Promise.all(Array.from({ length: perRound }, (_, index) => openTcp(portOf(url), loopback(39, index), over)))
          for (const socket of strays) socket?.end('GET / HTTP/1.1\r\n\r\n'.padEnd(2000, 'x'))
          count(tried, 'strangers', strays.filter(Boolean).length)
        }
        if (number % 10 > 0) return
        const answer = await fetch(`${beside.mediaUrl}/watch/${'0'.repeat(32)}/state`, { signal: AbortSignal.timeout(answerWithin) }).catch(() => undefined)
        count(tried, answer ? 'answers of the service beside' : 'no answer of the service beside')
      })
    } finally {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  },
}
