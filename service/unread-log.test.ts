import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { local } from '../contract/operations/index.ts'
import type { Credentials, ServiceReady } from '../contract/service-process.ts'
import { signedClient } from './testing/signed-client.ts'

/** A client that does not speak RTMP, which is logged. */
async function stray(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.end('GET / HTTP/1.1\r\n\r\n'.padEnd(2000, 'x'))
  socket.resume()
  // Not `once` of node:events, which rejects where the connection is reset.
  await new Promise((resolve) => socket.once('close', resolve))
}

it('goes on serving while nobody reads its log and strangers fill it, and ends when it is asked to', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'sidestage-unread-'))
  const entry = fileURLToPath(new URL('main.ts', import.meta.url))
  const args = ['--data', dir, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const [first] = (await once(child.stdout, 'data')) as [Buffer]
    const ready = JSON.parse(first.toString()) as ServiceReady
    const client = signedClient(
      ready.baseUrl,
      JSON.parse(readFileSync(path.join(dir, 'credentials.json'), 'utf8')) as Credentials,
    )
    const port = Number(new URL(ready.rtmpUrl).port)
    // Each leaves a line; together several times what a pipe buffers.
    for (let round = 0; round < 40; round++) await Promise.all(Array.from({ length: 100 }, () => stray(port)))
    expect((await client.call(local.info, {})).code).toBe(200)
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await gone).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
})
